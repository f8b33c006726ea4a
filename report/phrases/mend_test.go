// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// line is a thing to mend on one line.
func line(m Mend) string { return m.Lead + " " + m.Text + ": " + m.Case.In(Quoted) + m.Seen }

// What was warned of is a thing to mend like what is broken, unless it stands with the cause of a failure.
func TestWarningsAreThingsToMend(t *testing.T) {
	t.Parallel()
	found := func(o report.Outcome, says, route string, cases ...string) []report.Finding {
		var all []report.Finding
		for _, c := range cases {
			all = append(all, report.Finding{At: "a.yaml:1", Case: c, Subject: says, Observed: "is missing", Problem: says + " is missing", Severity: o, Route: route, Status: 200})
		}
		return all
	}
	run := &report.Run{Results: []report.Result{
		{ID: "A-1", Level: "SHOULD", Requirement: "say when to come back.", Outcome: report.Warn, Findings: found(report.Warn, "retry", "", "one", "two", "three")},
		{ID: "A-2", Level: "MUST", Requirement: "be there", Outcome: report.Fail, Findings: found(report.Fail, "card", "GET /card", "")},
		{ID: "A-3", Level: "SHOULD", Requirement: "be there", Outcome: report.Warn, Findings: found(report.Warn, "card", "GET /card", "")},
		{ID: "A-4", Level: "MUST", Requirement: strings.Repeat("name ", 50), Outcome: report.Fail, Findings: found(report.Fail, "name", "GET /tasks", "a list")},
	}}
	run.Settle()
	warned := Warned(run)
	if len(warned) != 1 || line(warned[0]) != `A-1 SHOULD say when to come back: in the case "one" (and 2 more): retry is missing` {
		t.Errorf("warned of %+v", warned)
	}
	broken := ToMend(run)
	if len(broken) != 2 || broken[0].Result != nil || !strings.HasSuffix(line(broken[1]), `: in the case "a list": GET /tasks: name is missing`) {
		t.Fatalf("broken is %+v", broken)
	}
	if short := broken[1].InShort(); len([]rune(short.Text)) > maxInShort+1 || short.Lead != "A-4" || short.Case.Name != "a list" {
		t.Errorf("in short: %+v", short)
	}
}
