// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites/sources"
)

func (m *writer) failures() {
	results := m.results(func(r *report.Result) bool { return r.Outcome == report.Fail && !r.Waived() })
	if len(results) == 0 && m.run.Summary.Warn > 0 { // warnings are what a reader will mend
		return
	}
	m.f("## What is broken (%d)\n\n", len(results))
	if len(results) == 0 {
		m.f("%s\n\n", phrases.NothingBroken(m.run))
	}
	if all := phrases.ToMend(m.run); len(all) > phrases.Foremost(len(all)) { // more than stands before everything else
		m.mend(all, len(all), false)
	}
	m.folded(m.run.SharedCauses(report.Fail), results, "failures")
}

func (m *writer) warnings() {
	warned := m.results(func(r *report.Result) bool { return r.Outcome == report.Warn })
	if len(warned) == 0 {
		return
	}
	m.f("## Warnings (%d)\n\n", len(warned))
	if m.run.Summary.Fail == 0 {
		m.f("%s ", phrases.NothingBroken(m.run))
	}
	m.f("Recommendations (SHOULD) that are not followed, and deviations that a ruling softens. They do not fail the run.\n\n")
	if all := phrases.Warned(m.run); len(all) > phrases.Foremost(len(all)) {
		m.mend(all, len(all), false)
	}
	above := m.run.SharedCauses(report.Fail)
	before := m.Len()
	m.each(len(above), "root causes", func(i int) { m.aside("warning", &above[i], above[i].With(report.Warn)) })
	if m.Len() > before {
		m.f("\n")
	}
	m.folded(m.run.SharedCauses(report.Warn), warned, "warnings")
}

// folded writes the causes of a section, and then its results that belong to none.
func (m *writer) folded(causes []report.SharedCause, results []*report.Result, what string) {
	alone := slices.DeleteFunc(slices.Clone(results), func(r *report.Result) bool { return r.Cause != "" })
	report.LateLast(alone)
	if len(causes) > 1 || len(causes) == 1 && len(alone) > 0 { // one alone says it in its heading
		n := 0
		for i := range causes {
			n += len(causes[i].With(results[0].Outcome))
		}
		m.f("%s %s, which %s first.\n\n", map[bool]string{true: "One of them, with what it blocks, has", false: strconv.Itoa(n) + " of them have"}[n == 1],
			show.Plural(len(causes), "root cause", "root causes"), map[bool]string{true: "comes", false: "come"}[len(causes) == 1])
	}
	m.each(len(causes), "root causes", func(i int) { m.cause(&causes[i]) })
	if !m.over {
		m.each(len(alone), what, func(i int) { m.broken("###", alone[i]) })
	}
}

// broken writes everything about one requirement that does not hold.
func (m *writer) broken(heading string, r *report.Result) {
	m.f("%s %s %s\n\n", heading, prose(r.ID), code1(r.Name))
	m.f("**%s** %s\n\n", prose(r.Level), prose(r.Requirement))
	m.f("Source: %s. Surface %s, suite %s.", m.source(r.Source), code1(r.Surface), code1(r.Suite))
	if to := r.DocsLink(); to != "" {
		m.f(" [%s in the documentation](%s).", prose(r.ID), to)
	}
	m.f("\n\n")
	m.f("%s\n", fenced("text", m.findings(r.Findings)))
	if held := phrases.HeldIn(r); held != "" {
		m.f("%s\n\n", prose(held))
	}
	for _, one := range phrases.Readings(m.run, r) {
		m.f("How the contract is read here (ruling %s): %s\n\n", prose(one.Of), prose(one.Says))
	}
	m.evidence("The exchange", r)
	m.again(r)
	m.faults(r)
}

// source is a requirement's source, with links to where what is public stands.
func (m *writer) source(text string) string {
	return sources.Text(strings.TrimSuffix(text, "."), func(text, url string) string { return "[" + prose(text) + "](" + url + ")" }, between)
}

// between is what stands between two links, with the spaces at its ends.
func between(text string) string {
	inside := strings.TrimSpace(text)
	if inside == "" {
		return text
	}
	before, after, _ := strings.Cut(text, inside)
	return before + prose(inside) + after
}

// findings writes findings as text: where, the sentence, and its two sides.
func (m *writer) findings(findings []report.Finding) string {
	if len(findings) == 0 {
		return "no finding was recorded"
	}
	var b strings.Builder
	findings = phrases.Alike(findings)
	shown := min(len(findings), m.detail.findings)
	for i := range findings[:shown] {
		b.WriteString(phrases.Finding(&findings[i], m.detail.text))
	}
	if left := len(findings) - shown; left > 0 {
		fmt.Fprintf(&b, "… and %s, in the JSON report\n", show.Plural(left, "more finding", "more findings"))
	}
	return b.String()
}

// ofLate is how many entries are shown of an exchange of which nothing is known but that something did not come in time.
const ofLate = 16

func (m *writer) evidence(title string, r *report.Result) {
	switch {
	case len(r.Evidence) == 0:
		return
	case m.detail.entries == 0:
		m.f("%s (%s) is left out here for size; the JSON report has it.\n\n", prose(title), show.Plural(len(r.Evidence), "entry", "entries"))
		return
	}
	m.cards.Whole, m.cards.ID = m.detail.card, r.ID
	entries := m.detail.entries
	if r.Late() {
		entries = min(entries, ofLate)
	}
	cut := phrases.Cut{Entries: entries, Bytes: m.detail.bytes, Cards: &m.cards, Clues: phrases.CluesOf(r)}
	if f := r.Decisive(); f != nil {
		cut.Actor = f.Actor
	}
	judged, all := phrases.Judged(phrases.WithoutRepeats(phrases.Telling(r)))
	if len(judged) > 0 {
		m.fold("What was asked, and the answer that this is about", fenced("http", phrases.Exchange(judged, cut)))
	}
	m.fold(fmt.Sprintf("%s (%s)", html.EscapeString(show.OneLine(title)), show.Plural(len(r.Evidence), "entry", "entries")), fenced("http", phrases.Exchange(all, cut)))
}

// again writes how to see it again.
func (m *writer) again(r *report.Result) {
	text := phrases.Rerun(m.run, r)
	if curls := phrases.Curls(r); len(curls) > 0 {
		text += "\n# by hand:"
		for i, curl := range curls {
			if i == phrases.MaxCurls {
				text += fmt.Sprintf("\n# and %s, in the JSON report", show.Plural(len(curls)-i, "more request", "more requests"))
				break
			}
			text += "\n" + show.Clip(curl, max(m.detail.bytes, 1<<10))
		}
	}
	m.f("See it again:\n\n%s\n", fenced("sh", text))
}

// maxFaults are named: one is enough to compare with.
const maxFaults = 3

// faults names the faults that make the reference executor misbehave in the same way.
func (m *writer) faults(r *report.Result) {
	if len(r.Faults) == 0 {
		return
	}
	m.f("To compare with, a server that breaks this requirement on purpose: %s", code1(phrases.ToolName+" reference --fault "+r.Faults[0]))
	for _, fault := range r.Faults[1:min(len(r.Faults), maxFaults)] {
		m.f(", or %s", code1(fault))
	}
	if more := len(r.Faults) - maxFaults; more > 0 {
		m.f(", or %s, which %s names", show.Plural(more, "other fault", "other faults"), code1(phrases.ToolName+" explain "+r.ID))
	}
	m.f(".\n\n")
}
