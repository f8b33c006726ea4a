// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// maxChanges is how many changes of one kind the Markdown form shows, so that it stays under maxBytes.
const maxChanges = 150

// WriteDiff writes a comparison for people.
func WriteDiff(w io.Writer, d *report.Diff) error {
	var m strings.Builder
	f := func(format string, args ...any) { fmt.Fprintf(&m, format, args...) }
	heading := "no regression"
	if d.Regression {
		heading = "REGRESSION"
	}
	f("# Comparison: %s\n\n**%s**\n\n", heading, prose(d.Because))
	f("| | Old | New |\n|---|---|---|\n")
	for _, row := range [][3]string{
		{"Verdict", d.Old.Heading, d.New.Heading},
		{"Counts", sideCounts(d.Old.Summary), sideCounts(d.New.Summary)},
		{"Started", d.Old.StartedAt.Format(time.RFC3339), d.New.StartedAt.Format(time.RFC3339)},
		{"Target", d.Old.Target.ExecutorURL, d.New.Target.ExecutorURL},
		{"Profile", d.Old.Suites.Profile, d.New.Suites.Profile},
		{"Implementation commit", d.Old.Target.ImplCommit, d.New.Target.ImplCommit},
		{"Contract revision", d.Old.Suites.Contract.Revision(), d.New.Suites.Contract.Revision()},
		{"Suites digest", d.Old.Suites.Digest, d.New.Suites.Digest},
	} {
		f("| %s | %s | %s |\n", row[0], orNone(row[1]), orNone(row[2]))
	}
	f("\n")
	if n := len(d.Differs); n > 0 {
		f("The runs themselves differ in %s, listed at the end: what changed may come from that.\n\n", show.Plural(n, "point", "points"))
	}
	for _, section := range []struct {
		title, means string
		changes      []report.Change
	}{
		{"Newly failing", "Broken now, and was not seen broken before. What is waived is no regression.", d.NewlyFailing},
		{"Not measured any more", "Nobody knows whether these still hold. For a MUST that is a loss of evidence.", d.NewlyUnmeasured},
		{"Newly warned", "", d.NewlyWarned},
		{"Fixed", "Was broken, and holds now.", d.Fixed},
		{"Newly measured", "Holds, and was not measured before.", d.NewlyMeasured},
		{"No longer warned", "", d.NoLongerWarned},
		{"Still failing", "Broken in both.", d.StillFailing},
		{"Waivers", "New, changed or gone.", d.Waivers},
		{"Catalogue", "Tests that were added, removed, or ask something else.", d.Catalogue},
	} {
		writeChanges(f, section.title, section.means, section.changes)
	}
	writeDifferences(f, d.Differs)
	_, err := io.WriteString(w, m.String())
	return err
}

func writeChanges(f func(string, ...any), title, means string, changes []report.Change) {
	if len(changes) == 0 {
		return
	}
	f("## %s (%d)\n\n", title, len(changes))
	if means != "" {
		f("%s\n\n", means)
	}
	for i := range changes[:min(len(changes), maxChanges)] {
		c := &changes[i]
		f("- **%s** %s [%s]: %s → %s", prose(show.Brief(c.ID, 100)), code1(show.Brief(c.Name, 200)), prose(c.Level), prose(c.Old), prose(c.New))
		if c.Says != "" {
			f(": %s", code1(show.Brief(c.Says, 300)))
		}
		f("\n")
	}
	if left := len(changes) - maxChanges; left > 0 {
		f("- and %d more, in the JSON form\n", left)
	}
	f("\n")
}

func writeDifferences(f func(string, ...any), all []report.Difference) {
	if len(all) == 0 {
		return
	}
	f("## The runs differ (%d)\n\nWhat changed above may come from this.\n\n| What | Old | New |\n|---|---|---|\n", len(all))
	for i := range all[:min(len(all), maxChanges)] {
		f("| %s | %s | %s |\n", cell(all[i].What), orNone(all[i].Old), orNone(all[i].New))
	}
	f("\n")
}

func sideCounts(s report.Summary) string {
	text := fmt.Sprintf("%d passed, %d failed, %d warned, %d skipped, %d blocked", s.Pass, s.Fail, s.Warn, s.Skip, s.Blocked)
	if s.Waived > 0 {
		text += fmt.Sprintf(", %d waived", s.Waived)
	}
	return text
}

func orNone(text string) string { return cell(cmp.Or(text, "none")) }
