// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// DefaultBase names the files of a report when nothing, or only a folder, is given.
const DefaultBase = "conformance.report"

// Write writes the run in each of the formats and returns the paths. out names the files by the rule of Paths; "-" is
// standard output, for exactly one format. A file appears whole or not at all; when one cannot be written the others
// still are.
func Write(run *report.Run, formats []string, out string) (paths []string, err error) {
	return write(run, formats, out, os.Stdout)
}

func write(run *report.Run, formats []string, out string, stdout io.Writer) ([]string, error) {
	targets, err := Paths(formats, out)
	if err != nil {
		return nil, err
	}
	settled := sync.OnceValue(run.Settled) // within render, which survives a panic
	var written []string
	var problems []error
	var ready []staged
	for i, path := range targets {
		f, _ := formatNamed(formats[i]) // Paths knows it
		one, err := writeOne(settled, f, path, stdout)
		if err != nil {
			problems = append(problems, fmt.Errorf("write the %s report: %w", f.Name, err))
			one = staged{path: path, failed: true}
		}
		if one.path != "" {
			ready = append(ready, one)
		}
		if err == nil {
			written = append(written, path)
		}
	}
	if err := appear(ready); err != nil {
		written, problems = nil, append(problems, fmt.Errorf("write the reports: %w", err))
	}
	for _, name := range formats {
		if f, _ := formatNamed(name); f.Announce != nil {
			if err := f.Announce(stdout, settled()); err != nil {
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

// render writes a run in a format. A panic of the format, or one while the run was settled, becomes an error, so that the
// other formats are written all the same.
func (f Format) render(w io.Writer, settled func() report.Settled) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v", ErrBug, v)
		}
	}()
	return f.Write(w, settled())
}

// ErrBug is why a report is missing that its format could not write: a mistake of ours.
var ErrBug = errors.New("bug")

// writeOne writes a report, or lays it ready beside its path.
func writeOne(settled func() report.Settled, f Format, path string, stdout io.Writer) (staged, error) {
	switch {
	case path == "-" && f.Announce != nil:
		return staged{}, nil // what it announces is all that goes there
	case path == "-":
		return staged{}, f.render(stdout, settled)
	case f.AppendTo != "" && path == os.Getenv(f.AppendTo):
		return staged{}, appendTo(path, func(w io.Writer) error { return f.render(w, settled) })
	}
	// A device or a pipe (/dev/stdout) cannot be replaced by a file.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		device, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return staged{}, err
		}
		return staged{}, errors.Join(f.render(device, settled), device.Close())
	}
	return stage(path, func(w io.Writer) error { return f.render(w, settled) })
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
