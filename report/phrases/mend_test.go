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
	if len(warned) != 1 || line(warned[0]) != `A-1 SHOULD say when to come back: in the cases "one", "two" and "three" alike: retry is missing` {
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
	if len(all) != 2 || !strings.HasSuffix(all[0].Text, "(2 failures: A-1, A-3; beside something else, A-2 shows it too)") || all[1].Lead != "A-4" {
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
	if len(all) != 1 || all[0].Lead != "GET /.well-known/agent-card.json: box is missing." || all[0].Seen != "GET /.well-known/agent-card.json: box is missing, want a value" {
		t.Errorf("there is to mend %+v", all)
	}
}

// Of something unwanted in several places the last one stays in sight, however long the others are: it is the one that should not be there.
func TestWhatIsUnwantedStaysInSight(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 150)
	for _, row := range []struct{ name, observed, want string }{
		{"short enough", `has at "/a" and value.role "user"`, `has at "/a" and value.role "user"`},
		{"the first ones are too long", `has id "` + long + `" and at "/a" and value.role "user"`, `has at "/a" and value.role "user"`},
		{"words in quotes join nothing", `has id "` + long + ` and \" at" and value.role "a and b"`, `has value.role "a and b"`},
		{"what stands in front remains", `"/a" has id "` + long + `" and value.role "user"`, `"/a" has value.role "user"`},
		{"one place only", `has id "` + long + `"`, `has id "` + long + `"`},
		{"one byte between two texts", `has byte 0xc5 at offset 1, between "` + long + `" and "b"`, `has byte 0xc5 at offset 1, between "` + long + `" and "b"`},
		{"what it has not", `has no element with (op "` + long + `" and kind "a")`, `has no element with (op "` + long + `" and kind "a")`},
		{"no list of places", `is "` + long + `" and has none`, `is "` + long + `" and has none`},
	} {
		if got := lastOf(row.observed, maxSide); got != row.want {
			t.Errorf("%s: is %q, want %q", row.name, got, row.want)
		}
	}
	r := &report.Result{Outcome: report.Fail, Findings: []report.Finding{{Subject: "result.messages[0]", Severity: report.Fail, Where: "the answer to POST /send",
		Observed: `has request "POST /send" and at "/task/history/0" and value.messageId "` + long + `" and value.role "user" (in A-1; 7 of 8 messages)`, Expected: "no such element",
		Problem: `result.messages[0] has request "POST /send" and at "/task/history/0" and value.messageId "` + long + `" and value.role "user" (in A-1; 7 of 8 messages), want no such element`}}}
	if got, want := SeenPlainly(r), `in the answer to POST /send: "/task/history/0" has value.role "user" (7 of the run's 8 messages), want no such element`; got != want {
		t.Errorf("the whole of it is %q, want %q", got, want)
	}
}

// A route that is not served is not served in any case: none is named.
func TestARouteThatIsNotServedIsAboutNoCase(t *testing.T) {
	t.Parallel()
	lost := func(id string) report.Result {
		return report.Result{ID: id, Outcome: report.Fail, Findings: []report.Finding{{At: id, Case: "a case", Subject: "status", Observed: "is 404", Expected: "200", Problem: "status is 404, want 200",
			Severity: report.Fail, Route: "GET /events", Status: 404}}}
	}
	run := &report.Run{Routes: []report.Route{{Route: "GET /events", Statuses: []int{404}}}, Results: []report.Result{lost("A-1"), lost("A-2")}}
	run.Settle()
	all := ToMend(run)
	if len(all) != 1 || !strings.Contains(all[0].Lead, "is not served") || all[0].Case.Name != "" || all[0].Seen != "GET /events: status is 404, want 200" {
		t.Errorf("there is to mend %+v", all)
	}
}
