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

// foremost lists the first things that a reader will mend, before anything else is said of the run: who has to mend them reads no further.
// Where nothing is broken these are the warnings; otherwise they follow in short.
func (m *writer) foremost() {
	broken, warned := phrases.ToMend(m.run), phrases.Warned(m.run)
	m.mend(broken, phrases.Foremost(len(broken)), false)
	if len(warned) == 0 {
		return
	}
	m.f("**%s** %s\n\n", show.Plural(len(warned), "warning", "warnings"), phrases.NoFailures(len(warned)))
	m.mend(warned, phrases.Foremost(len(warned)), len(broken) > 0)
}

// mend lists so many of the things that a reader will mend, or in short what stands behind things that matter more.
func (m *writer) mend(all []phrases.Mend, most int, inShort bool) {
	m.each(min(len(all), most), "things to mend", func(i int) {
		if inShort {
			m.f("- %s\n", toMend(all[i].InShort()))
			return
		}
		m.f("%d. %s\n", i+1, toMend(all[i]))
	})
	if more := len(all) - most; more > 0 {
		m.f("\nAnd %d more, listed below.\n", more)
	}
	if len(all) > 0 {
		m.f("\n")
	}
}

// toMend is one thing to mend, on a line.
func toMend(one phrases.Mend) string {
	lead := "**" + prose(one.Lead) + "**"
	if one.Result != nil && one.Result.DocsLink() != "" {
		lead = "**[" + prose(one.Lead) + "](" + one.Result.DocsLink() + ")**"
	}
	return fmt.Sprintf("%s %s: %s%s", lead, prose(one.Text), one.Case.In(code1), code1(one.Seen))
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
	if slices.Contains(worst, c.Lead) {
		first = c.Lead
	}
	others := slices.DeleteFunc(append(slices.Clone(worst), less(c)...), func(r *report.Result) bool { return r == first || r.Blocked() })
	if len(others) > 0 {
		m.f("%s stands below in full. The others that met it:\n\n", prose(first.ID))
		m.each(len(others), "tests", func(i int) { m.short(others[i]) })
		m.f("\n")
	}
	m.broken("####", first)
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
	m.f(" %s: %s%s; again with %s\n", prose(show.Brief(strings.TrimSuffix(r.Requirement, "."), 400)), phrases.CaseOf(r).In(code1),
		code1(show.Brief(phrases.SeenPlainly(r), 300)), code1("--run "+r.ID))
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
