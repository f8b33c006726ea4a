// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
	"github.com/roctinam/agentic-sandbox-conformance/report/markdown"
)

// diffFormats are the forms of a comparison.
var diffFormats = []string{"markdown", "json"}

// diffCommand is `diff`: what changed between two runs.
func (a *app) diffCommand() *cobra.Command {
	var format, out string
	var allowUnmeasured bool
	c := &cobra.Command{
		Use:   "diff OLD.json NEW.json",
		Short: "Show what changed between two JSON reports",
		Long: `Show what changed between two JSON reports: new and fixed failures and warnings, what is measured now and was not before or the
reverse, waivers, and tests that were added, removed or changed. The top lists what makes the runs less comparable:
another target, other suites, other flags.

The exit code is 1 if the new run is a regression: a MUST is broken and not waived that was not broken before (also if it
is new, or was not measured before); or a MUST was measured before and no longer is, for any reason (--allow-unmeasured turns
this off); or the new run measured nothing at all. It is 0 otherwise, also if both runs fail in the same way, and 2 if a
report cannot be read.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("diff needs two JSON reports: %s old.json new.json", c.CommandPath())
			}
			return nil
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&format, "report-format", "markdown", "`format` to write: markdown or json")
	f.StringVar(&out, "report-out", "-", "`file` to write to; - is standard output")
	f.BoolVar(&allowUnmeasured, "allow-unmeasured", false, "a MUST that is no longer measured is not a regression")
	c.RegisterFlagCompletionFunc("report-format", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return diffFormats, cobra.ShellCompDirectiveNoFileComp
	})
	c.RunE = func(_ *cobra.Command, args []string) error {
		write := map[string]func(io.Writer, *report.Diff) error{"markdown": markdown.WriteDiff, "json": report.WriteDiffJSON}[format]
		if write == nil {
			return usage("--report-format is %q, want markdown or json%s", format, spelling.DidYouMean(format, diffFormats))
		}
		if args[0] == "-" && args[1] == "-" {
			return usage("only one of the reports can come from standard input")
		}
		old, err := a.savedReport(args[0])
		if err != nil {
			return err
		}
		new, err := a.savedReport(args[1])
		if err != nil {
			return err
		}
		for _, path := range args {
			if out != "-" && same(path, out) {
				return usage("%s is a report that is read; --report-out names another file", console.Shown(out))
			}
		}
		d := report.Compare(old, new, allowUnmeasured)
		if out == "-" {
			err = write(a.stdout, d)
		} else {
			err = formats.WriteFile(out, func(w io.Writer) error { return write(w, d) })
		}
		switch {
		case err != nil:
			return usage("--report-out: %w", err)
		case d.Regression:
			return &exit{code: exitFail}
		}
		return nil
	}
	return c
}
