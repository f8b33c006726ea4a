// SPDX-License-Identifier: Apache-2.0

package dialect

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
)

func TestForeignGreetings(t *testing.T) {
	for _, tc := range []struct{ name, message, want, marks string }{
		{"the binding's own", `{"op":"binding_hello","id":"x","sequence":0,"payload":{"supported_operations":["SendMessage"]}}`, "", ""},
		{"without a sequence", `{"op":"binding_hello","id":"x","payload":{"supported_operations":["SendMessage"]}}`, "", ""},
		{"with both", `{"op":"binding_hello","seq":0,"sequence":0,"payload":{}}`, "", ""},
		{"by its number", `{"op":"binding_hello","seq":0,"payload":{}}`, "compact", "its greeting carries seq instead of sequence"},
		{"by its operations", `{"op":"binding_hello","sequence":0,"payload":{"supported_operations":["ping","tasks/get"]}}`, "compact",
			"its greeting lists tasks/get among the operations"},
		{"the older protocol", `{"type":"server_hello","seq":1}`, "v1 session", "it greets with type server_hello"},
		{"no greeting", `{"op":"output","seq":1,"payload":{}}`, "", ""},
		{"odd operations", `{"op":"binding_hello","sequence":0,"payload":{"supported_operations":[1,null]}}`, "", ""},
	} {
		name, marks := "", ""
		if got := Foreign(ptyws.Object([]byte(tc.message))); got != nil {
			name, marks = got.Name, got.Marks
		}
		if name != tc.want || marks != tc.marks {
			t.Errorf("%s: dialect %q because %q, want %q because %q", tc.name, name, marks, tc.want, tc.marks)
		}
	}
}

// TestDialectsFoldWhatCameTooSoon has results of tests that ended before they saw a greeting.
func TestDialectsFoldWhatCameTooSoon(t *testing.T) {
	results := []report.Result{
		{ID: "PTY-001", Outcome: report.Pass},
		{ID: "PTY-002", Outcome: report.Fail, Findings: []report.Finding{{}}},
		{ID: "PTY-003", Outcome: report.Fail},
		{ID: "PTY-004", Outcome: report.Skip},
	}
	var d Met
	d.Conversed("PTY-002", "")
	d.Conversed("PTY-004", "")
	d.Fold(results)
	if results[1].Outcome != report.Fail {
		t.Errorf("without a dialect PTY-002 is %s, want what it was", results[1].Outcome)
	}
	d.Conversed("PTY-003", "they speak another dialect")
	d.Fold(results)
	for i, want := range []report.Outcome{report.Pass, report.Blocked, report.Fail, report.Skip} {
		if results[i].Outcome != want {
			t.Errorf("%s is %s, want %s", results[i].ID, results[i].Outcome, want)
		}
	}
	if got, want := d.Blocked(results), "they speak another dialect, which blocks 1 requirement"; got != want {
		t.Errorf("the verdict adds %q, want %q", got, want)
	}
}
