// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// watched plays two tests that make some traffic and then one that watches, and returns what became of that.
func watchedBy(t *testing.T, routes map[string]http.HandlerFunc, traffic, watching string) string {
	t.Helper()
	f := &fake{routes: routes}
	out := against(t, f, "  - {id: T-001, test: a, must: m, source: s, steps: ["+traffic+"]}\n"+`
  - id: T-002
    test: b
    must: m
    source: s
    last: true
    steps:
`+indented(watching))
	for _, r := range out.Results {
		if r.ID == "T-002" {
			said := string(r.Outcome)
			for _, f := range r.Findings {
				said += "; " + string(f.Severity) + ": " + f.Problem
			}
			if r.Reason != nil {
				said += "; " + r.Reason.Code + ": " + r.Reason.Detail
			}
			return strings.NewReplacer(out.Target.ExecutorURL, "", "/agents/"+fakeInstance, "").Replace(said)
		}
	}
	t.Fatal("the watch was not played")
	return ""
}

// A watch of a test with rows is judged once, when the last row comes to it; and where that row does not come so far, when the one
// before did.
func TestAWatchIsJudgedThoughTheLastRowIsNot(t *testing.T) {
	t.Parallel()
	const offends = `T-001 fail fail: status is 404 (GET /v1/b in T-001; %d of %d answers), want 200`
	for _, row := range []struct{ name, cases, step, want string }{
		{"all rows come to it", "{at: a}, {at: a}", `skip_when: {gone: {status: 404}}`, fmt.Sprintf(offends, 2, 4)},
		{"the last is skipped", "{at: a}, {at: none}", `skip_when: {gone: {status: 404}}`, fmt.Sprintf(offends, 1, 2)},
		{"the last is blocked", "{at: a}, {at: none}", `assume: {status: 200}`, fmt.Sprintf(offends, 1, 2)},
		{"none comes to it", "{at: none}, {at: none}", `skip_when: {gone: {status: 404}}`, "T-001 skip"},
		{"the first is skipped", "{at: none}, {at: a}", `skip_when: {gone: {status: 404}}`, fmt.Sprintf(offends, 1, 2)},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{routes: map[string]http.HandlerFunc{"GET /a": saying(200, "application/json", "{}"), "GET /b": saying(404, "application/json", "{}")}}
			out := against(t, f, `
  - id: T-001
    test: a
    must: m
    source: s
    last: true
    cases: [`+row.cases+`]
    steps:
      - request: GET ${api}/${case.at}
        `+row.step+`
      - request: GET ${api}/b
      - {watch: answers, where: {request.path: {matches: "/[ab]$"}}, expect: {status: 200}}
`)
			got := out.Results[0].ID + " " + string(out.Results[0].Outcome)
			for _, f := range out.Results[0].Findings {
				got += " " + string(f.Severity) + ": " + f.Problem
			}
			got = strings.NewReplacer(out.Target.ExecutorURL, "", "/agents/"+fakeInstance, "").Replace(got)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A finding of a watch names the routes that offend, unless it is one that stands there anyway, and what tells them from the rest.
func TestAWatchNamesTheRoutesThatOffend(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, steps, want, common string }{
		{"several", `[{request: "GET ${api}/a"}, {request: "GET ${api}/b"}, {request: "GET ${api}/b"}]`, "GET /agents/{id}/v1/b (2), GET /agents/{id}/v1/a (1)", ""},
		{"one", `[{request: "GET ${api}/b"}, {request: "GET ${api}/b"}]`, "", ""},
		{"one of several", `[{request: "GET ${api}/b"}, {request: "GET ${api}/b"}, {request: "GET ${api}/c"}]`, "", "GET /agents/{id}/v1/b (all 2, and not the other one)"},
		{"those without credentials", `[{request: "GET ${api}/c"}, {request: "GET ${api}/c", as: anonymous}, {request: "GET ${api}/c", as: anonymous}]`, "",
			"asked without credentials (all 2, and not the other one)"},
	} {
		open := func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if q.Header.Get("Authorization") == "" {
				w.WriteHeader(http.StatusAccepted)
			}
		}
		f := &fake{token: fakeToken, routes: map[string]http.HandlerFunc{"GET /a": saying(404, "application/json", "{}"), "GET /b": saying(404, "application/json", "{}"), "GET /c": open}}
		out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: `+row.steps+`}
  - {id: T-002, test: b, must: m, source: s, last: true, steps: [{watch: answers, where: {request.path: {matches: "/[abc]$"}}, expect: {status: 200}}]}
`)
		if found := out.Results[1].Findings; len(found) != 1 || found[0].SeenAt != row.want || found[0].Common != row.common {
			t.Errorf("%s: found %+v, want one finding that is seen at %q, with %q in common", row.name, found, row.want, row.common)
		}
		if r := &out.Results[1]; !slices.ContainsFunc(r.Evidence, func(e report.Evidence) bool { return e.Judged && e.Kind == "response" }) {
			t.Errorf("%s: no answer counts as judged: %+v", row.name, r.Evidence)
		}
	}
}

func saying(status int, media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func TestWatches(t *testing.T) {
	t.Parallel()
	working, canceled := `{"id":"t1","status":{"state":"working"}}`, `{"id":"t1","status":{"state":"canceled"}}`
	alternating := func() http.HandlerFunc {
		n := 0
		return func(w http.ResponseWriter, q *http.Request) {
			n++
			saying(200, "application/json", []string{canceled, working}[n%2])(w, q)
		}
	}
	asking := func(task, prompt string) string {
		return `{"id":"` + task + `","status":{"state":"input-required","message":{"metadata":{"https://x/extensions/hitl-prompt/v1":{"prompt_id":"` + prompt + `"}}}}}`
	}
	for _, c := range []struct {
		name, traffic, watch, want string
		routes                     map[string]http.HandlerFunc
	}{
		{name: "everything is as it should be",
			traffic: `{request: "GET ${api}/a"}, {request: "GET ${api}/b"}`,
			watch:   `- {watch: answers, where: {status: {between: [400, 599]}}, expect: {header.Content-Type: {media_type: application/problem+json}}}`,
			routes:  map[string]http.HandlerFunc{"GET /a": saying(404, "application/problem+json", "{}"), "GET /b": saying(200, "text/plain", "x")},
			want:    "pass"},
		{name: "the first offender is named, and how many there were",
			traffic: `{request: "GET ${api}/a"}, {request: "GET ${api}/b"}, {request: "GET ${api}/b?n=2"}`,
			watch:   `- {watch: answers, where: {status: {between: [400, 599]}}, expect: {header.Content-Type: {media_type: application/problem+json}}}`,
			routes:  map[string]http.HandlerFunc{"GET /a": saying(404, "application/problem+json", "{}"), "GET /b": saying(500, "text/plain", "x")},
			want:    `fail; fail: header.Content-Type is "text/plain" (GET /v1/b in T-001; 2 of 3 answers), want "application/problem+json"`},
		{name: "a ruling softens",
			traffic: `{request: "GET ${api}/a"}`,
			watch:   `- {watch: answers, where: {request.path: {matches: "/a$"}}, expect: {status: 404}, softened: [{ruling: AMB-04, to: warning, expect: {json.a: 1}}, {ruling: AMB-05, to: note, expect: {json.b: 1}}]}`,
			routes:  map[string]http.HandlerFunc{"GET /a": saying(404, "application/json", "{}")},
			want:    `warn; warn: json.a is missing (GET /v1/a in T-001; 1 of 1 answers), want 1; pass: json.b is missing (GET /v1/a in T-001; 1 of 1 answers), want 1`},
		{name: "the task that was asked for",
			traffic: `{request: "GET ${api}/tasks/t1"}, {request: "GET ${api}/tasks/t2"}, {request: "GET ${api}/tasks?limit=1"}`,
			watch:   `- {watch: answers, where: {request.task: {present: true}}, expect: {exchange: {same: [request.task, task.id]}}}`,
			routes:  map[string]http.HandlerFunc{"GET /tasks/t1": saying(200, "application/json", working), "GET /tasks/t2": saying(200, "application/json", working), "GET /tasks": saying(200, "application/json", "{}")},
			want:    `fail; fail: task.id is "t1" (GET /v1/tasks/t2 in T-001; 1 of 2 answers), want "t2" as request.task`},
		{name: "nothing was seen",
			traffic: `{request: "GET ${api}/a"}`,
			watch:   `- {watch: answers, where: {status: 418}, expect: {json: {present: true}}}`,
			want:    "blocked; blocked: a step could not be done (watch at p/tasks.yaml:13:9): the run has seen nothing of the answers that this is about"},
		{name: "nothing was seen, and so it does not apply",
			traffic: `{request: "GET ${api}/a"}`,
			watch:   `- {watch: answers, where: {status: 418}, skip_unless: {when-present:teapot: {seen: {at_least: 1}}}, expect: {json: {present: true}}}`,
			want:    "skip; when-present:teapot: seen is 0; the requirement applies where it is at least 1"},
		{name: "its own traffic counts, and the head of a stream is an answer",
			traffic: `{request: "GET ${api}/a"}`,
			watch: `- {stream: "GET ${api}/s", until: closed, within: 5s}
- {watch: answers, where: {request.test: T-002}, expect: {header.X: {present: true}}}`,
			routes: map[string]http.HandlerFunc{"GET /s": saying(200, "text/event-stream", "data: 1\n\n")},
			want:   "fail; fail: header.X is missing (GET /v1/s in T-002; 1 of 1 answers), want it to be there"},
		{name: "the head of a refused upgrade is an answer",
			traffic: `{open: "${base}/sessions/s1/attach", subprotocol: pty-ws.v1, within: 5s}, {open: "${base}/sessions/s2/attach", subprotocol: pty-ws.v1, within: 5s}`,
			watch:   `- {watch: answers, where: {request.surface: terminal}, expect: {status: 404, text: {absent: true}, header.WWW-Authenticate: {present: true}}}`,
			want:    `fail; fail: header.WWW-Authenticate is missing (GET /sessions/s1/attach in T-001; 2 of 2 answers), want it to be there`},
		{name: "answers that are not whole are not judged",
			traffic: `{request: "GET ${api}/a"}, {request: "GET ${api}/b"}`,
			watch:   `- {watch: answers, where: {request.path: {matches: "/[ab]$"}}, expect: {json.a: 1}}`,
			routes: map[string]http.HandlerFunc{"GET /a": saying(200, "application/json", `{"a":1}`), "GET /b": func(w http.ResponseWriter, q *http.Request) {
				w.Header().Set("Content-Length", "100")
				saying(200, "application/json", `{"a":`)(w, q)
			}},
			want: "pass"},
		{name: "who asks whether they were cut sees answers that were",
			traffic: `{request: "GET ${api}/a"}, {request: "GET ${api}/b"}`,
			watch:   `- {watch: answers, where: {request.path: {matches: "/[ab]$"}}, expect: {cut: {absent: true}}}`,
			routes: map[string]http.HandlerFunc{"GET /a": saying(200, "application/json", `{"a":1}`), "GET /b": func(w http.ResponseWriter, q *http.Request) {
				w.Header().Set("Content-Length", "100")
				saying(200, "application/json", `{"a":`)(w, q)
			}},
			want: `fail; fail: cut is present ("the body was cut: the connection ended in the middle") (GET /v1/b in T-001; 1 of 2 answers), want absent`},
		{name: "and those that came in place of a stream",
			traffic: `{stream: "GET ${api}/a", until: closed, within: 5s}, {stream: "GET ${api}/b", until: closed, within: 5s}`,
			watch:   `- {watch: answers, where: {request.path: {matches: "/[ab]$"}}, expect: {cut: {absent: true}}}`,
			routes: map[string]http.HandlerFunc{"GET /a": saying(400, "application/problem+json", `{"a":1}`), "GET /b": func(w http.ResponseWriter, q *http.Request) {
				w.Header().Set("Content-Length", "100")
				saying(400, "application/problem+json", `{"a":`)(w, q)
			}},
			want: `fail; fail: cut is present ("the body was cut: the connection ended in the middle") (GET /v1/b in T-001; 1 of 2 answers), want absent`},
		{name: "streams, when they are over",
			traffic: `{stream: "GET ${api}/s", until: closed, within: 5s}, {stream: "GET ${api}/u", until: closed, within: 5s}`,
			watch:   `- {watch: streams, expect: {"events[*].id": {unique: true}, closed.by: executor}}`,
			routes:  map[string]http.HandlerFunc{"GET /s": saying(200, "text/event-stream", "id: 1\ndata: 1\n\nid: 2\ndata: 1\n\n"), "GET /u": saying(200, "text/event-stream", "id: 1\ndata: 1\n\nid: 1\ndata: 1\n\n")},
			want:    `fail; fail: events[*].id has "1" twice, at [0] and [1] (GET /v1/u in T-001; 1 of 2 streams)`},
		{name: "tasks, wherever they are shown",
			traffic: `{request: "GET ${api}/tasks/t1"}, {request: "GET ${api}/tasks?limit=1"}, {stream: "GET ${api}/s", until: closed, within: 5s}`,
			watch:   `- {watch: tasks, expect: {task.state: {one_of: [working, canceled]}}}`,
			routes: map[string]http.HandlerFunc{"GET /tasks/t1": saying(200, "application/json", working), "GET /tasks": saying(200, "application/json", `{"tasks":[`+canceled+`,{"id":"t2","status":{"state":"running"}}]}`),
				"GET /s": saying(200, "text/event-stream", `data: {"id":"t3","status":{"state":"queued"}}`+"\n\n")},
			want: `fail; fail: task.state is "running" (GET /v1/tasks?limit=1 in T-001; 2 of 4 tasks), want "working" or "canceled"`},
		{name: "the course of a task is what was known before it was asked for",
			traffic: `{request: "GET ${api}/tasks/t1"}, {request: "GET ${api}/tasks/t1"}, {request: "GET ${api}/tasks/t1"}`,
			watch:   `- {watch: tasks, expect: {course: {each: {.state: {not: canceled}}, length: {at_most: 2}}}}`,
			routes:  map[string]http.HandlerFunc{"GET /tasks/t1": alternating()},
			want:    `fail; fail: course[1].state is "canceled" (GET /v1/tasks/t1 in T-001; 2 of 3 tasks), want anything but "canceled"`},
		{name: "of what names no task nothing is remembered",
			traffic: `{stream: "GET ${api}/s", until: closed, within: 5s}`,
			watch:   `- {watch: tasks, expect: {began_as.contextId: {absent: true}, ended_as: {absent: true}, course: {length: 1}}}`,
			routes: map[string]http.HandlerFunc{"GET /s": saying(200, "text/event-stream",
				"data: {\"kind\":\"status-update\",\"contextId\":\"a\",\"status\":{\"state\":\"canceled\"}}\n\ndata: {\"kind\":\"status-update\",\"contextId\":\"b\",\"status\":{\"state\":\"working\"}}\n\n")},
			want: "pass"},
		{name: "a prompt is of the task in which it was first seen",
			traffic: `{request: "GET ${api}/tasks/t1"}, {request: "GET ${api}/tasks/t1"}, {request: "GET ${api}/tasks/t2"}, {request: "GET ${api}/tasks/t3"}`,
			watch:   `- {watch: tasks, where: {prompt_of: {present: true}}, expect: {exchange: {same: [prompt_of, task.id]}}}`,
			routes: map[string]http.HandlerFunc{"GET /tasks/t1": saying(200, "application/json", asking("t1", "p1")),
				"GET /tasks/t2": saying(200, "application/json", asking("t2", "p1")), "GET /tasks/t3": saying(200, "application/json", asking("t3", "p3"))},
			want: `fail; fail: task.id is "t2" (GET /v1/tasks/t2 in T-001; 1 of 4 tasks), want "t1" as prompt_of`},
		{name: "a task has ended as it was first seen to, by whomever",
			traffic: `{request: "GET ${api}/tasks/t1"}, {stream: "GET ${api}/s", until: closed, within: 5s}`,
			watch:   `- {watch: tasks, where: {ended_as: {present: true}}, expect: {exchange: {same: [ended_as, task.state]}}}`,
			routes: map[string]http.HandlerFunc{"GET /tasks/t1": saying(200, "application/json", canceled),
				"GET /s": saying(200, "text/event-stream", `data: {"id":"t1","status":{"state":"completed"}}`+"\n\n")},
			want: `fail; fail: task.state is "completed" (GET /v1/s in T-001; 1 of 2 tasks), want "canceled" as ended_as`},
		{name: "deliveries",
			traffic: `{listen: ears}, {request: "GET ${api}/hook?to=${ears.url}"}, {await: ears, within: 5s}`,
			watch:   `- {watch: deliveries, expect: {delivery.header.Content-Type: application/json, delivery.json.y: 1}}`,
			routes: map[string]http.HandlerFunc{"GET /hook": func(w http.ResponseWriter, q *http.Request) {
				if answer, err := http.Post(q.URL.Query().Get("to"), "application/json", strings.NewReader(`{"x":1}`)); err == nil {
					answer.Body.Close()
				}
			}},
			want: "fail; fail: delivery.json.y is missing (the delivery to ears in T-001; 1 of 1 deliveries), want 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := watchedBy(t, c.routes, c.traffic, c.watch)
			if strings.HasSuffix(c.want, `"`) {
				got = got[:min(len(got), len(c.want))]
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
