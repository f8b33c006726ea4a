// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

func TestAlike(t *testing.T) {
	t.Parallel()
	finding := func(at, name, observed string) report.Finding {
		return report.Finding{At: at, Case: name, Subject: "status", Observed: observed, Curl: "curl " + name}
	}
	got := Alike([]report.Finding{
		finding("a:1", "one", "202"), finding("a:1", "two", "202"), finding("a:1", "three", "200"), finding("a:1", "four", "202"),
		finding("a:2", "one", "202"), finding("a:3", "", "202"), finding("a:3", "", "202"),
	})
	var lines []string
	for _, f := range got {
		lines = append(lines, f.At+" "+f.Case+" "+f.Observed+" "+f.Curl)
	}
	want := []string{
		"a:1 one, and 2 more cases alike: two, four 202 curl one", "a:1 three 200 curl three", "a:2 one 202 curl one", "a:3  202 curl ", "a:3  202 curl ",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("the findings are\n%s, want\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestWhatARefusalLacksFollowsFromIt(t *testing.T) {
	t.Parallel()
	finding := func(subject, observed string, status int) report.Finding {
		return report.Finding{Severity: report.Fail, Route: "GET /card", Subject: subject, Observed: observed, Status: status}
	}
	for _, one := range []struct {
		name     string
		findings []report.Finding
		want     int
	}{
		{"the members of a refused card", []report.Finding{finding("status", "is 401", 401), finding("json.name", "is missing", 401)}, 1},
		{"another answer to the same", []report.Finding{finding("status", "is 401", 401), finding("json.name", "is missing", 200)}, 2},
		{"what is there and wrong", []report.Finding{finding("status", "is 401", 401), finding("json.code", "is 7", 401)}, 2},
		{"a success of another kind", []report.Finding{finding("status", "is 202", 202), finding("json.name", "is missing", 202)}, 2},
		{"the members of an operation that failed", []report.Finding{finding("outcome", `is "TaskNotFound"`, 200), finding("result.id", "is missing", 200)}, 1},
		{"no finding about the status", []report.Finding{finding("json.code", "is missing", 401)}, 1},
	} {
		if got := Alike(one.findings); len(got) != one.want {
			t.Errorf("%s: %d findings are told, want %d: %v", one.name, len(got), one.want, got)
		}
	}
}

func TestJudged(t *testing.T) {
	t.Parallel()
	entries := []report.Evidence{
		{Kind: "request", Head: "GET /a"}, {Kind: "response", Head: "200", Body: "a"},
		{Kind: "request", Head: "GET /b", Judged: true}, {Kind: "response", Head: "401", Body: "b", Judged: true},
	}
	judged, all := Judged(entries)
	if len(judged) != 2 || judged[1].Body != "b" || len(all) != 4 || all[3].Body != "" || all[3].Head != "401 (it stands above)" || all[1].Body != "a" {
		t.Errorf("what is judged: %v, the exchange: %v", judged, all)
	}
	if judged, all := Judged(entries[2:]); judged != nil || len(all) != 2 || all[1].Body != "b" {
		t.Errorf("an exchange of nothing else: %v and %v, want the exchange alone", judged, all)
	}
}

func TestWithoutRepeats(t *testing.T) {
	t.Parallel()
	pair := func(ms int64, actor, path, body, date string) []report.Evidence {
		return []report.Evidence{
			{AtMS: ms, Actor: actor, Kind: "request", Head: "GET " + path},
			{AtMS: ms + 1, Actor: actor, Kind: "response", Head: "200 OK", Header: "Date: " + date + "\nServer: x", Body: body},
		}
	}
	var entries []report.Evidence
	for _, p := range [][]report.Evidence{
		pair(0, "", "/task", `{"state": "working", "id": 1}`, "a"), pair(10, "", "/task", `{"id":1,"state":"working"}`, "b"), pair(20, "", "/task", `{"id":1,"state":"working"}`, "c"),
		pair(30, "", "/task", `{"id":1,"state":"done"}`, "c"), pair(40, "", "/task", `{"id":1,"state":"done"}`, "c"), // twice is not over and over
		pair(50, "b", "/task", `{"id":1,"state":"done"}`, "c"), {{AtMS: 60, Kind: "note", Head: "an end"}},
	} {
		entries = append(entries, p...)
	}
	var lines []string
	for _, e := range WithoutRepeats(entries) {
		lines = append(lines, strings.TrimSpace(e.Kind+" "+e.Head+" "+e.Body))
	}
	want := []string{
		"request GET /task", `response 200 OK {"state": "working", "id": 1}`,
		"note the same request 2 more times until now, with the same answer each time",
		"request GET /task", `response 200 OK {"id":1,"state":"done"}`, "request GET /task", `response 200 OK {"id":1,"state":"done"}`,
		"request GET /task", `response 200 OK {"id":1,"state":"done"}`, "note an end",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("the exchange is\n%s, want\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestTelling(t *testing.T) {
	t.Parallel()
	r := &report.Result{Findings: []report.Finding{{At: "a:1", Case: "two, and 2 more", Observed: "202"}, {At: "a:1", Case: "three", Observed: "202"}, {At: "a:2", Case: "four", Observed: "202"}}}
	for _, name := range []string{"one", "two, and 2 more", "three", "four"} {
		r.Evidence = append(r.Evidence, report.Evidence{Kind: "note", Head: "case: " + name}, report.Evidence{Kind: "request", Head: "GET /" + name})
	}
	heads := func() string {
		var all []string
		for _, e := range Telling(r) {
			all = append(all, e.Head)
		}
		return strings.Join(all, "|")
	}
	if got, want := heads(), "case: two, and 2 more|GET /two, and 2 more|case: four|GET /four|2 more cases, in the JSON report"; got != want {
		t.Errorf("what tells is %s, want %s", got, want)
	}
	r.Findings[0].Case = "" // it is about all of them
	if got := heads(); !strings.Contains(got, "GET /one") || strings.Contains(got, "JSON") {
		t.Errorf("of a finding about no case, what tells is %s", got)
	}
}
