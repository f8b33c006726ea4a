// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/fleet"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// mergeCommand is `merge`: one overview of what shards have played.
func (a *app) mergeCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "merge FOLDER...",
		Short: "Put together what the shards of run --targets have written",
		Long: `Read the folders that run --targets has written, with --shard or without, and write one overview of all targets, in the same four
forms: HTML, JSON, JUnit and Markdown. A folder is that of one run, or holds those of several. The reports are read and not changed; merged
again, they give the same overview to the byte.

What is missing is said, and so is what was played by another version of the program, of its suites or of the contract: neither is
a pass (exit code 5). Where a target was played more than once, its newest complete report counts. Folders of different lists are
refused.

The exit code is that of the worst target, as run has it.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("which folders? %s %s merges all shards that have written there", c.CommandPath(), fleetFolder)
			}
			return nil
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&out, "report-out", "", "`folder` for the overview (default: the first folder)")
	c.RunE = func(_ *cobra.Command, args []string) error {
		folder := cmp.Or(out, args[0])
		if folder == "-" {
			return usage("the overview has four forms, so --report-out is a folder")
		}
		o, err := fleet.Merge(args, folder, tool())
		if err != nil {
			return usage("%w", err)
		}
		paths, err := formats.WriteOverview(o, folder, nil)
		if err != nil {
			return usage("--report-out: %w", err)
		}
		a.concludeOverview(o, paths)
		return a.endOverview(o, paths, false)
	}
	return c
}

// maxWorst is how many targets are named on the terminal; the overview has them all.
const maxWorst = 10

// concludeOverview says on standard error what the runs against many targets have found, the worst first.
func (a *app) concludeOverview(o *overview.Overview, paths []string) {
	w := a.stderr
	for _, n := range o.Notes[:min(len(o.Notes), maxFailures)] {
		fmt.Fprintf(w, "%s: %s\n", n.Kind, console.Shown(n.Text))
	}
	for i := range o.Entries[:min(len(o.Entries), maxWorst)] {
		if e := &o.Entries[i]; e.Verdict != "pass" {
			fmt.Fprintf(w, "%s: %s: %s\n", console.Shown(e.Name), console.Shown(e.Heading), console.Shown(e.Because))
		}
	}
	for _, b := range o.BrokenBy(overview.ByAll)[:min(len(o.BrokenBy(overview.ByAll)), maxWorst)] {
		fmt.Fprintf(w, "all %d break %s: %s\n", len(b.Targets), console.Shown(b.ID), console.Shown(b.Says))
	}
	fmt.Fprintf(w, "%s: %s\n", o.Heading(), show.Ended(console.Shown(o.Because)))
	for _, path := range paths {
		fmt.Fprintf(w, "overview: %s\n", console.Escaped(path))
	}
}

// endOverview prints the last line and gives the exit code: the worst of the verdict's and of those that the runs have ended with.
func (a *app) endOverview(o *overview.Overview, paths []string, lost bool, codes ...int) error {
	code := exitCodes[o.Verdict]
	for _, other := range codes {
		if slices.Index(severity, other) > slices.Index(severity, code) {
			code = other
		}
	}
	if lost { // whatever the verdict is, nobody should rely on reports that are not there
		if slices.Index(severity, exitUsage) > slices.Index(severity, code) {
			code = exitUsage
		}
		fmt.Fprintf(a.stderr, "CONFORMANCE-ERROR code=%d report=%s\n", code, cmp.Or(console.Escaped(strings.Join(paths, ",")), "none"))
		return &exit{code: code}
	}
	fmt.Fprintln(a.stderr, o.LastLine(paths))
	if code == exitPass {
		return nil
	}
	return &exit{code: code}
}
