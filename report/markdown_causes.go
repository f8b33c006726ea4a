// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A folded is a cause with its results.
type folded struct {
	*Cause
	results []*Result
}

// folded are the causes whose worst result has that outcome, the largest first.
func (r *Run) folded(worst Outcome) []folded {
	of := map[string][]*Result{}
	for i := range r.Results {
		if id := r.Results[i].Cause; id != "" {
			of[id] = append(of[id], &r.Results[i])
		}
	}
	var all []folded
	for i := range r.Causes {
		c := folded{&r.Causes[i], of[r.Causes[i].ID]}
		if c.worst() == worst {
			all = append(all, c)
		}
	}
	return all
}

// worst is the outcome that decides in which section a cause stands.
func (c *folded) worst() Outcome {
	for _, o := range []Outcome{Fail, Warn} {
		if len(c.with(o)) > 0 {
			return o
		}
	}
	return Blocked
}

// with are the results that have the outcome.
func (c *folded) with(o Outcome) []*Result {
	var some []*Result
	for _, r := range c.results {
		if r.Outcome == o || o == Blocked && isBlocked(r) {
			some = append(some, r)
		}
	}
	return some
}

// mend lists what a reader will mend, what breaks most first, for who reads no further. Each stands in full under the failures.
func (m *markdown) mend() {
	causes := m.run.folded(Fail)
	if len(causes) == 0 {
		return
	}
	m.f("## What to mend\n\n")
	m.each(len(causes), "root causes", func(i int) {
		c := &causes[i]
		g := group{results: c.with(Fail)}
		m.f("%d. **%s** %s (%s: %s)\n", i+1, prose(ended(show.Clip(c.Says, 500))), prose(show.Clip(c.Fix, 500)), c.counts(), idList(g.ids()))
	})
	alone := group{}
	for i := range m.run.Results {
		if r := &m.run.Results[i]; r.Outcome == Fail && !r.Waived() && r.Cause == "" {
			alone.results = append(alone.results, r)
		}
	}
	if len(alone.results) > 0 {
		m.f("\n%s with nothing else: %s\n", map[bool]string{true: "One more failure shares its reason", false: fmt.Sprintf("%d more failures share their reasons", len(alone.results))}[len(alone.results) == 1], idList(alone.ids()))
	}
	m.f("\n")
}

// Counts says how many tests of each outcome met the cause: "12 failures, 1 warning and 141 blocked tests".
func (c *Cause) Counts(run *Run) string {
	met := folded{Cause: c}
	for i := range run.Results {
		if run.Results[i].Cause == c.ID {
			met.results = append(met.results, &run.Results[i])
		}
	}
	return met.counts()
}

func (c *folded) counts() string {
	var parts []string
	for _, part := range []struct {
		outcome   Outcome
		one, many string
	}{{Fail, "failure", "failures"}, {Warn, "warning", "warnings"}, {Blocked, "blocked test", "blocked tests"}} {
		if n := len(c.with(part.outcome)); n > 0 {
			parts = append(parts, show.Plural(n, part.one, part.many))
		}
	}
	if n := len(parts); n > 1 {
		parts = append(parts[:n-2], parts[n-2]+" and "+parts[n-1])
	}
	return strings.Join(parts, ", ")
}

// cause writes a root cause: what the target does, what to change, the tests, one of them in full and the others in short.
func (m *markdown) cause(c *folded) {
	m.f("### %s, one root cause\n\n", c.counts())
	m.f("**%s** %s\n\n", prose(ended(show.Clip(c.Says, 2000))), prose(c.Fix))
	worst := c.with(c.worst())
	first := worst[0]
	m.broken("####", first)
	others := slices.DeleteFunc(append(slices.Clone(worst[1:]), c.less()...), isBlocked)
	if len(others) > 0 {
		m.f("The others that met it:\n\n")
		m.each(len(others), "tests", func(i int) { m.short(others[i]) })
		m.f("\n")
	}
	m.blockedBy(c)
}

// ended is a sentence with a capital and an end.
func ended(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return s
	}
	r, width := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[width:]
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}

// less are the results whose outcome is not the worst, in order of weight.
func (c *folded) less() []*Result {
	if c.worst() == Fail {
		return c.with(Warn)
	}
	return nil
}

// short is a result of a cause that is shown in full by another one: the requirement, what was found, how to see it again.
func (m *markdown) short(r *Result) {
	m.f("- **%s** %s", prose(r.ID), prose(r.Level))
	if r.Outcome == Warn {
		m.f(" (a warning)")
	}
	m.f(" %s: %s; again with %s\n", prose(show.Brief(strings.TrimSuffix(r.Requirement, "."), 400)), code1(show.Brief(r.inShort(), 300)), code1("--run "+r.ID))
}

// inShort is the finding that decides the outcome, with what was asked, on one line.
func (r *Result) inShort() string {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != r.Outcome {
			continue
		}
		if f.Route == "" {
			return f.sentence()
		}
		return f.Route + ": " + f.sentence()
	}
	return headline(r)
}

// blockedBy lists the tests that a cause blocks besides what it breaks.
func (m *markdown) blockedBy(c *folded) {
	blocked := c.with(Blocked)
	if len(blocked) == 0 {
		return
	}
	g := group{key: c.Says, results: blocked}
	m.f("Blocked by it, and so neither kept nor broken: %s\n\n", idList(g.ids()))
	if text := m.reasons(&g); text != "" {
		m.fold("What each of them met", fenced("text", text))
	}
}

// aside says where results stand that are counted here and shown with their cause above.
func (m *markdown) aside(what string, c *folded, results []*Result) {
	if len(results) == 0 {
		return
	}
	g := group{results: results}
	stands := map[bool]string{true: "stands", false: "stand"}[len(results) == 1]
	m.f("- %s %s with a root cause above, %s: %s\n", show.Plural(len(results), what, what+"s"), stands, prose(show.Brief(c.Says, 300)), idList(g.ids()))
}
