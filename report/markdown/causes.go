// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// mend lists what a reader will mend, what breaks most first, for who reads no further. Each stands in full below; a single one
// needs no list.
func (m *writer) mend(broken []*report.Result) {
	causes := m.run.SharedCauses(report.Fail)
	alone := slices.DeleteFunc(slices.Clone(broken), func(r *report.Result) bool { return r.Cause != "" })
	if len(causes)+len(alone) < 2 {
		return
	}
	m.each(len(causes), "root causes", func(i int) {
		c := &causes[i]
		g := report.Group{Results: c.With(report.Fail)}
		m.f("%d. **%s** %s (%s: %s): %s\n", i+1, prose(show.Ended(show.Clip(c.Says, 500))), prose(show.Clip(c.Fix, 500)), c.Counts(), idList(g.IDs()),
			code1(show.Brief(phrases.Short(g.Results[0]), 200)))
	})
	m.each(len(alone), "failures", func(i int) {
		r := alone[i]
		m.f("%d. **%s** %s %s: %s\n", len(causes)+i+1, prose(r.ID), prose(r.Level), prose(show.Brief(strings.TrimSuffix(r.Requirement, "."), 300)), code1(show.Brief(phrases.Short(r), 500)))
	})
	m.f("\n")
}

// cause writes a root cause: what the target does, what to change, the tests, one of them in full and the others in short.
func (m *writer) cause(c *report.SharedCause) {
	m.f("### %s, one root cause\n\n", c.Counts())
	m.f("**%s** %s\n\n", prose(show.Ended(show.Clip(c.Says, 2000))), prose(c.Fix))
	worst := c.With(c.Worst())
	if route := phrases.SharedBy(c); route != "" {
		m.f("All of them were seen at %s.\n\n", code1(route))
	}
	first := worst[0]
	m.broken("####", first)
	others := slices.DeleteFunc(append(slices.Clone(worst[1:]), less(c)...), (*report.Result).Blocked)
	if len(others) > 0 {
		m.f("The others that met it:\n\n")
		m.each(len(others), "tests", func(i int) { m.short(others[i]) })
		m.f("\n")
	}
	m.blockedBy(c)
}

// less are the results whose outcome is not the worst, in order of weight.
func less(c *report.SharedCause) []*report.Result {
	if c.Worst() == report.Fail {
		return c.With(report.Warn)
	}
	return nil
}

// short is a result of a cause that is shown in full by another one: the requirement, what was found, how to see it again.
func (m *writer) short(r *report.Result) {
	m.f("- **%s** %s", prose(r.ID), prose(r.Level))
	if r.Outcome == report.Warn {
		m.f(" (a warning)")
	}
	m.f(" %s: %s; again with %s\n", prose(show.Brief(strings.TrimSuffix(r.Requirement, "."), 400)), code1(show.Brief(phrases.Short(r), 300)), code1("--run "+r.ID))
}

// blockedBy lists the tests that a cause blocks besides what it breaks.
func (m *writer) blockedBy(c *report.SharedCause) {
	blocked := c.With(report.Blocked)
	if len(blocked) == 0 {
		return
	}
	g := report.Group{Key: c.Says, Results: blocked}
	m.f("Blocked by it, and so neither kept nor broken: %s\n\n", idList(g.IDs()))
	if text := m.reasons(&g); text != "" {
		m.fold("What each of them met", fenced("text", text))
	}
}

// aside says where results stand that are counted here and shown with their cause above.
func (m *writer) aside(what string, c *report.SharedCause, results []*report.Result) {
	if len(results) == 0 {
		return
	}
	g := report.Group{Results: results}
	stands := map[bool]string{true: "stands", false: "stand"}[len(results) == 1]
	m.f("- %s %s with a root cause above, %s: %s\n", show.Plural(len(results), what, what+"s"), stands, prose(show.Brief(c.Says, 300)), idList(g.IDs()))
}
