// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
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
		r := newRun(profiles.Of("agentic-sandbox-v2"), Target{ExecutorURL: "http://127.0.0.1:1"}, Options{})
		r.Card = card
		r.audit(&report.Run{Results: make([]report.Result, len(tests))}, tests)
		r.close()
	}
}
