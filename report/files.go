// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// DefaultBase names the files of a report when nothing, or only a folder, is given.
const DefaultBase = "conformance.report"

// Write writes the run in each of the formats and returns the paths. out names the files by the rule of Paths; "-" is
// standard output, for exactly one format. A file appears whole or not at all; when one cannot be written the others
// still are.
func Write(run *Run, formats []string, out string) (paths []string, err error) {
	return write(run, formats, out, os.Stdout)
}

func write(run *Run, formats []string, out string, stdout io.Writer) ([]string, error) {
	targets, err := Paths(formats, out)
	if err != nil {
		return nil, err
	}
	var written []string
	var problems []error
	for i, path := range targets {
		f, _ := formatNamed(formats[i]) // Paths knows it
		if err := writeOne(run, f, path, stdout); err != nil {
			problems = append(problems, fmt.Errorf("write the %s report: %w", f.Name, err))
			continue
		}
		written = append(written, path)
	}
	for _, name := range formats {
		if f, _ := formatNamed(name); f.Announce != nil {
			if err := f.Announce(stdout, run); err != nil {
				problems = append(problems, fmt.Errorf("write the %s annotations: %w", f.Name, err))
			}
		}
	}
	return written, errors.Join(problems...)
}

// Paths returns the file of each format, in order. A known extension is stripped from out to get BASE; the format that
// owns this extension is written to out itself, every other one to BASE with its own extension. Commands call it
// before the run, so that a wrong name costs no run. A format that appends to a file which the environment names is
// written there, where there is such a file.
func Paths(formats []string, out string) ([]string, error) {
	if out == "-" && len(formats) != 1 {
		return nil, fmt.Errorf("standard output takes exactly one report format, not %d", len(formats))
	}
	out = cmp.Or(out, DefaultBase)
	if info, err := os.Stat(out); err == nil && info.IsDir() || os.IsPathSeparator(out[len(out)-1]) {
		out = filepath.Join(out, DefaultBase)
	}
	base, owner := splitExtension(out)
	paths := make([]string, len(formats))
	used := map[string]string{}
	for i, name := range formats {
		f, err := formatNamed(name)
		if err != nil {
			return nil, err
		}
		switch {
		case f.AppendTo != "" && os.Getenv(f.AppendTo) != "":
			paths[i] = os.Getenv(f.AppendTo)
		case out == "-":
			paths[i] = "-"
		case f.Name == owner:
			paths[i] = out
		default:
			paths[i] = base + f.Extensions[0]
		}
		if other, ok := used[paths[i]]; ok {
			return nil, fmt.Errorf("the %s and the %s report would both be %s", other, f.Name, paths[i])
		}
		used[paths[i]] = f.Name
	}
	return paths, nil
}

// splitExtension strips a known extension, the longest first (".junit.xml" before ".xml"), and says whose it is.
func splitExtension(out string) (base, owner string) {
	name := filepath.Base(out)
	for _, f := range Formats {
		for _, extension := range f.Extensions {
			if hasExtension(name, extension) {
				return out[:len(out)-len(extension)], f.Name
			}
		}
	}
	return out, ""
}

// hasExtension reports whether name has the extension after something else.
func hasExtension(name, extension string) bool {
	return len(name) > len(extension) && strings.EqualFold(name[len(name)-len(extension):], extension)
}

// guarded turns a panic of a format into an error, so that the other formats are written all the same.
func guarded(write func(io.Writer, *Run) error) func(io.Writer, *Run) error {
	return func(w io.Writer, run *Run) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("%w: %v", ErrBug, v)
			}
		}()
		return write(w, run)
	}
}

// ErrBug is why a report is missing that its format could not write: a mistake of ours.
var ErrBug = errors.New("bug")

func writeOne(run *Run, f Format, path string, stdout io.Writer) error {
	f.Write = guarded(f.Write)
	switch {
	case path == "-" && f.Announce != nil:
		return nil // what it announces is all that goes there
	case path == "-":
		return f.Write(stdout, run)
	case f.AppendTo != "" && path == os.Getenv(f.AppendTo):
		return appendTo(path, func(w io.Writer) error { return f.Write(w, run) })
	}
	// A device or a pipe (/dev/stdout) cannot be replaced by a file.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		device, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Write(device, run), device.Close())
	}
	return WriteFile(path, func(w io.Writer) error { return f.Write(w, run) })
}

// appendTo adds to a file that others write to as well, in one piece.
func appendTo(path string, write func(io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text.Bytes(), '\n'))
	return errors.Join(err, file.Close())
}

// WriteFile writes a file, and the folder it lies in, through a temporary one beside it, so that nobody ever reads half a
// report.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(folder, "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	w := bufio.NewWriterSize(temp, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := temp.Chmod(0o644); err != nil {
		return err
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
