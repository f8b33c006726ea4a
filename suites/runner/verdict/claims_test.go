// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestABindingIsNotBrokenByAnother: what fails over one of two bindings says nothing against the other.
func TestABindingIsNotBrokenByAnother(t *testing.T) {
	t.Parallel()
	failing := func(cases ...string) *report.Result {
		r := &report.Result{Outcome: report.Fail}
		for _, name := range cases {
			r.Findings = append(r.Findings, report.Finding{Severity: report.Fail, Case: name})
		}
		return r
	}
	claim := &report.Claim{Name: "JSONRPC", Kind: "binding"}
	for name, row := range map[string]struct {
		result *report.Result
		want   bool
	}{
		"over the other":           {failing("a task, over HTTP+JSON"), true},
		"over both":                {failing("over HTTP+JSON", "over JSONRPC"), false},
		"of which nothing is said": {failing("over HTTP+JSON", "a second time"), false},
		"without cases":            {failing(""), false},
		"between the two":          {failing("HTTP+JSON and JSONRPC"), false},
		"a pass":                   {&report.Result{Outcome: report.Pass}, false},
	} {
		if got := brokenOverOthers(claim, row.result); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}

// TestABindingOfItsOwnIsNotMeasured: operations are sent over the bindings of the specification, and not over one that a card names itself.
func TestABindingOfItsOwnIsNotMeasured(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"JSONRPC": true, "HTTP+JSON": true, "GRPC": true, "https://bindings.example/mqtt/v1": false, "WEBSOCKET": false} {
		for _, over := range [][]string{nil, {suites.Pairs}, {suites.Interfaces}} {
			about := topic{test: &suites.Test{Operates: true, Over: over}}
			if got := about.exercises(&report.Claim{Name: name, Kind: "binding"}, name); got != want {
				t.Errorf("%s, over %v: %t, want %t", name, over, got, want)
			}
		}
	}
}
