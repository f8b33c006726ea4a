// SPDX-License-Identifier: Apache-2.0

// Package formats is the table of the written forms of a report, and how the files of one run come about: their names,
// that each appears whole, and all of them together. What stands in them is left to the formats.
package formats

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/github"
	"github.com/roctinam/agentic-sandbox-conformance/report/html"
	"github.com/roctinam/agentic-sandbox-conformance/report/junit"
	"github.com/roctinam/agentic-sandbox-conformance/report/markdown"
)

// A Format is one written form of a report.
type Format struct {
	Name       string
	Extensions []string // the first one is put after BASE, the others are recognised too
	Write      func(io.Writer, report.Settled) error
	Announce   func(io.Writer, report.Settled) error // what goes to standard output besides; nil: nothing
	AppendTo   string                                // environment variable that names the file to append to instead of writing one; "": none
}

// Formats are the formats there are, by name. A new one is a row here and a package beside the others.
var Formats = []Format{
	{Name: "github", Extensions: []string{".github.md"}, Write: markdown.Write, Announce: github.Write, AppendTo: "GITHUB_STEP_SUMMARY"},
	{Name: "html", Extensions: []string{".html", ".htm"}, Write: html.Write},
	{Name: "json", Extensions: []string{".json"}, Write: report.WriteJSON},
	{Name: "junit", Extensions: []string{".junit.xml", ".xml"}, Write: junit.Write},
	{Name: "markdown", Extensions: []string{".md", ".markdown"}, Write: markdown.Write},
}

// ParseFormats reads a list of formats as --report-format takes it: "markdown,junit".
func ParseFormats(list string) ([]string, error) {
	var names []string
	var problems []error
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if _, err := formatNamed(name); err != nil {
			problems = append(problems, err)
		} else if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return names, nil
}

// FormatNames lists the names of the formats.
func FormatNames() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return names
}

func formatNamed(name string) (Format, error) {
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
	}
	known := "known formats: " + strings.Join(FormatNames(), ", ")
	if name == "" {
		return Format{}, errors.New("a report format is missing; " + known)
	}
	if meant := closest(name); meant != "" {
		return Format{}, fmt.Errorf("unknown report format %q (did you mean %s?); %s", name, meant, known)
	}
	return Format{}, fmt.Errorf("unknown report format %q; %s", name, known)
}

// closest returns the format that was probably meant: known by its extension, or by few slips.
func closest(name string) string {
	name = strings.ToLower(name)
	for _, f := range Formats {
		if slices.Contains(f.Extensions, "."+name) || len(name) > 1 && strings.HasPrefix(f.Name, name) {
			return f.Name
		}
	}
	return spelling.Nearest(name, FormatNames())
}
