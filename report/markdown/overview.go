// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// What the Markdown form of an overview shows at most, so that it stays under maxBytes: rows of a table, and names in a list.
const (
	maxOverviewRows = 500
	maxNames        = 12
)

// WriteOverview writes an overview for people.
func WriteOverview(w io.Writer, o *overview.Overview) error {
	var m strings.Builder
	f := func(format string, args ...any) { fmt.Fprintf(&m, format, args...) }
	f("# Overview: %s\n\n**%s**\n\n", o.Heading(), prose(show.Ended(o.Because)))
	c := o.Counts
	f("%d passed, %d failed, %d incomplete, %d unreachable, %d unauthorized, %d not played.", c.Pass, c.Fail, c.Incomplete, c.Unreachable, c.Unauthorized, c.Missing)
	if o.StartedAt != nil {
		f(" Played from %s on, in %s.", o.StartedAt.UTC().Format(time.RFC3339), show.Span(o.DurationMS))
	}
	if o.List.Shard != "" {
		f(" This is shard %s of a list of %s.", code1(o.List.Shard), show.Plural(o.List.Targets, "target", "targets"))
	}
	f("\n\n")
	overviewNotes(f, o)
	overviewTargets(f, o)
	for i := range o.Profiles {
		overviewMatrix(f, o, &o.Profiles[i])
	}
	overviewCauses(f, o)
	tests := o.Tests()
	for _, part := range []struct{ by, title, means string }{
		{overview.ByAll, "What all of them break", "Broken at every target where it was measured: look at what the targets have in common."},
		{overview.BySome, "What several break", ""},
		{overview.ByOne, "What only one breaks", "It holds at the others, or was not measured there."},
	} {
		overviewBroken(f, part.title, part.means, o.BrokenBy(part.by), tests, part.by)
	}
	f("## What it was played by\n\n")
	for _, v := range o.Versions() {
		f("- %s\n", code1(v))
	}
	f("- the list of targets: %s, SHA-256 %s\n", show.Plural(o.List.Targets, "target", "targets"), code1(o.List.SHA256))
	_, err := io.WriteString(w, m.String())
	return err
}

func overviewNotes(f func(string, ...any), o *overview.Overview) {
	if len(o.Notes) == 0 {
		return
	}
	f("## About the runs (%d)\n\n", len(o.Notes))
	for _, n := range o.Notes[:min(len(o.Notes), maxOverviewRows)] {
		f("- **%s**: %s\n", prose(n.Kind), prose(n.Text))
	}
	andMore(f, len(o.Notes)-maxOverviewRows)
	f("\n")
}

func overviewTargets(f func(string, ...any), o *overview.Overview) {
	f("## Targets, the worst first\n\n| Target | Verdict | Broken | Measured | Why | Report |\n|---|---|---:|---:|---|---|\n")
	for i := range o.Entries[:min(len(o.Entries), maxOverviewRows)] {
		e := &o.Entries[i]
		name := cell(e.Name)
		if labels := e.LabelText(); labels != "" {
			name += " " + cell(labels)
		}
		measured := fmt.Sprintf("%d/%d", e.Summary.Measured(), e.Summary.Total())
		if e.Summary.Total() == 0 {
			measured = "0"
		}
		reports := "none"
		if len(e.Reports) > 0 {
			reports = cell(e.Reports[0])
		}
		f("| %s | %s | %d | %s | %s | %s |\n", name, cell(e.Heading), e.Summary.Fail, measured, cell(cmp.Or(e.Because, "none")), reports)
	}
	andMore(f, len(o.Entries)-maxOverviewRows)
	f("\n")
}

func overviewMatrix(f func(string, ...any), o *overview.Overview, p *overview.Profile) {
	rows := o.Measured(p.Name)
	if len(rows) == 0 || len(p.Surfaces) == 0 {
		return
	}
	f("## Surfaces of %s\n\n%s\n\n| Target |", prose(p.Name), prose(overview.CellMeans))
	for _, s := range p.Surfaces {
		f(" %s |", cell(s))
	}
	f("\n|---|%s\n", strings.Repeat("---|", len(p.Surfaces)))
	for _, e := range rows[:min(len(rows), maxOverviewRows)] {
		f("| %s |", cell(e.Name))
		for _, s := range p.Surfaces {
			_, text := overview.Cell(e.Surfaces[s])
			if strings.HasPrefix(text, "FAIL") {
				text = "**" + text + "**"
			}
			f(" %s |", text)
		}
		f("\n")
	}
	andMore(f, len(rows)-maxOverviewRows)
	f("\n")
}

func overviewCauses(f func(string, ...any), o *overview.Overview) {
	if len(o.Causes) == 0 {
		return
	}
	f("## Root causes at several targets (%d)\n\n", len(o.Causes))
	for _, c := range o.Causes[:min(len(o.Causes), maxOverviewRows)] {
		f("- **%s**: %s. %s (%s)\n", show.Plural(len(c.Targets), "target", "targets"), prose(strings.TrimSuffix(c.Says, ".")), prose(c.Fix), names(c.Targets))
	}
	andMore(f, len(o.Causes)-maxOverviewRows)
	f("\n")
}

func overviewBroken(f func(string, ...any), title, means string, all []overview.Broken, tests map[[2]string]*overview.Test, by string) {
	if len(all) == 0 {
		return
	}
	f("## %s (%d)\n\n", title, len(all))
	if means != "" {
		f("%s\n\n", means)
	}
	for _, b := range all[:min(len(all), maxOverviewRows)] {
		f("- **%s**", prose(b.ID))
		if t := tests[[2]string{b.Profile, b.ID}]; t != nil {
			f(" %s %s", prose(t.Level), prose(t.Requirement))
		}
		where := fmt.Sprintf("%d of %d: %s", len(b.Targets), b.Measured, names(b.Targets))
		if by == overview.ByOne {
			where = names(b.Targets)
		}
		f(" (%s): %s\n", where, code1(b.Says))
	}
	andMore(f, len(all)-maxOverviewRows)
	f("\n")
}

// names are the first names of targets, as code.
func names(all []string) string {
	var shown []string
	for _, name := range all[:min(len(all), maxNames)] {
		shown = append(shown, code1(name))
	}
	text := strings.Join(shown, ", ")
	if left := len(all) - maxNames; left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text
}

func andMore(f func(string, ...any), left int) {
	if left > 0 {
		f("\nAnd %d more, in the JSON form.\n", left)
	}
}
