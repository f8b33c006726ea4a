// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// What is about the whole run names every route that it was seen at, not just that of the answer that is shown.
func TestAFindingAboutTheWholeRunNamesItsRoutes(t *testing.T) {
	f := report.Finding{At: "x.yaml:1:1", Severity: report.Fail, Subject: "header.Sunset", Observed: "is present", Expected: "absent",
		Problem: "header.Sunset is present, want absent", Route: "GET /tasks", Status: 200, SeenAt: "GET /tasks/{id} (12), GET /tasks (1)", Common: "status 404 (all 13, and none of the other 40)"}
	const whole = "x.yaml:1:1\n  GET /tasks, answered with 200: header Sunset\n    observed  present\n    expected  absent\n" +
		"    seen at   GET /tasks/{id} (12), GET /tasks (1)\n    in common status 404 (all 13, and none of the other 40)\n"
	if got := Finding(&f, 1000); got != whole {
		t.Errorf("the finding is\n%s\nwant\n%s", got, whole)
	}
	const short = "header Sunset is present, want absent; in common: status 404 (all 13, and none of the other 40); seen at GET /tasks/{id} (12), GET /tasks (1)"
	if got := Short(&report.Result{Outcome: report.Fail, Findings: []report.Finding{f}}); got != short {
		t.Errorf("in short it is %q, want %q", got, short)
	}
}

// What is about a delivery names the webhook that got it, as the exchange does.
func TestAFindingAboutADeliveryNamesItsWebhook(t *testing.T) {
	t.Parallel()
	f := report.Finding{At: "x.yaml:1:1", Severity: report.Fail, Subject: "requests[0].state", Observed: `is "working"`, Expected: `"canceled"`,
		Problem: `requests[0].state is "working", want "canceled"`, Actor: "beside"}
	const whole = "x.yaml:1:1\n  webhook beside: deliveries[0].state\n    observed  \"working\"\n    expected  \"canceled\"\n"
	if got := Finding(&f, 1000); got != whole {
		t.Errorf("the finding is\n%s\nwant\n%s", got, whole)
	}
	const short = `webhook beside: deliveries[0].state is "working", want "canceled"`
	if got := Short(&report.Result{Outcome: report.Fail, Findings: []report.Finding{f}}); got != short {
		t.Errorf("in short it is %q, want %q", got, short)
	}
}

// Whose credentials a request carried stands beside it, where that is not as everywhere in its suite.
func TestAFindingSaysWhoAsked(t *testing.T) {
	t.Parallel()
	for as, want := range map[string]string{"": "", "foreign": " (with the token of foreign)", "anonymous": " (without credentials)"} {
		f := report.Finding{At: "x.yaml:1:1", Severity: report.Fail, Subject: "status", Observed: "is 200", Expected: "404", Problem: "status is 200, want 404", Route: "GET /tasks/{id}", Status: 200, As: as}
		if got := Short(&report.Result{Outcome: report.Fail, Findings: []report.Finding{f}}); got != "GET /tasks/{id}"+want+": status is 200, want 404" {
			t.Errorf("%q: in short it is %q", as, got)
		}
		if got := Finding(&f, 1000); got != "x.yaml:1:1\n  GET /tasks/{id}"+want+": status\n    observed  200\n    expected  404\n" {
			t.Errorf("%q: the finding is %q", as, got)
		}
	}
}

// What is about one of all answers of the run is known by its request, not by its place in a list that the reader does not have.
func TestAFindingAboutOneOfAllAnswersNamesItsRequest(t *testing.T) {
	t.Parallel()
	f := report.Finding{At: "x.yaml:1:1", Case: "over HTTP+JSON", Severity: report.Fail, Subject: "result.answers[17].json.error.message", Observed: "is missing (in A-1; 2 of 40 answers)",
		Expected: "a text", Problem: "result.answers[17].json.error.message is missing (in A-1; 2 of 40 answers), want a text",
		Where: "the answer to GET /tasks/{id}, 3rd of 17 such answers", SeenAt: "GET /tasks/{id} (2)"}
	const whole = "x.yaml:1:1, in the case over HTTP+JSON\n  error.message, in the answer to GET /tasks/{id}, 3rd of 17 such answers\n    observed  missing (in A-1; 2 of 40 answers)\n" +
		"    expected  a text\n    seen at   GET /tasks/{id} (2)\n"
	if got := Finding(&f, 1000); got != whole {
		t.Errorf("the finding is\n%s\nwant\n%s", got, whole)
	}
	const short = `in the answer to GET /tasks/{id}, 3rd of 17 such answers: error.message is missing (in A-1; 2 of 40 answers), want a text`
	if got := ShortInCase(&report.Result{Outcome: report.Fail, Findings: []report.Finding{f}}); got != short {
		t.Errorf("in short it is %q, want %q", got, short)
	}
	for common, want := range map[string]string{
		"GET /tasks/{id} (all 2, and none of the other 38)":                "",
		"GET /tasks/{id} and status 404 (all 2, and none of the other 38)": "; in common beside that: status 404 (all 2, and none of the other 38)",
		"status 404 (all 2, and none of the other 38)":                     "; in common: status 404 (all 2, and none of the other 38)",
	} {
		told := f
		told.Common = common
		if got := ShortInCase(&report.Result{Outcome: report.Fail, Findings: []report.Finding{told}}); got != short+want {
			t.Errorf("with %q in common it is %q, want %q", common, got, short+want)
		}
	}
	f.Subject, f.Problem = "result.tasks[3]", "result.tasks[3] has status 500, want no such element"
	if got, want := f.Told(), "in the answer to GET /tasks/{id}, 3rd of 17 such answers: has status 500, want no such element"; got != want {
		t.Errorf("of the whole element it is %q, want %q", got, want)
	}
}

// What came in a stream, and was looked at in the whole run, has no status of its own: its request was answered all the same.
func TestWhatCameInAStreamIsNotUnanswered(t *testing.T) {
	t.Parallel()
	f := report.Finding{Subject: "task.timestamp", Observed: "is missing (GET /tasks/1/subscribe in A-1; 12 of 108 tasks)", Route: "GET /tasks/{id}/subscribe",
		Problem: "task.timestamp is missing (GET /tasks/1/subscribe in A-1; 12 of 108 tasks), want a time"}
	if got, want := About(&f), "GET /tasks/{id}/subscribe"; got != want {
		t.Errorf("it is about %q, want %q", got, want)
	}
	f.Observed, f.Problem = "is missing", "task.timestamp is missing, want a time"
	if got, want := About(&f), "GET /tasks/{id}/subscribe, which was not answered"; got != want {
		t.Errorf("without an answer it is about %q, want %q", got, want)
	}
}

// What was seen on a connection names its path, and is no answer.
func TestWhatWasSeenOnAConnectionNamesItsPath(t *testing.T) {
	t.Parallel()
	f := report.Finding{At: "x.yaml:1:1", Subject: "frame.op", Observed: `is "pong"`, Expected: `"Error"`, Problem: `frame.op is "pong", want "Error"`, Route: "WS /sessions/{id}/attach", Severity: report.Fail}
	const whole = "x.yaml:1:1\n  WS /sessions/{id}/attach: frame.op\n    observed  \"pong\"\n    expected  \"Error\"\n"
	if got := Finding(&f, 1000); got != whole {
		t.Errorf("the finding is\n%s\nwant\n%s", got, whole)
	}
	f.Actor = "late"
	if got, want := Short(&report.Result{Outcome: report.Fail, Findings: []report.Finding{f}}), `WS /sessions/{id}/attach (client late): frame.op is "pong", want "Error"`; got != want {
		t.Errorf("of one of several clients it is in short %q, want %q", got, want)
	}
}

// An answer that is an error is called one, where the finding is about something else of it.
func TestAnErrorIsToldBeforeWhatItLacks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, problem string
		status        int
		want          string
	}{
		{"a header of an error", "header.Content-Type is \"text/plain\"", 500, "POST /x, answered with 500: header Content-Type is \"text/plain\""},
		{"a header of another answer", "header.Content-Type is \"text/plain\"", 200, "POST /x: header Content-Type is \"text/plain\""},
		{"the status itself", "status is 500, want 404", 500, "POST /x: status is 500, want 404"},
	} {
		r := report.Result{Outcome: report.Fail, Findings: []report.Finding{{Severity: report.Fail, Route: "POST /x", Status: row.status, Problem: row.problem}}}
		if got := Short(&r); got != row.want {
			t.Errorf("%s: in short it is %q, want %q", row.name, got, row.want)
		}
	}
}

// The cases of which the same was found are named where they are few and short.
func TestTheOtherCasesAreNamed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", longestOthers)
	for _, row := range []struct {
		cases []string
		want  string
	}{
		{[]string{"a"}, `in the case "a": `},
		{[]string{"a", "b"}, `in the cases "a" and "b" alike: `},
		{[]string{"a", "b", "c", "d"}, `in the cases "a", "b", "c" and "d" alike: `},
		{[]string{"a", "b", "c", "d", "e"}, `in 5 cases alike, such as "a": `},
		{[]string{"a", long + "x"}, `in 2 cases alike, such as "a": `},
	} {
		r := report.Result{Outcome: report.Fail}
		for _, name := range row.cases {
			r.Findings = append(r.Findings, report.Finding{Severity: report.Fail, Case: name, Problem: "status is 200"})
		}
		if got := CaseOf(&r).In(Quoted); got != row.want {
			t.Errorf("of %q: says %q, want %q", row.cases, got, row.want)
		}
	}
}

// The cases in which it holds are named too: they say how far it reaches.
func TestTheCasesInWhichItHoldsAreNamed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		held       []string
		want, more string
	}{
		{nil, `in the case "a": `, ""},
		{[]string{"b"}, `in the case "a" (it holds in "b"): `, `It holds in 1 other case: "b".`},
		{[]string{"b", "c", "d", "e"}, `in the case "a" (it holds in "b", "c", "d" and 1 more): `, `It holds in 4 other cases: "b", "c", "d", "e".`},
	} {
		r := report.Result{Outcome: report.Fail, Held: row.held, Findings: []report.Finding{{Severity: report.Fail, Case: "a", Problem: "status is 200"}}}
		if got := CaseOf(&r).In(Quoted); got != row.want {
			t.Errorf("it holds in %q: says %q, want %q", row.held, got, row.want)
		}
		if got := HeldIn(&r); got != row.more {
			t.Errorf("it holds in %q: says %q further down, want %q", row.held, got, row.more)
		}
	}
}

// Where not all cases show the same, it is said how many fail; and of steps that have a part of their own, which part.
func TestCasesThatDifferAndParts(t *testing.T) {
	t.Parallel()
	found := func(name, part, problem string) report.Finding {
		return report.Finding{Severity: report.Fail, Case: name, Part: part, Problem: problem}
	}
	for _, row := range []struct {
		name     string
		findings []report.Finding
		want     string
	}{
		{"three cases, each with something of its own", []report.Finding{found("a", "", "x is 1"), found("b", "", "x is 2"), found("c", "", "x is 3")}, `in the case "a", and in another way in 2 more: `},
		{"two alike and one other", []report.Finding{found("a", "", "x is 1"), found("b", "", "x is 1"), found("c", "", "x is 3")}, `in the cases "a" and "b" alike, and in another way in 1 more: `},
		{"other things wanted in place of the same, at other places of a list", []report.Finding{
			{Severity: report.Fail, Case: "a", Subject: "tasks[0].id", Observed: "is 7", Expected: "8", Problem: "tasks[0].id is 7, want 8"},
			{Severity: report.Fail, Case: "b", Subject: "tasks[3].id", Observed: "is 7", Expected: "9", Problem: "tasks[3].id is 7, want 9"}},
			`in the cases "a" and "b" alike: `},
		{"tokens that the target makes", []report.Finding{
			{Severity: report.Fail, Case: "a", Subject: "nextPageToken", Observed: `is "hJbVDgijp9MY7JdDnkZeAGVkODE5NTJjLTk4"`, Problem: "1"},
			{Severity: report.Fail, Case: "b", Subject: "nextPageToken", Observed: `is "z2jpWDJJ2uYY7JUV7_pewDEzZTdlNWJlLWNm"`, Problem: "2"}},
			`in the cases "a" and "b" alike: `},
		{"states", []report.Finding{
			{Severity: report.Fail, Case: "a", Subject: "state", Observed: `is "TASK_STATE_INPUT_REQUIRED"`, Problem: "1"},
			{Severity: report.Fail, Case: "b", Subject: "state", Observed: `is "TASK_STATE_AUTH_REQUIRED"`, Problem: "2"}},
			`in the case "a", and in another way in 1 more: `},
		{"two findings of one case", []report.Finding{found("a", "", "x is 1"), found("a", "", "x is 2")}, `in the case "a": `},
		{"a part of a case", []report.Finding{found("a", "again", "x is 1")}, `in the case "a", part "again": `},
		{"a part", []report.Finding{found("", "again", "x is 1")}, `in the part "again": `},
	} {
		r := report.Result{Outcome: report.Fail, Findings: row.findings}
		if got := CaseOf(&r).In(Quoted); got != row.want {
			t.Errorf("%s: says %q, want %q", row.name, got, row.want)
		}
	}
}
