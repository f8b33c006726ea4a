// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wholerun"
)

// What the hook whole-run shows is what all tests have seen, those that ran before it included.
func TestWholeRun(t *testing.T) {
	t.Parallel()
	elsewhere := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, fakeToken)
	}))
	f := &fake{token: fakeToken, admin: "short", routes: map[string]http.HandlerFunc{
		"GET /busy": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		},
		"GET /busier": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		"GET /header": func(w http.ResponseWriter, q *http.Request) { w.Header().Set("X-Echo", q.Header.Get("Authorization")) },
		"GET /body":   func(w http.ResponseWriter, q *http.Request) { fmt.Fprint(w, q.Header.Get("Authorization"), " short") },
		"GET /stream": func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n", q.Header.Get("Authorization"))
		},
	}}
	out := against(t, f, strings.ReplaceAll(`
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/busy", unpaced: true}, {request: "GET ${api}/busier", unpaced: true}, {request: "GET ELSEWHERE/x"}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/header"}, {request: "GET ${api}/body"}, {stream: "GET ${api}/stream", until: closed, within: 2s}]}
  - id: T-003
    test: c
    must: m
    source: s
    last: true
    steps:
      - hook: whole-run
        expect:
          result.tokens_looked_for: 1
          result.too_many_requests[*].test: [T-001, T-001]
          result.too_many_requests[0].request: {equals: "GET ${api}/busy"}
          result.too_many_requests[0].retry_after: "7"
          result.too_many_requests[1]: {.request: "GET ${api}/busier", .retry_after: {absent: true}}
          result.shown_tokens[*].place: [header X-Echo, body, body]
          result.shown_tokens[*].request: ["GET ${api}/header", "GET ${api}/body", "GET ${api}/stream"]
          result.shown_tokens: {each: {.test: T-002, .token: instance}}
`, "ELSEWHERE", elsewhere))
	if got, want := summary(out), "T-001 pass\nT-002 pass\nT-003 pass"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What a finding cites stands in the evidence of the test that found it, whichever test has seen it; and a table says in which of its cases it holds.
func TestWhatIsCitedIsShown(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /fine": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"GET /bad": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			fmt.Fprint(w, `{"short": "and stout"}`)
		},
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/fine"}, {request: "GET ${api}/bad"}]}
  - {id: T-002, test: b, must: m, source: s, last: true, cases: [{name: pots, at: 418}, {name: pans, at: 419}], steps: [{hook: whole-run, expect: {result.errors: {none: {.status: "${case.at}"}}}}]}
`)
	if got, want := summary(out), "T-001 pass\nT-002 fail fail: "; !strings.HasPrefix(got, want) {
		t.Fatalf("got %s, want %s", got, want)
	}
	r := &out.Results[1]
	if !slices.Equal(r.Held, []string{"pans"}) {
		t.Errorf("it holds in %q", r.Held)
	}
	at := slices.IndexFunc(r.Evidence, func(e report.Evidence) bool { return e.Judged })
	if at < 0 {
		t.Fatalf("no evidence is what was judged: %+v", r.Evidence)
	}
	if e := r.Evidence[at]; !strings.Contains(e.Head, "T-001 asked GET ") || !strings.Contains(e.Head, "/bad and was answered with status 418") || !strings.Contains(e.Body, "and stout") {
		t.Errorf("what is cited is shown as %+v", e)
	}
}

// Of every error answer the hook shows what it says, and whether a problem document repeats the status.
func TestErrorsOfTheWholeRun(t *testing.T) {
	t.Parallel()
	answer := func(status int, media, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /fine":     answer(200, "application/json", `{"status":500}`),
		"GET /same":     answer(404, "application/problem+json; charset=utf-8", `{"status":404.0}`),
		"GET /other":    answer(404, "application/problem+json", `{"status":500}`),
		"GET /text":     answer(400, "application/problem+json", `{"status":"500"}`),
		"GET /plain":    answer(502, "application/json", `{"status":1}`),
		"GET /no-json":  answer(503, "text/plain", "down"),
		"GET /too-long": answer(500, "text/plain", strings.Repeat("x", wholerun.LongestError+1)),
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/fine"}, {request: "GET ${api}/same"}, {request: "GET ${api}/other"}, {request: "GET ${api}/text"}, {request: "GET ${api}/plain"}, {request: "GET ${api}/no-json"}, {request: "GET ${api}/too-long"}]}
  - id: T-002
    test: b
    must: m
    source: s
    last: true
    steps:
      - hook: whole-run
        expect:
          result.errors[*].request: ["GET ${api}/same", "GET ${api}/other", "GET ${api}/text", "GET ${api}/plain", "GET ${api}/no-json"]
          result.errors[*].status: [404, 404, 400, 502, 503]
          result.errors[*].status_repeated: [true, false]
          result.errors[1]: {.test: T-001, .media_type: application/problem+json, .json.status: 500, .status_repeated: false}
          result.errors[2]: {.status_repeated: {absent: true}}
          result.errors[3]: {.status_repeated: {absent: true}}
          result.errors[4]: {.text: down, .json: {absent: true}}
  - {id: T-003, test: c, must: m, source: s, last: true, steps: [{hook: whole-run, expect: {result.errors: {none: {.request: {present: true}, .status_repeated: false}}}}]}
`)
	if got, want := summary(out), "T-001 pass\nT-002 pass\nT-003 fail fail: result.errors[1] has request \"GET "; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "/other\" and status_repeated false (in T-001; 1 of 5 errors), want no such element") {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Of the operations of a plain A2A server the hook shows the answers, and the objects in them by kind.
func TestObjectsOfTheWholeRun(t *testing.T) {
	t.Parallel()
	const task = `{"id":"t","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"s","parts":[{"text":"a"}]}},"history":[{"messageId":"h","parts":[{"data":1},{"url":"u"}]}],"artifacts":[{"artifactId":"x","parts":[{"raw":""}]}]}`
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
		switch {
		case strings.HasSuffix(r.URL.Path, "message:stream"):
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"task\":"+task+"}\n\ndata: {\"artifactUpdate\":{\"taskId\":\"t\",\"artifact\":{\"artifactId\":\"y\",\"parts\":[{\"text\":\"b\"}]}}}\n\n"+
				"data: {\"taskId\":\"t\",\"artifact\":{\"artifactId\":\"bare\",\"parts\":[{\"text\":\"c\"}]}}\n\n"+
				"data: {\"old\":{\"taskId\":\"t\",\"artifact\":{\"artifactId\":\"renamed\"}}}\n\n")
		case strings.HasSuffix(r.URL.Path, "message:send"):
			fmt.Fprint(w, `{"message":{"messageId":"d","parts":[]}}`)
		case strings.HasSuffix(r.URL.Path, "/tasks"):
			fmt.Fprint(w, `{"tasks":["bare"]}`)
		default:
			w.WriteHeader(404)
		}
	}}
	got, _ := playA2A(t, f, `tests:
  - id: T-1
    test: a
    must: m
    over: HTTP+JSON
    steps: [{request: SendMessage, params: {}}, {stream: SendStreamingMessage, params: {}, until: closed}, {request: GetTask, params: {id: n}}, {request: ListTasks}, {request: SendMessage, params: {}, header: {A2A-Version: "0.3"}}]
  - id: T-2
    test: b
    must: m
    last: true
    steps:
      - hook: whole-run
        expect:
          result.answers[*].status: [200, 404, 200]
          result.answers[*].operation: [SendMessage, GetTask, ListTasks]
          result.responses[*].at: [""]
          result.items[*].from: [SendStreamingMessage, SendStreamingMessage, SendStreamingMessage, SendStreamingMessage]
          result.tasks[*].at: [/task, /tasks/0]
          result.tasks[1].value: bare
          result.messages[*].place: [direct, status, history]
          result.parts[*].message: [s, h, h]
          result.parts[*].at: [/task/status/message/parts/0, /task/history/0/parts/0, /task/history/0/parts/1, /task/artifacts/0/parts/0, /artifactUpdate/artifact/parts/0, /artifact/parts/0]
          result.artifacts[*].value.artifactId: [x, "y", bare, renamed]
          result.artifacts[*].at: [/task/artifacts/0, /artifactUpdate/artifact, /artifact, /old/artifact]
          result.artifact_updates[*].over: [HTTP+JSON]
          result.errors[*].status: [404]
`)
	if got != "T-1 pass\nT-2 pass" {
		t.Error(got)
	}
}

// Where there was no room for all answers, a requirement about every answer is not passed on those that were kept: it fails
// by them, or is blocked. What was looked at when it came is judged as ever.
func TestWholeRunThatWasNotKept(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", wholerun.LongestError)
	f := &fake{token: fakeToken, routes: map[string]http.HandlerFunc{
		"GET /long": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, long, http.StatusBadRequest) },
		"GET /error": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, long[:wholerun.LongestError-1], http.StatusBadRequest)
		},
	}}
	suite := `
  - {id: T-001, test: a, must: m, source: s, cases: [CASES], steps: [{request: "GET ${api}/PATH"}]}
  - {id: T-002, test: b, must: m, source: s, last: true, steps: [{hook: whole-run, expect: {result.errors: {none: {.media_type: application/json}}}}]}
  - {id: T-003, test: c, must: m, source: s, last: true, steps: [{hook: whole-run, expect: {result.errors: {none: {.status: 400}}}}]}
  - {id: T-004, test: d, must: m, source: s, last: true, steps: [{hook: whole-run, expect: {result.shown_tokens: {length: 0}}}]}`
	rows := make([]string, wholerun.MaxOfErrors/wholerun.LongestError+10)
	for i := range rows {
		rows[i] = fmt.Sprintf("{name: r%d}", i)
	}
	play := func(path string, rows []string) *report.Run {
		return against(t, f, strings.NewReplacer("CASES", strings.Join(rows, ", "), "PATH", path).Replace(suite))
	}
	out := play("error", rows)
	for id, want := range map[string]report.Outcome{"T-002": report.Blocked, "T-003": report.Fail, "T-004": report.Pass} {
		if got := result(t, out, id).Outcome; got != want {
			t.Errorf("of more errors than are kept %s is %s, want %s", id, got, want)
		}
	}
	if reason := result(t, out, "T-002").Reason; reason == nil || !strings.Contains(reason.Detail, "were not judged") {
		t.Errorf("the reason is %+v", reason)
	}
	out = play("long", rows[:1])
	for _, id := range []string{"T-002", "T-003"} {
		if r := result(t, out, id); r.Outcome != report.Pass || !strings.Contains(strings.Join(r.Notes, "\n"), "not checked: 1") {
			t.Errorf("of an error that is too long %s is %s with the notes %q", id, r.Outcome, r.Notes)
		}
	}
}

// A requirement about every object of a kind is blocked when more different ones came than are kept. A task that is read over and
// over, as a slow one is, holds the same ones, and leaves room for others.
func TestObjectsThatWereNotKept(t *testing.T) {
	t.Parallel()
	const suite = `tests:
ASKED
  - {id: T-2, test: b, must: m, last: true, steps: [{hook: whole-run, expect: {result.parts: {each: {.value.t: {present: true}}}}}]}
  - {id: T-3, test: c, must: m, last: true, steps: [{hook: whole-run, expect: {result.statuses: {each: {.value.state: TASK_STATE_COMPLETED}}}}]}
`
	for asked, want := range map[string]string{
		"a b c d e":         "T-2 pass\nT-3 pass",
		"a b c d e a b":     "T-2 pass\nT-3 pass",
		"a a a a a a a b c": "T-2 pass\nT-3 pass",
		"a b c d e f":       "T-2 blocked blocked\nT-3 pass",
		"a a b c d e f":     "T-2 blocked blocked\nT-3 pass",
	} {
		var tests, before []string // each asks once, so that none holds more than a test may
		for i, id := range strings.Fields(asked) {
			tests = append(tests, fmt.Sprintf("  - {id: A-%d, test: a%d, must: m, over: HTTP+JSON, steps: [{request: GetTask, params: {id: %s}}]}", i, i, id))
			before = append(before, fmt.Sprintf("A-%d pass\n", i))
		}
		want = strings.Join(before, "") + want
		f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
			parts := make([]string, wholerun.MaxObjects/6)
			for i := range parts {
				parts[i] = fmt.Sprintf(`{"t":"%s%d"}`, r.URL.Path[len(r.URL.Path)-1:], i)
			}
			fmt.Fprintf(w, `{"id":"t","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"x","parts":[%s]}]}`, strings.Join(parts, ","))
		}}
		if got, _ := playA2A(t, f, strings.Replace(suite, "ASKED", strings.Join(tests, "\n"), 1)); got != want {
			t.Errorf("of %s got %s, want %s", asked, got, want)
		}
	}
}
