// SPDX-License-Identifier: Apache-2.0

//go:build unix

package formats

import (
	"os"
	"syscall"
)

// lockFolder waits until nobody else has the lock of a folder, and takes it. The lock ends with its process, and leaves no file.
// Where the file system has no locks, files are renamed one after the other without.
func lockFolder(folder string) (unlock func()) {
	file, err := os.Open(folder)
	if err != nil {
		return func() {}
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX) != nil {
		file.Close()
		return func() {}
	}
	return func() { file.Close() }
}
