// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

func (m *writer) blocked() {
	alone := m.run.Blocks()
	causes := m.run.SharedCauses(report.Blocked)
	above := append(m.run.SharedCauses(report.Fail), m.run.SharedCauses(report.Warn)...)
	above = slices.DeleteFunc(above, func(c report.SharedCause) bool { return len(c.With(report.Blocked)) == 0 })
	n := len(alone) + len(causes) + len(above)
	if n == 0 {
		return
	}
	m.f("## Not measured: blocked (%s, %s)\n\n", show.Plural(m.run.Summary.Blocked, "test", "tests"), show.Plural(n, "root cause", "root causes"))
	m.f("These requirements apply, but what has to work first did not. They are neither kept nor broken: not measured.\n\n")
	m.each(len(above), "root causes", func(i int) { m.aside("blocked test", &above[i], above[i].With(report.Blocked)) })
	if len(above) > 0 {
		m.f("\n")
	}
	m.each(len(causes), "root causes", func(i int) {
		c := &causes[i]
		m.blockedGroup(&report.Group{Key: c.Says, Results: c.Results}, c.Fix)
	})
	if !m.over {
		m.each(len(alone), "root causes", func(i int) { m.blockedGroup(&alone[i], "") })
	}
}

func (m *writer) blockedGroup(g *report.Group, fix string) {
	m.f("### %s blocked by\n\n%s\n", show.Plural(len(g.Results), "test is", "tests are"), fenced("text", show.Clip(g.Key, m.detail.text)))
	if fix != "" {
		m.f("%s\n\n", prose(fix))
	}
	m.f("Blocked: %s\n\n", idList(g.IDs()))
	if text := m.reasons(g); text != "" {
		m.fold("What each of them met", fenced("text", text))
	}
	m.evidence("The exchange of "+g.Results[0].ID, g.Results[0])
	m.again(g.Results[0])
}

// reasons lists what each result of a group says beyond what the group shares.
func (m *writer) reasons(g *report.Group) string {
	var b strings.Builder
	for i, r := range g.Results {
		if i == 200 {
			fmt.Fprintf(&b, "… and %d more, in the JSON report\n", len(g.Results)-i)
			break
		}
		if r.Reason != nil && r.Reason.Detail != "" && r.Reason.Detail != g.Key {
			fmt.Fprintf(&b, "%s: %s\n", show.OneLine(r.ID), show.Brief(r.Reason.Detail, 600))
		}
	}
	return b.String()
}

// notes writes what the run observed without judging it, each note once with the tests that made it.
func (m *writer) notes() {
	notes := m.run.Notes()
	if len(notes) == 0 {
		return
	}
	m.f("## Notes (%d)\n\nObserved and worth knowing; no judgement.\n\n", len(notes))
	m.each(len(notes), "notes", func(i int) {
		text := code1(notes[i].Key)
		if notes[i].InWords {
			text = prose(notes[i].Key)
		}
		m.f("- %s (%s)\n", text, idList(notes[i].IDs()))
	})
	m.f("\n")
}

func (m *writer) skips() {
	groups := m.run.Skips()
	m.f("## Not measured: skipped (%d)\n\n", m.run.Summary.Skip)
	if len(groups) == 0 {
		m.f("Nothing was skipped.\n\n")
	} else {
		m.f("Not measured: these requirements do not apply to this target, or something that they need is not configured. `%s explain REASON` says more of each reason.\n\n", phrases.ToolName)
	}
	slices.SortStableFunc(groups, func(a, b report.Group) int { return len(b.Results) - len(a.Results) })
	var open, closed []report.Group
	for _, g := range groups {
		if strings.HasPrefix(remedy(g.Key), nothingToConfigure) {
			closed = append(closed, g)
		} else {
			open = append(open, g)
		}
	}
	m.each(len(open), "reasons", func(i int) { m.skipGroup(&open[i]) })
	if len(closed) > 0 {
		m.f("\nNothing can be configured so that these are measured:\n\n")
	}
	if !m.over {
		m.each(len(closed), "reasons", func(i int) { m.skipGroup(&closed[i]) })
	}
	apart := slices.DeleteFunc(slices.Clone(m.run.Budget), func(b report.Budget) bool {
		return slices.ContainsFunc(groups, func(g report.Group) bool { return g.Key == b.Code })
	})
	m.each(len(apart), "budgets", func(i int) {
		m.f("- %s: %d of %d that the budget allows", code1(apart[i].Code), apart[i].Used, apart[i].Most)
		if apart[i].Used > apart[i].Most {
			m.f(" (**exceeded**)")
		}
		m.f("\n")
	})
	m.f("\n")
}

// nothingToConfigure begins what is said of a skip that nobody can do anything about.
const nothingToConfigure = "nothing to configure: "

// fewIDs stand in front of what is said of their tests.
const fewIDs = 8

func (m *writer) skipGroup(g *report.Group) {
	m.f("- %s: %s", code1(g.Key), show.Plural(len(g.Results), "test", "tests"))
	what := remedy(g.Key)
	if r := g.Results[0].Reason; r != nil && (strings.Contains(r.Detail, "configuration file") || strings.Contains(r.Detail, "--")) {
		what = "" // the reason says it more exactly
	}
	if lacking := phrases.Lacking(g.Key); what == "" && lacking != g.Key {
		m.f(" %s", prose(lacking))
	}
	switch b := m.run.BudgetFor(g.Key); {
	case b == nil:
	case b.Code == g.Key:
		m.f(", the budget allows %d", b.Most)
		if b.Used > b.Most {
			m.f(" (**exceeded**)")
		}
	default:
		m.f(", counted under %s", code1(b.Code))
	}
	if what != "" {
		if is, nothing := strings.CutPrefix(what, nothingToConfigure); nothing {
			m.f(": %s", is)
		} else {
			m.f(". To measure: %s", what)
		}
	}
	m.f(".\n")
	details := report.GroupResults(g.Results, func(r *report.Result) string {
		if r.Reason == nil || r.Reason.Detail == g.Key {
			return ""
		}
		return r.Reason.Detail
	})
	for i, d := range details {
		if i == 8 {
			m.f("  - and %s, in the JSON report\n", show.Plural(len(details)-i, "more reason of this kind", "more reasons of this kind"))
			break
		}
		ids, what := idList(d.IDs()), advice(show.Brief(strings.TrimSuffix(d.Key, "."), 400))
		switch {
		case d.Key == "":
			m.f("  - %s\n", ids)
		case len(d.Results) > fewIDs: // nobody finds what stands behind them
			m.f("  - %d tests: %s (%s)\n", len(d.Results), what, ids)
		default:
			m.f("  - %s: %s\n", ids, what)
		}
	}
}

func (m *writer) waivers() {
	waived := m.results((*report.Result).Waived)
	if len(waived) == 0 {
		return
	}
	m.f("## Waived failures (%d)\n\nBroken requirements that the operator's baseline accepts for now.\n\n", len(waived))
	m.each(len(waived), "waived failures", func(i int) {
		r := waived[i]
		w := r.Waiver
		m.f("- **%s** %s: %s", prose(r.ID), code1(r.Name), prose(w.Reason))
		for _, part := range [][2]string{{"owner", w.Owner}, {"issue", w.Issue}, {"expires", w.Expires}} {
			if part[1] != "" {
				m.f("; %s %s", part[0], code1(part[1]))
			}
		}
		m.f("\n\n")
		m.f("%s\n", fenced("text", m.findings(r.Findings)))
	})
}

// idList is ids as prose, bounded.
func idList(ids []string) string { return prose(show.FirstOf(ids, 150)) }

// remedy says what the operator can do about skips for a reason.
func remedy(code string) string {
	text, name := phrases.Remedy(code)
	return strings.Replace(text, "`$`", code1(name), 1)
}
