// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report/html"
	"github.com/roctinam/agentic-sandbox-conformance/report/junit"
	"github.com/roctinam/agentic-sandbox-conformance/report/markdown"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
)

// overviewForms are the forms of an overview: all of them are always written.
var overviewForms = []struct {
	file  string
	write func(io.Writer, *overview.Overview) error
}{
	{"overview.html", html.WriteOverview},
	{"overview.json", overview.WriteJSON},
	{"overview.junit.xml", junit.WriteOverview},
	{"overview.md", markdown.WriteOverview},
}

// OverviewFiles are the names of the files of an overview.
func OverviewFiles() []string {
	var names []string
	for _, f := range overviewForms {
		names = append(names, f.file)
	}
	return names
}

// WriteOverview writes an overview in all its forms into a folder, and returns the paths; the forms of one overview appear together.
// Where github is among the formats of the reports, the overview is appended to the file that the environment names for it.
func WriteOverview(o *overview.Overview, folder string, formats []string) (paths []string, err error) {
	var ready []staged
	var problems []error
	for _, f := range overviewForms {
		path := filepath.Join(folder, f.file)
		one, err := stage(path, func(w io.Writer) error { return f.write(w, o) })
		if err != nil {
			problems = append(problems, fmt.Errorf("write %s: %w", f.file, err))
			one = staged{path: path, failed: true}
		} else {
			paths = append(paths, path)
		}
		ready = append(ready, one)
	}
	if err := appear(ready); err != nil {
		paths, problems = nil, append(problems, fmt.Errorf("write the overview: %w", err))
	}
	for _, f := range Formats {
		if f.AppendTo == "" || os.Getenv(f.AppendTo) == "" || !slices.Contains(formats, f.Name) {
			continue
		}
		if err := appendTo(os.Getenv(f.AppendTo), func(w io.Writer) error { return markdown.WriteOverview(w, o) }); err != nil {
			problems = append(problems, fmt.Errorf("write the overview: %w", err))
		} else {
			paths = append(paths, os.Getenv(f.AppendTo))
		}
	}
	return paths, errors.Join(problems...)
}

// OfTargets are the formats of the reports of single targets in a run of many: what goes to one place for the whole job is for the
// overview alone, and the JSON report is always there, because an overview is made of it.
func OfTargets(formats []string) []string {
	own := slices.DeleteFunc(slices.Clone(formats), func(name string) bool {
		f, err := formatNamed(name)
		return err == nil && f.AppendTo != ""
	})
	if !slices.Contains(own, "json") {
		own = append(own, "json")
	}
	return own
}
