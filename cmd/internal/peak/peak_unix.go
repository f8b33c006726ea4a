// SPDX-License-Identifier: Apache-2.0

//go:build unix

package peak

import (
	"os"
	"runtime"
	"syscall"
)

// Memory is the most memory that a process had that has ended, in KiB; 0: nobody knows.
func Memory(ended *os.ProcessState) int64 {
	used, is := ended.SysUsage().(*syscall.Rusage)
	switch {
	case !is:
		return 0
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios": // in bytes there
		return used.Maxrss >> 10
	}
	return int64(used.Maxrss)
}
