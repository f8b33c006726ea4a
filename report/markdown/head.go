// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// verdict writes what a reader who stops after ten lines has to know.
func (m *writer) verdict() {
	r := m.run
	m.f("# %s: %s\n\n", prose(show.Brief(r.ShortHeading(), 200)), prose(show.Brief(phrases.Title(r), 200)))
	m.f("**%s**\n\n%s.\n\n", prose(r.Because), prose(r.Summary.InWords()))
	m.foremost()
	if len(r.Partial) > 0 {
		m.f("**PARTIAL**: this run covers less than the whole profile (%s). It is no verdict on the profile.\n\n", prose(strings.Join(r.Partial, ", ")))
	}
	if r.Diagnostic != "" {
		m.f("**DIAGNOSTIC**: what the target said was read as something else than the contract (%s). It is no verdict on the profile.\n\n", prose(r.Diagnostic))
	}
	for _, p := range phrases.FirstLines(r.Policy) {
		m.f("- **Policy not met:** %s\n", prose(show.Brief(p, 300)))
	}
	for _, w := range phrases.FirstLines(r.Warnings) {
		m.f("- **About this run:** %s\n", prose(show.Brief(w, 300)))
	}
	if r.Machine != "" {
		m.f("- **A busy machine:** %s\n", prose(r.Machine))
	}
	if r.Late != nil {
		m.f("- **Not in time:** %s.\n", prose(r.Late.Says))
	}
	if m.shortened {
		m.f("- **Shortened** to stay under %s: %s. The JSON report is whole.\n", show.Size(maxBytes), m.shortening())
	}
	if len(r.Policy)+len(r.Warnings)+len(r.Machine) > 0 || r.Late != nil || m.shortened {
		m.f("\n")
	}
	m.answers()
}

// answers writes what a reviewer asks first.
func (m *writer) answers() {
	m.f("| | |\n|---|---|\n")
	for _, a := range phrases.Answers(m.run) {
		m.f("| %s | ", a.Question)
		for i, part := range a.Parts {
			if i > 0 {
				m.f(" ")
			}
			if part.Code {
				m.f("%s", cell(part.Text))
			} else {
				m.f("%s", strings.ReplaceAll(prose(show.Brief(part.Text, 600)), "|", `\|`))
			}
		}
		m.f(" |\n")
	}
	m.f("\n")
}

func (m *writer) shortening() string {
	d := m.detail
	text := fmt.Sprintf("exchanges show at most %d entries with %s of each body, tests at most %d findings", d.entries, show.Size(d.bytes), d.findings)
	if d.entries == 0 {
		text = fmt.Sprintf("all exchanges are left out, tests show at most %d findings", d.findings)
	}
	if m.leftOut > 0 {
		text += fmt.Sprintf("; %s, marked in their places", show.Plural(m.leftOut, "item is left out", "items are left out"))
	}
	return text
}

func (m *writer) identity() {
	r := m.run
	m.f("## Details of the run\n\n| | |\n|---|---|\n")
	for _, row := range phrases.Identity(r) {
		m.f("| %s | %s |\n", row[0], cell(row[1]))
	}
	m.each(len(r.Flags), "flags", func(i int) {
		m.f("| %s | %s |\n", cell("--"+strings.TrimLeft(r.Flags[i].Name, "-")), cell(r.Flags[i].Value))
	})
	m.f("\n")
}

func (m *writer) preflight() {
	if len(m.run.Preflight) == 0 {
		return
	}
	m.f("## Before the tests\n\n%s\n", fenced("text", m.findings(m.run.Preflight)))
}

func (m *writer) surfaces() {
	m.f("## Surfaces\n\n")
	groups := m.run.Surfaces()
	if len(groups) == 0 {
		m.f("No test was run.\n\n")
		return
	}
	m.f("| Surface | Pass | Fail | Warn | Skip | Blocked | Waived | Time | of it waiting |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	m.each(len(groups), "surfaces", func(i int) {
		var s report.Summary
		var took, waited int64
		for _, result := range groups[i].Results {
			s.Add(result)
			took += result.DurationMS
			waited += result.WaitMS
		}
		name := cell(groups[i].Key)
		switch {
		case s.Fail > 0:
			name = "**FAIL** " + name
		case s.Measured() == 0:
			name += " **nothing measured**"
		}
		m.f("| %s | %d | %d | %d | %d | %d | %d | %s | %s |\n", name, s.Pass, s.Fail, s.Warn, s.Skip, s.Blocked, s.Waived, show.Span(took), show.Span(waited))
	})
	s := m.run.Summary
	m.f("| all | %d | %d | %d | %d | %d | %d | | |\n\n", s.Pass, s.Fail, s.Warn, s.Skip, s.Blocked, s.Waived)
	m.f("Times are sums over tests that ran side by side. Passing tests are counted here and listed in the JSON report.\n\n")
}
