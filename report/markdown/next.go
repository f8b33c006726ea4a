// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// next writes what the operator can configure so that more is measured.
func (m *writer) next() {
	n := m.run.Next
	if n == nil {
		return
	}
	m.f("## %s\n\n", phrases.NextTitle)
	if line := m.run.NextInOneLine(); line != "" {
		m.f("More is measured **%s**.\n\n", prose(show.Brief(line, 600)))
	}
	m.steps(n.Steps)
	if len(n.IfTrue) > 0 {
		m.f("%s\n\n", phrases.NextIfTrue)
		m.steps(n.IfTrue)
	}
	if len(n.Cases) > 0 {
		m.f("%s\n\n| Configure | More cases of | What it is |\n|---|---|---|\n", phrases.NextCases)
		m.each(len(n.Cases), "steps", func(i int) {
			s := &n.Cases[i]
			m.f("| %s | %s | %s |\n", proseCell(s.Title()), proseCell(show.FirstOf(s.Tests, 150)), proseCell(s.What))
		})
		m.f("\n")
	}
	m.f("%s\n\n", phrases.NextLimits)
	if n.Lines != "" {
		m.fold(phrases.NextLines, fenced("yaml", show.Clip(n.Lines, m.detail.text)))
	}
}

func (m *writer) steps(steps []report.Step) {
	if len(steps) == 0 {
		return
	}
	m.f("| Configure | Adds | Then measured | What it is |\n|---|--:|---|---|\n")
	m.each(len(steps), "steps", func(i int) {
		s := &steps[i]
		m.f("| %s | +%d | %s | %s |\n", proseCell(s.Title()), s.Adds, prose(m.run.ShareWith(s)), proseCell(s.What))
	})
	m.f("\n")
}

// proseCell is a text of few words inside a table.
func proseCell(text string) string {
	text = show.Brief(text, 300)
	if text == "" || strings.ContainsAny(text, "`|\\") {
		return cell(text)
	}
	return prose(text)
}
