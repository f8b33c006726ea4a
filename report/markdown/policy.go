// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// policies writes what the operator asked of the run beyond the contract, and what came of it. What is waived has a
// section of its own.
func (m *writer) policies() {
	all := m.run.Policies
	if len(all) == 0 {
		return
	}
	m.f("## Policy\n\nWhat the operator asks of the run beyond the contract.\n\n")
	m.each(len(all), "policies", func(i int) { m.policy(&all[i]) })
	m.f("\n")
}

func (m *writer) policy(p *report.Policy) {
	m.f("- %s (%s): ", code1(p.Name), prose(p.Kind))
	if p.Met {
		m.f("met")
	} else {
		m.f("**not met**")
	}
	if counts := phrases.EntryCounts(p.Entries); counts != "" {
		m.f("; %s", counts)
	}
	if p.SHA256 != "" {
		m.f("; SHA-256 %s", code1(p.SHA256))
	}
	m.f("\n")
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Status != report.EntryWaived {
			m.f("  - %s: %s. Reason: %s\n", prose(string(e.Status)), prose(show.Brief(e.Says, 400)), prose(show.Brief(e.Reason, 400)))
		}
	}
}
