// SPDX-License-Identifier: Apache-2.0

package html

import (
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A nextView is what the operator can configure so that more is measured.
type nextView struct {
	Line          string
	Steps, IfTrue []stepView
	Cases         []stepView
	Lines         string
}

// A stepView is a row of it.
type stepView struct {
	Title, What, Measured string
	Adds                  int
	Tests                 string
}

// next is nil where nothing can be configured.
func (h *builder) next() *nextView {
	n := h.run.Next
	if n == nil {
		return nil
	}
	rows := func(steps []report.Step) []stepView {
		all := make([]stepView, min(len(steps), maxSteps))
		for i := range all {
			s := &steps[i]
			all[i] = stepView{show.Brief(s.Title(), 300), show.Brief(s.What, 300), h.run.ShareWith(s), s.Adds, show.FirstOf(s.Tests, 150)}
		}
		return all
	}
	return &nextView{Line: show.Brief(h.run.NextInOneLine(), 600), Steps: rows(n.Steps), IfTrue: rows(n.IfTrue), Cases: rows(n.Cases), Lines: show.Visible(show.Clip(n.Lines, 8<<10))}
}

// maxSteps are shown; a report that somebody else wrote may have any number.
const maxSteps = 200

func (p *page) whatNext() node {
	n := p.Next
	if n == nil {
		return nil
	}
	table := func(name string, steps []stepView) node {
		return when(len(steps) > 0, wide(name, el("table", nil,
			el("thead", nil, el("tr", nil, columns([]string{"Configure"}, "Adds"), columns([]string{"Then measured", "What it is"}))),
			el("tbody", nil, each(steps, func(s stepView) node {
				return el("tr", nil, el("th", attrs{"scope", "row"}, chars(s.Title)), el("td", class("n"), chars("+"), number(s.Adds)),
					el("td", nil, chars(s.Measured)), el("td", class("why"), chars(s.What)))
			})))))
	}
	return section("next", phrases.NextTitle, when(n.Line != "", para(nil, chars("More is measured "), strong(n.Line), chars("."))), table("Steps", n.Steps),
		when(len(n.IfTrue) > 0, para(nil, chars(phrases.NextIfTrue)), table("Statements", n.IfTrue)), moreCases(n.Cases), para(class("aside"), chars(phrases.NextLimits)),
		when(n.Lines != "", el("details", nil, el("summary", nil, chars(phrases.NextLines)), typed(n.Lines))))
}

// moreCases are what adds no requirement, but cases of some.
func moreCases(steps []stepView) node {
	return when(len(steps) > 0, para(nil, chars(phrases.NextCases)), wide("Cases", el("table", nil,
		el("thead", nil, el("tr", nil, columns([]string{"Configure", "More cases of", "What it is"}))),
		el("tbody", nil, each(steps, func(s stepView) node {
			return el("tr", nil, el("th", attrs{"scope", "row"}, chars(s.Title)), el("td", nil, chars(s.Tests)), el("td", class("why"), chars(s.What)))
		})))))
}
