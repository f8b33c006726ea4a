// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
)

// renderCommand is `render`: any form of a report from its JSON form.
func (a *app) renderCommand() *cobra.Command {
	var wanted []string
	var out string
	c := &cobra.Command{
		Use:   "render REPORT.json",
		Short: "Write a saved JSON report in other formats",
		Long: `Write a saved JSON report in other formats, byte for byte as the run itself would have written them. - reads the
report from standard input. The exit code says whether that worked, not what the report says.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("render needs one JSON report: %s report.json --report-format markdown,junit", c.CommandPath())
			}
			return nil
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringSliceVar(&wanted, "report-format", []string{"markdown"}, "`formats` to write: "+strings.Join(formats.FormatNames(), ", "))
	f.StringVar(&out, "report-out", "", "`file` to write to, with the other formats next to it; - is standard output (default: next to the report)")
	c.RunE = func(_ *cobra.Command, args []string) error {
		names, err := formats.ParseFormats(strings.Join(wanted, ","))
		if err != nil {
			return usage("--report-format: %w", err)
		}
		run, err := a.savedReport(args[0])
		if err != nil {
			return err
		}
		if out == "" && args[0] != "-" {
			out = args[0]
		}
		paths, err := formats.Paths(names, out)
		if err != nil {
			return usage("--report-out: %w", err)
		}
		for _, path := range paths {
			if path != "-" && same(path, args[0]) {
				return usage("%s is the report that is read; --report-out names another file", console.Shown(path))
			}
		}
		paths, err = formats.Write(run, names, out)
		for _, path := range paths {
			if path != "-" {
				fmt.Fprintf(a.stderr, "report: %s\n", console.Escaped(path))
			}
		}
		if err != nil {
			return usage("--report-out: %w", err)
		}
		return nil
	}
	return c
}

// savedReport reads a JSON report; - is standard input.
func (a *app) savedReport(path string) (*report.Run, error) {
	from, name := a.stdin, "standard input"
	if path != "-" {
		name = console.Shown(path)
		file, err := os.Open(path)
		if err != nil {
			return nil, usage("%w", err)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return nil, usage("%s is a folder, not a JSON report", console.Shown(path))
		}
		from = io.Reader(file)
	}
	run, err := report.ReadJSON(from)
	var at *report.Misread
	switch {
	case errors.As(err, &at):
		return nil, usage("%s:%w; is this a report of --report-format json?", name, at)
	case err != nil:
		return nil, usage("%s: %w", name, err)
	}
	return run, nil
}
