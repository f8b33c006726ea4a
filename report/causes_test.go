// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	send      = "POST /agents/{id}/v1/messages:send"
	read      = "GET /agents/{id}/v1/tasks/{id}"
	cancel    = "POST /agents/{id}/v1/tasks/{id}/cancel"
	agentCard = "GET /agents/{id}/.well-known/agent-card.json"
)

// met is a failure with one finding about an answer.
func met(id, route string, status int, subject, observed, expected string) Result {
	return Result{ID: id, Outcome: Fail, Findings: []Finding{{At: id + ".yaml:1:1", Subject: subject, Observed: observed, Expected: expected,
		Problem: strings.TrimSpace(subject + " " + observed + ", want " + expected), Severity: Fail, Route: route, Status: status}}}
}

// warned is the same as a warning.
func warned(r Result) Result {
	r.Outcome, r.Findings[0].Severity = Warn, Warn
	return r
}

// inTheWay is a test that the same thing blocks.
func inTheWay(r Result, cause string) Result {
	f := r.Findings[0]
	f.Severity = Blocked
	return Result{ID: r.ID, Outcome: Blocked, Reason: &Reason{Code: "blocked", Detail: f.Problem, Cause: cause, Finding: &f}}
}

// and is a test with the findings of both.
func and(r, other Result) Result {
	r.Findings = append(r.Findings, other.Findings...)
	return r
}

func TestCauses(t *testing.T) {
	t.Parallel()
	missingSend := []Route{{Route: send, Statuses: []int{401, 404}}, {Route: read, Statuses: []int{200, 404}}}
	for name, row := range map[string]struct {
		routes    []Route
		preflight []Finding
		results   []Result
		want      map[string][]string // the tests of each cause, by its kind and what it says
	}{
		"a route that is not there": {
			routes: missingSend,
			results: []Result{
				met("T-1", send, 404, "status", "is 404", "202"),
				met("T-2", send, 404, "header.Content-Type", `is "text/plain"`, `"application/json"`),
				inTheWay(met("T-3", send, 404, "status", "is 404", "from 200 to 299"), "POST {api}/messages:send answers 404"),
				warned(met("T-4", send, 404, "status", "is 404", "202")),
			},
			want: map[string][]string{"missing-route: " + send + " is not served: it answers 404, whatever it is asked": {"T-1", "T-2", "T-3", "T-4"}},
		},
		"a route that answers 404 for some, and works for others": {
			routes: missingSend,
			results: []Result{
				met("T-1", read, 404, "status", "is 404", "200"),
				met("T-2", read, 404, "status", "is 404", "200"),
			},
		},
		"a route that nobody wants to be there": {
			routes: missingSend,
			results: []Result{
				met("T-1", send, 404, "status", "is 404", "405"),
				met("T-2", send, 404, "status", "is 404", "401 or 403"),
			},
		},
		"a refusal of credentials says nothing about the route": {
			routes: missingSend,
			results: []Result{
				met("T-1", send, 404, "status", "is 404", "202"),
				met("T-2", send, 401, "status", "is 401", "202"),
			},
		},
		"a test with another finding besides": {
			routes: missingSend,
			results: []Result{
				met("T-1", send, 404, "status", "is 404", "202"),
				and(met("T-2", send, 404, "status", "is 404", "202"), met("T-2", read, 200, "json.id", "is missing", "a string")),
			},
		},
		"a waived failure stands with its waiver": {
			routes: missingSend,
			results: []Result{
				met("T-1", send, 404, "status", "is 404", "202"),
				{ID: "T-2", Outcome: Fail, Waiver: &Waiver{Reason: "known"}, Findings: met("T-2", send, 404, "status", "is 404", "202").Findings},
			},
		},
		"everything below a path is missing": {
			routes: []Route{
				{Route: "GET /api/v2/admin/instances", Statuses: []int{404}}, {Route: "GET /api/v2/admin/instances/{id}", Statuses: []int{404}},
				{Route: "POST /api/v2/admin/instances", Statuses: []int{405}}, {Route: send, Statuses: []int{202}},
			},
			results: []Result{
				met("T-1", "GET /api/v2/admin/instances", 404, "status", "is 404", "200"),
				met("T-2", "POST /api/v2/admin/instances", 405, "status", "is 405", "202"),
				inTheWay(met("T-3", "GET /api/v2/admin/instances/{id}", 404, "status", "is 404", "200"), "GET {admin}/instances/{instance} answers 404"),
			},
			want: map[string][]string{"missing-route: Nothing at or below /api/v2/admin/instances is served: all 3 routes that were asked answer 404 or 405": {"T-1", "T-2", "T-3"}},
		},
		"only unknown things were asked for below a path": {
			routes: []Route{{Route: "GET /operations/{id}", Statuses: []int{404}}, {Route: "GET /operations/x", Statuses: []int{404}}},
			results: []Result{
				met("T-1", "GET /operations/{id}", 404, "json.detail", "is missing", "a text"),
				met("T-2", "GET /operations/x", 404, "header.X-Request-Id", "is missing", "a text"),
			},
		},
		"a route that always fails": {
			routes: []Route{{Route: send, Statuses: []int{401, 503}}},
			results: []Result{
				met("T-1", send, 503, "status", "is 503", "202"),
				met("T-2", send, 503, "status", "is 503", "400"),
			},
			want: map[string][]string{"failing-route: " + send + " answers 503, whatever it is asked": {"T-1", "T-2"}},
		},
		"a route that never answers": {
			routes: []Route{{Route: send, Unanswered: true}, {Route: read, Statuses: []int{200}, Unanswered: true}},
			results: []Result{
				met("T-1", send, 0, "status", "is missing", "202"),
				inTheWay(met("T-2", send, 0, "task.id", "is missing", "a string"), "no answer"),
				met("T-3", read, 0, "status", "is missing", "200"),
			},
			want: map[string][]string{"silent-route: " + send + " never answers": {"T-1", "T-2"}},
		},
		"a media type that is wrong everywhere": {
			results: []Result{
				met("T-1", send, 202, "header.Content-Type", `is "text/plain"`, `"application/json"`),
				met("T-2", read, 200, "exchange.header.Content-Type", `is "text/plain"`, `"application/json"`),
				met("T-3", read, 200, "header.Content-Type", `is "text/plain"`, `"text/event-stream"`),
			},
			want: map[string][]string{`media-type: Answers of ` + read + ", " + send + ` carry a Content-Type that is "text/plain" where "application/json" is wanted`: {"T-1", "T-2"}},
		},
		"a header that is missing": {
			results: []Result{
				met("T-1", send, 202, "header.Sunset", "is missing", "a date"),
				met("T-2", read, 200, "headers.Sunset", "is missing", "a length of 1"),
				inTheWay(met("T-3", read, 200, "header.Sunset", "is missing", "something"), "GET {api}/tasks/{task}: header.Sunset is missing"),
				met("T-4", read, 200, "header.Sunset", `is "soon"`, "a date"),
			},
			want: map[string][]string{"missing-header: Answers of " + read + ", " + send + " carry no header Sunset": {"T-1", "T-2", "T-3"}},
		},
		"a header that webhooks are not sent": {
			results: []Result{
				met("T-1", "", 0, "requests[0].header.X-AIWG-Signature", "is missing", "a signature"),
				met("T-2", "", 0, "requests[1].headers.X-AIWG-Signature", "is missing", "a length of 1"),
				met("T-3", send, 200, "header.X-AIWG-Signature", "is missing", "a signature"),
			},
			want: map[string][]string{"missing-header: Deliveries to webhooks carry no header X-AIWG-Signature": {"T-1", "T-2"}},
		},
		"two headers that are missing from one answer are two causes": {
			results: []Result{
				and(met("T-1", send, 202, "header.Sunset", "is missing", "a date"), met("T-1", send, 202, "header.Link", "is missing", "a link")),
				and(met("T-2", send, 202, "header.Sunset", "is missing", "a date"), met("T-2", send, 202, "header.Link", "is missing", "a link")),
			},
		},
		"error answers without a code": {
			results: []Result{
				met("T-1", send, 422, "errcode", "is missing", `"a"`),
				met("T-2", cancel, 409, "exchange", `fits none of 2 alternatives: .errcode is missing, want "b"; or .json.jsonrpc is missing`, ""),
				met("T-3", read, 200, "errcode", "is missing", `"c"`),
			},
			want: map[string][]string{"error-shape: Error responses have no code that distinguishes one error from another: " + send + ", " + cancel: {"T-1", "T-2"}},
		},
		"the same finding about the same route": {
			results: []Result{
				met("T-1", read, 200, "json.id", `is "018fc0a2-7777-7aaa-bbbb-ccccddddeeee"`, "a UUID of version 4"),
				met("T-2", read, 200, "json.id", `is "018fc0a2-8888-7aaa-bbbb-ccccddddeeee"`, "a UUID of version 4"),
				met("T-3", send, 200, "json.id", `is "018fc0a2-8888-7aaa-bbbb-ccccddddeeee"`, "a UUID of version 4"),
			},
			want: map[string][]string{"finding: " + read + `: id is "018fc0a2-7777-7aaa-bbbb-ccccddddeeee", want a UUID of version 4`: {"T-1", "T-2"}},
		},
		"the same part is missing, whatever it should be": {
			results: []Result{
				met("T-1", read, 200, "json.keys", "is missing", "an array"),
				inTheWay(met("T-2", read, 200, "json.keys", "is missing", "something"), "GET {jwks}: json.keys is missing"),
			},
			want: map[string][]string{"finding: " + read + ": keys is missing": {"T-1", "T-2"}},
		},
		"two requests that are carried out and should not be are two causes": {
			results: []Result{
				met("T-1", send, 200, "outcome", `is "processed"`, `"validation"`),
				met("T-2", send, 200, "outcome", `is "processed"`, `"validation"`),
			},
		},
		"two requests that are refused and should not be are one": {
			results: []Result{
				met("T-1", send, 400, "outcome", `is "validation"`, `"processed"`),
				met("T-2", send, 400, "outcome", `is "validation"`, `"processed"`),
			},
			want: map[string][]string{"finding: " + send + `: outcome is an error that blames the request, want success`: {"T-1", "T-2"}},
		},
		"the same status of a route that works has its reasons": {
			routes: []Route{{Route: send, Statuses: []int{202, 400}}},
			results: []Result{
				met("T-1", send, 400, "status", "is 400", "202"),
				met("T-2", send, 400, "status", "is 400", "202"),
			},
		},
		"blocked by the same thing": {
			results: []Result{
				{ID: "T-1", Outcome: Blocked, Reason: &Reason{Code: "blocked", Detail: "a", Cause: "the target stopped answering"}},
				{ID: "T-2", Outcome: Blocked, Reason: &Reason{Code: "blocked", Detail: "b", Cause: "the target stopped answering"}},
				{ID: "T-3", Outcome: Blocked, Reason: &Reason{Code: "blocked", Detail: "c", Cause: "something else"}},
			},
			want: map[string][]string{"blocked: the target stopped answering": {"T-1", "T-2"}},
		},
		"another dialect on the terminals": {
			results: []Result{
				{ID: "T-1", Outcome: Fail, Findings: []Finding{{Subject: "greeting", Observed: "is", Problem: "is compact: it has seq", Severity: Fail, Cause: "the executor speaks compact"}}},
				{ID: "T-2", Outcome: Blocked, Reason: &Reason{Code: "blocked", Detail: "b", Cause: "the executor speaks compact"}},
			},
			want: map[string][]string{"dialect: the executor speaks compact": {"T-1", "T-2"}},
		},
		"no card": {
			preflight: []Finding{{Subject: "AgentCard", Problem: "the target serves no AgentCard", Severity: Fail, Cause: "PREFLIGHT: no card", Route: agentCard, Status: 200}},
			results: []Result{
				met("T-1", agentCard, 200, "json.name", "is missing", "a string"),
				{ID: "T-2", Outcome: Blocked, Reason: &Reason{Code: "blocked", Detail: "b", Cause: "PREFLIGHT: no card"}},
				met("T-3", agentCard, 200, "header.ETag", "is missing", "a tag"),
			},
			want: map[string][]string{"no-card: the target serves no AgentCard": {"T-1", "T-2"}},
		},
		"no card, and nothing else either": {
			routes:    []Route{{Route: agentCard, Statuses: []int{404}}, {Route: "GET /.well-known/jwks.json", Statuses: []int{404}}},
			preflight: []Finding{{Subject: "AgentCard", Problem: "the target serves no AgentCard", Severity: Fail, Cause: "PREFLIGHT: no card", Route: agentCard, Status: 404}},
			results: []Result{
				met("T-1", agentCard, 404, "status", "is 404", "200"),
				inTheWay(met("T-2", agentCard, 404, "AgentCard", "status is 404, want 200", "an AgentCard"), "PREFLIGHT: no card"),
				met("T-3", "GET /.well-known/jwks.json", 404, "status", "is 404", "200"),
			},
			want: map[string][]string{"missing-route: Nothing is served that was asked for: all 2 routes answer 404": {"T-1", "T-2", "T-3"}},
		},
		"what is blocked by the finding that another fails with": {
			results: []Result{
				and(met("T-1", read, 200, "json.skills", "is null", "an array"), met("T-1", send, 200, "json.id", "is 7", "a string")),
				inTheWay(met("T-2", read, 200, "json.skills", "is null", "an array"), "no skills"),
				inTheWay(met("T-3", read, 200, "json.skills", "is 7", "an array"), "other skills"),
			},
			want: map[string][]string{"finding: " + read + ": skills is null, want an array": {"T-1", "T-2"}},
		},
		"what is blocked by a status has its own reasons": {
			results: []Result{
				met("T-1", read, 404, "status", "is 404", "200"),
				inTheWay(met("T-2", read, 404, "status", "is 404", "200"), "no answer"),
			},
		},
		"the same over two interfaces": {
			results: []Result{
				and(met("T-1", read, 200, "outcome", "is \"done\"", "a refusal"), met("T-1", send, 200, "outcome", "is \"done\"", "a refusal")),
				and(met("T-2", read, 200, "outcome", "is \"done\"", "a refusal"), met("T-2", send, 200, "outcome", "is \"done\"", "a refusal")),
				met("T-3", read, 200, "outcome", "is \"done\"", "a refusal"),
			},
			want: map[string][]string{"finding: " + read + ", " + send + ": outcome is \"done\", want a refusal": {"T-1", "T-2"}},
		},
		"what would stand in a part of the card that is not there": {
			results: []Result{
				met("T-1", agentCard, 200, "json.box.agents", "is missing", "a list"),
				met("T-2", agentCard, 200, "json.box", "is missing", "an object"),
				inTheWay(met("T-3", agentCard, 200, "json.box.agents[0].id", "is missing", "a string"), "no id"),
				met("T-4", agentCard, 200, "json.boxes", "is missing", "a list"),
				met("T-5", read, 200, "json.status", "is missing", "an object"),
				met("T-6", read, 200, "json.status.state", "is missing", "a string"),
			},
			want: map[string][]string{"finding: " + agentCard + ": box is missing": {"T-1", "T-2", "T-3"}},
		},
		"one test alone is no cause": {
			routes:  missingSend,
			results: []Result{met("T-1", send, 404, "status", "is 404", "202")},
		},
	} {
		run := &Run{Verdict: Failed, Routes: row.routes, Preflight: row.preflight, Results: row.results}
		run.Settle()
		got := map[string][]string{}
		for _, c := range run.Causes {
			got[c.Kind+": "+c.Says] = c.Tests
			if !strings.HasSuffix(c.Fix, ".") || !strings.HasPrefix(c.ID, c.Kind+"-") {
				t.Errorf("%s: the cause is %+v", name, c)
			}
		}
		want := row.want
		if want == nil {
			want = map[string][]string{}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		checkCauses(t, run)
	}
}

// checkCauses checks what holds of the causes of every run.
func checkCauses(t *testing.T, run *Run) {
	t.Helper()
	of := map[string]string{}
	for i, c := range run.Causes {
		if i > 0 && len(c.Tests) > len(run.Causes[i-1].Tests) {
			t.Errorf("%s stands behind a smaller cause", c.ID)
		}
		if len(c.Tests) < fewestFolded {
			t.Errorf("%s has %d tests", c.ID, len(c.Tests))
		}
		for _, id := range c.Tests {
			if of[id] != "" {
				t.Errorf("%s belongs to %s and to %s", id, of[id], c.ID)
			}
			of[id] = c.ID
		}
	}
	for i := range run.Results {
		if r := &run.Results[i]; r.Cause != of[r.ID] {
			t.Errorf("%s names the cause %q, and is listed with %q", r.ID, r.Cause, of[r.ID])
		}
	}
}

// Two runs on the same target name their causes alike, though everything that was fresh differs.
func TestCausesKeepTheirIDs(t *testing.T) {
	t.Parallel()
	one := &Run{Results: []Result{met("T-1", read, 200, "json.id", `is "018fc0a2-7777-7aaa-bbbb-ccccddddeeee"`, "x"), met("T-2", read, 200, "json.id", `is "018fc0a2-7778-7aaa-bbbb-ccccddddeeee"`, "x")}}
	two := &Run{Results: []Result{met("T-1", read, 200, "json.id", `is "118fc0a2-7777-7aaa-bbbb-ccccddddeeee"`, "x"), met("T-2", read, 200, "json.id", `is "118fc0a2-7778-7aaa-bbbb-ccccddddeeee"`, "x")}}
	one.Settle()
	two.Settle()
	if len(one.Causes) != 1 || len(two.Causes) != 1 || one.Causes[0].ID != two.Causes[0].ID {
		t.Errorf("%+v\n%+v", one.Causes, two.Causes)
	}
}

// What to change names no id of this run.
func TestFixesNameWhatHoldsInEveryRun(t *testing.T) {
	t.Parallel()
	for expected, want := range map[string]string{
		`"VersionNotSupported"`:                  `Correct task.id: it should be "VersionNotSupported".`,
		`"5d1f4809-2794-4c78-9453-bf88a207beb9"`: "Correct task.id; each finding says how it should be.",
	} {
		run := Run{Results: []Result{
			met("T-1", read, 200, "task.id", `is "75df1eed-a65d-41d0-9660-c3bdc373ec27"`, expected),
			met("T-2", read, 200, "task.id", `is "c5fee1ba-e371-4c91-8c30-499b66274308"`, expected),
		}}
		run.fold()
		if len(run.Causes) != 1 || run.Causes[0].Fix != want {
			t.Errorf("%s: %+v, want %q", expected, run.Causes, want)
		}
	}
}

// A test that shows a cause and something else belongs to none, and the cause names it.
func TestCausesNameWhatShowsThemInPart(t *testing.T) {
	t.Parallel()
	bare := func(id string) Result { return met(id, read, 200, "header.A2A-Version", "is missing", `"1.0"`) }
	run := &Run{Results: []Result{
		bare("T-1"), and(bare("T-2"), met("T-2", read, 200, "task.id", "is missing", "a text")), bare("T-3"),
		met("T-4", read, 200, "task.id", `is 7`, "a text"),
	}}
	run.Settle()
	if len(run.Causes) != 1 || strings.Join(run.Causes[0].Tests, " ") != "T-1 T-3" || strings.Join(run.Causes[0].Shown, " ") != "T-2" || run.Results[1].Cause != "" {
		t.Errorf("the causes are %+v", run.Causes)
	}
}

// A member that must not be there is one cause, however the requirements say so; another member, or the same of another route, is not.
func TestUnwantedMembers(t *testing.T) {
	t.Parallel()
	failed := func(id, route, subject, expected string) Result {
		return Result{ID: id, Outcome: Fail, Findings: []Finding{{Severity: Fail, Route: route, Status: 200, Subject: subject, Observed: "is " + id, Expected: expected}}}
	}
	run := &Run{Results: []Result{
		failed("A-1", "GET /card", "json.url", "absent"),
		failed("A-2", "GET /card", "json.url", "no such member (JSON that fits schema \"card\")"),
		failed("A-6", "GET /card", "json.url", "absent (nearest of 2 alternatives)"),
		failed("A-7", "GET /card", "json.url", "no members but \"name\" and \"version\""),
		failed("A-3", "GET /card", "json.kind", "absent"),
		failed("A-4", "GET /fleet", "json.url", "absent"),
		failed("A-5", "GET /card", "json.url", "\"http://a.example\""),
	}}
	run.Settle()
	if len(run.Causes) != 1 || run.Causes[0].Kind != CauseUnwanted || !slices.Equal(run.Causes[0].Tests, []string{"A-1", "A-2", "A-6", "A-7"}) {
		t.Errorf("the causes are %+v, want one of A-1, A-2, A-6 and A-7", run.Causes)
	}
}
