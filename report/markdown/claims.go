// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// claims writes what the card declares against what was measured of it.
func (m *writer) claims() {
	var declared, seen []*report.Claim
	for i := range m.run.Claims {
		c := &m.run.Claims[i]
		switch {
		case c.Declared:
			declared = append(declared, c)
		case c.Seen:
			seen = append(seen, c)
		}
	}
	m.f("## Claims audit\n\n")
	if len(declared) == 0 {
		m.f("No claim of the agent card is known: it declares none, or it was not read.\n\n")
	} else {
		m.f("%d of %d declared claims were measured.\n\n", measuredClaims(declared), len(declared))
		m.f("| Declared | Kind | Measured | Tests | Passed | Failed | Warned | Not measured | Why not |\n|---|---|---|--:|--:|--:|--:|--:|---|\n")
		m.each(len(declared), "claims", func(i int) { m.claim(declared[i]) })
		m.f("\n")
	}
	if len(seen) == 0 {
		return
	}
	m.f("Seen, though the card does not declare it:\n\n")
	m.each(len(seen), "undeclared claims", func(i int) { m.f("- %s %s\n", prose(seen[i].Kind), code1(seen[i].Name)) })
	m.f("\n")
}

func (m *writer) claim(c *report.Claim) {
	why := ""
	if len(c.Why) > 0 {
		why = cell(show.FirstOf(c.Why, 3))
	}
	verdict := phrases.ClaimVerdict(c)
	if verdict != "holds" && verdict != "in part" {
		verdict = "**" + verdict + "**"
	}
	m.f("| %s | %s | %s | %d | %d | %d | %d | %d | %s |\n",
		cell(c.Name), prose(c.Kind), verdict, len(c.Tests), c.Passed, c.Failed, c.Warned, c.Unmeasured, why)
}

func measuredClaims(claims []*report.Claim) int {
	n := 0
	for _, c := range claims {
		if c.Passed+c.Failed+c.Warned > 0 {
			n++
		}
	}
	return n
}
