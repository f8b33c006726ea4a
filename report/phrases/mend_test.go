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

// What shows a cause besides something else stands with it, and is no item of its own.
func TestWhatFollowsFromACauseStandsWithIt(t *testing.T) {
	t.Parallel()
	finding := func(subject string) report.Finding {
		return report.Finding{At: "a.yaml:1", Subject: subject, Observed: "is missing", Problem: subject + " is missing", Severity: report.Fail, Route: "GET /tasks", Status: 200}
	}
	failed := func(id string, subjects ...string) report.Result {
		r := report.Result{ID: id, Level: "MUST", Requirement: "hold", Outcome: report.Fail}
		for _, s := range subjects {
			r.Findings = append(r.Findings, finding(s))
		}
		return r
	}
	run := &report.Run{Results: []report.Result{failed("A-1", "header.Date"), failed("A-2", "header.Date", "task.id"), failed("A-3", "header.Date"), failed("A-4", "name")}}
	run.Settle()
	all := ToMend(run)
	if len(all) != 2 || !strings.HasSuffix(all[0].Text, "(2 failures: A-1, A-3; besides something else also A-2)") || all[1].Lead != "A-4" {
		t.Errorf("there is to mend %+v", all)
	}
}

// Of alternatives a line has those that can be fitted.
func TestAlternativesOfTheBindingInUse(t *testing.T) {
	t.Parallel()
	f := report.Finding{Subject: "result.answers[2]", Observed: "fits none of 2 alternatives: .status is 410, want 404; or .failure.code is missing, want -32001", Severity: report.Fail,
		Problem: "result.answers[2] fits none of 2 alternatives: .status is 410, want 404; or .failure.code is missing, want -32001", Nearest: "result.answers[2].status is 410, want 404"}
	r := &report.Result{Outcome: report.Fail, Findings: []report.Finding{f}}
	if got, want := Short(r), "result.answers[2].status is 410, want 404"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Findings[0].Where = "the answer to GET /tasks/{id}"
	if got, want := Short(r), "in the answer to GET /tasks/{id}: status is 410, want 404"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// One more thing is shown rather than counted.
func TestOneMoreIsShown(t *testing.T) {
	t.Parallel()
	for all, want := range map[int]int{0: 0, 2: 2, MaxForemost: MaxForemost, MaxForemost + 1: MaxForemost + 1, MaxForemost + 2: MaxForemost} {
		if got := Foremost(all); got != want {
			t.Errorf("of %d things %d stand first, want %d", all, got, want)
		}
	}
}

// What shows a cause is a finding that says just that, when there is one.
func TestACauseIsShownByAFindingThatSaysIt(t *testing.T) {
	t.Parallel()
	lacks := func(id, part string) report.Result {
		return report.Result{ID: id, Outcome: report.Fail, Findings: []report.Finding{{At: id, Subject: part, Observed: "is missing", Expected: "a value", Problem: part + " is missing, want a value",
			Severity: report.Fail, Route: "GET /.well-known/agent-card.json", Status: 200}}}
	}
	run := &report.Run{Results: []report.Result{lacks("A-1", "json.box.list"), lacks("A-2", "json.box")}}
	run.Settle()
	all := ToMend(run)
	if len(all) != 1 || all[0].Lead != "GET /.well-known/agent-card.json: json.box is missing." || all[0].Seen != "GET /.well-known/agent-card.json: json.box is missing, want a value" {
		t.Errorf("there is to mend %+v", all)
	}
}
