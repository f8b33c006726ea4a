// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A card may declare thousands of extensions, and the audit comes when the time of the run is up.
func BenchmarkAuditOfManyClaims(b *testing.B) {
	tests := make([]*suites.Test, 500)
	for i := range tests {
		tests[i] = &suites.Test{ID: fmt.Sprintf("T-%03d", i), Applies: suites.Applies{Claims: []string{"streaming", "runtime/v1"}}, At: suites.Position{File: "tasks.yaml"}}
	}
	card := &readers.Card{}
	for i := range 20_000 {
		card.Claims = append(card.Claims, report.Claim{Kind: "extension", Name: fmt.Sprintf("https://agent.example/extensions/%d", i), Declared: true})
	}
	for b.Loop() {
		Claims(&target.Agent{Target: target.Target{Card: card}}, &report.Run{Results: make([]report.Result, len(tests))}, tests)
	}
}
