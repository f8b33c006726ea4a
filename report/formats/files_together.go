// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A staged file is complete and on the disk, under a name beside its own.
type staged struct {
	temp, path string
	failed     bool // it could not be written: what stands under its name is of another run
}

// stage writes a file, and the folder it lies in, under a temporary name.
func stage(path string, write func(io.Writer) error) (s staged, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return staged{}, fmt.Errorf("%s is a folder", path)
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return staged{}, err
	}
	temp, err := os.CreateTemp(folder, "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return staged{}, err
	}
	defer func() {
		if err != nil {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	w := bufio.NewWriterSize(temp, 64<<10)
	for _, do := range []func() error{func() error { return write(w) }, w.Flush, func() error { return temp.Chmod(0o644) }, temp.Sync, temp.Close} {
		if err := do(); err != nil {
			return staged{}, err
		}
	}
	return staged{temp: temp.Name(), path: path}, nil
}

// appear gives staged files their names, all of them at once as far as others can see who do the same: runs that write to
// the same names take turns, so that the files are those of one run. A file that could not be written takes the one of an
// earlier run away, which would stand beside the others as if it were theirs.
func appear(files []staged) error {
	if len(files) == 0 {
		return nil
	}
	unlock := lockFolder(filepath.Dir(files[0].path))
	defer unlock()
	return takePlaces(files, os.Remove, os.Rename)
}

// takePlaces takes the files of an earlier run away before the first of several new ones gets its name: a program that is
// killed between any two steps leaves files of one run, if not all of them. A single file replaces its forerunner in one step.
func takePlaces(files []staged, remove func(string) error, rename func(from, to string) error) error {
	var problems []error
	for _, f := range files {
		if len(files) == 1 && !f.failed {
			break
		}
		if info, err := os.Lstat(f.path); err == nil && info.Mode().IsRegular() {
			problems = append(problems, remove(f.path))
		}
	}
	for _, f := range files {
		if f.failed {
			continue
		}
		if err := rename(f.temp, f.path); err != nil {
			problems = append(problems, err, os.Remove(f.temp))
		}
	}
	return errors.Join(problems...)
}

// WriteFile writes a file, and the folder it lies in, through a temporary one beside it, so that nobody ever reads half a
// report.
func WriteFile(path string, write func(io.Writer) error) error {
	s, err := stage(path, write)
	if err != nil {
		return err
	}
	return appear([]staged{s})
}
