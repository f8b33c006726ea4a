// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// passes plays steps against a fake and wants them to pass.
func passes(t *testing.T, f *fake, steps string) *report.Run {
	t.Helper()
	out := against(t, f, oneTest(steps))
	if got := summary(out); got != "T-001 pass" {
		t.Errorf("got %s %+v", got, out.Results[0].Reason)
	}
	return out
}

// says plays steps against a fake and wants a finding that contains a sentence.
func says(t *testing.T, f *fake, sentence, steps string) *report.Run {
	t.Helper()
	out := against(t, f, oneTest(steps))
	if got := summary(out); !strings.HasPrefix(got, "T-001 fail") || !strings.Contains(got, sentence) {
		t.Errorf("got %s %+v\nwant %s", got, out.Results[0].Reason, sentence)
	}
	return out
}

// counting answers with a task that goes through states, one a request.
func counting(states ...string) http.HandlerFunc {
	var n atomic.Int32
	return func(w http.ResponseWriter, q *http.Request) {
		i := min(int(n.Add(1)), len(states)) - 1
		fmt.Fprintf(w, `{"id":"t","status":{"state":%q}}`, states[i])
	}
}

func TestPoll(t *testing.T) {
	t.Parallel()
	with := func(states ...string) *fake {
		return &fake{routes: map[string]http.HandlerFunc{"GET /x": counting(states...)}}
	}
	passes(t, with("TASK_STATE_SUBMITTED", "working", "completed"), `
- {poll: "GET ${api}/x", every: 1ms, until: {task.state: completed}, within: 5s, expect: {answers: {length: 3}}, keep: {s: task.state}}`)
	says(t, with("submitted", "working"), `task.state is "working", after 1s and`, `
- {poll: "GET ${api}/x", every: 5ms, until: {task.state: completed}, within: 1s}`)
	says(t, with("submitted", "working"), `with the states submitted, working, want "completed"`, `
- {poll: "GET ${api}/x", every: 5ms, until: {task.state: completed}, within: 1s}`)
	says(t, with("canceled", "canceled", "working"), `task.state is "working", want "canceled"`, `
- {poll: "GET ${api}/x", every: 1ms, for: 5s, expect: {task.state: canceled}}`)
	out := passes(t, with("canceled"), `
- {poll: "GET ${api}/x", every: 10ms, for: 1s, expect: {task.state: canceled, answers: {length: {at_least: 2}}}}`)
	if out.Results[0].WaitMS == 0 {
		t.Errorf("waited %d ms", out.Results[0].WaitMS)
	}
	named := `
- {request: "GET ${api}/x", keep: {ms: json.wait}}
- {poll: "GET ${api}/y", every: 1ms, for: "${ms}ms", expect: {status: 404, answers: {length: {at_least: 2}}}}`
	waiting := func(wait string) *fake {
		return &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"wait": %s}`, wait) }}}
	}
	if out := passes(t, waiting("200"), named); out.Results[0].WaitMS == 0 {
		t.Errorf("waited %d ms", out.Results[0].WaitMS)
	}
	for wait, want := range map[string]string{"15001": "T-001 skip slow", "0": "T-001 blocked blocked", `"x"`: "T-001 blocked blocked"} {
		if got := summary(against(t, waiting(wait), oneTest(named))); got != want {
			t.Errorf("a wait of %s ms is %s, want %s", wait, got, want)
		}
	}
	passes(t, with("a", "b", "c"), `
- {poll: "GET ${api}/x", every: 1ms, times: 3, expect: {task.state: c, answers: {length: 3}}}`)
}

// Every request of a poll is one of its own, and a test is over where the other answer has come.
func TestPollsAreFilledInAnewAndTestsMayEndEarly(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"POST /x": func(w http.ResponseWriter, q *http.Request) { io.Copy(w, q.Body) }}}
	passes(t, f, `
- {poll: "POST ${api}/x", every: 1ms, times: 3, json: "${fresh.uuid}", expect: {answers: {length: 3, unique: json}}}
- {request: "POST ${api}/x", json: 1, expect: {json: 1}, enough_when: {json: 2}}
- {request: "POST ${api}/x", json: 1, expect: {json: 1}, enough_when: {json: 1}}
- {request: "POST ${api}/x", json: 1, expect: {json: 2}}`)
}

// A poll that waits for a restart goes on while nothing listens.
func TestPollGoesOnWithoutAnswers(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	passes(t, &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, q *http.Request) {
		if n.Add(1) < 3 {
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		}
	}}}, `- {poll: "GET ${api}/x", every: 1ms, until: {status: 200}, within: 5s}`)
}

func TestWalk(t *testing.T) {
	t.Parallel()
	pages := func(cursors ...string) *fake {
		return &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, q *http.Request) {
			at := 0
			for i, c := range cursors {
				if c == q.URL.Query().Get("cursor") {
					at = i + 1
				}
			}
			next := ""
			if at < len(cursors) {
				next = cursors[at]
			}
			w.Header().Set("X-Limit", q.URL.Query().Get("limit"))
			fmt.Fprintf(w, `{"tasks":[{"id":"t%d","status":{}}],"next_cursor":%q}`, at, next)
		}}}
	}
	passes(t, pages("a b&c=d", "e+f"), `
- {request: "GET ${api}/x?limit=1", walk: cursor, pages: 9, expect: {walk_ended: true, walk_cut: false, pages: {length: 3}, header.X-Limit: "1", listed: {each: {.id: {starts_with: t}}}}}`)
	passes(t, pages("a", "b", "c"), `
- {request: "GET ${api}/x", walk: cursor, until: {"listed[*].id": {contains: t1}}, expect: {walk_ended: false, pages: {length: 2}}}`)
	passes(t, pages("a", "b", "c"), `- {request: "GET ${api}/x", walk: cursor, pages: 2, expect: {walk_ended: false, walk_cut: true, listed: {length: 2}}}`)
	passes(t, &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, q *http.Request) {
		io.WriteString(w, `{"tasks":[],"next_cursor":"same"}`)
	}}}, `- {request: "GET ${api}/x", walk: cursor, pages: 50, expect: {walk_ended: false, walk_cut: false, pages: {length: 2}}}`)
	// A list that never ends is no long one, under whatever cursors it comes.
	for name, tasks := range map[string]string{"the same task": `{"id":"t","status":{}}`, "nothing": ""} {
		page := 0
		t.Run(name, func(t *testing.T) {
			passes(t, &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, q *http.Request) {
				page++
				fmt.Fprintf(w, `{"tasks":[%s],"next_cursor":"c%d"}`, tasks, page)
			}}}, `- {request: "GET ${api}/x", walk: cursor, pages: 5, expect: {walk_ended: false, walk_cut: false, pages: {length: 5}}}`)
		})
	}
}

func TestIf(t *testing.T) {
	t.Parallel()
	answers := &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"yes":true,"no":false,"one":1,"name":"outer"}`)
	}, "GET /dead": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}}
	const read = `
- {request: "GET ${api}/x", keep: {yes: json.yes, no: json.no, one: json.one, name: json.name}}`
	for _, row := range []struct{ name, steps, want string }{
		{"what is false is left out", `- {if: "${no}", steps: [{request: "GET ${api}/never", expect: {status: 200}}]}
- {request: "GET ${api}/x", expect: {status: 200}}`, "T-001 pass"},
		{"what is true is judged", `- {if: "${yes}", steps: [{request: "GET ${api}/never", expect: {status: 200}}]}`, "T-001 fail fail: status is 404, want 200"},
		{"what prepares blocks", `- {if: "${yes}", given: [{request: "GET ${api}/never", expect: {status: 200}}], steps: [{request: "GET ${api}/x", expect: {status: 200}}]}`, "T-001 blocked blocked"},
		{"what follows preparation is judged", `- {if: "${yes}", given: [{request: "GET ${api}/x", expect: {status: 200}}], steps: [{request: "GET ${api}/x", expect: {status: 201}}]}`, "T-001 fail fail: status is 200, want 201"},
		{"what is kept is known inside alone", `- {if: "${yes}", steps: [{request: "GET ${api}/x", keep: {name: json.one}}, {request: "GET ${api}/x", expect: {json.one: "${name}"}}]}
- {request: "GET ${api}/x", expect: {json.name: "${name}"}}`, "T-001 pass"},
		{"what ends a row ends it", `- {if: "${yes}", steps: [{request: "GET ${api}/x", skip_when: {not-supported: {status: 200}}}]}
- {request: "GET ${api}/never", expect: {status: 200}}`, "T-001 skip not-supported"},
		{"what is enough ends the steps alone", `- {if: "${yes}", steps: [{request: "GET ${api}/x", enough_when: {status: 200}}, {request: "GET ${api}/never", expect: {status: 200}}]}
- {request: "GET ${api}/x", expect: {status: 201}}`, "T-001 fail fail: status is 200, want 201"},
		{"a part ends alone", `- {part: some of it, steps: [{request: "GET ${api}/x", enough_when: {status: 200}}, {request: "GET ${api}/never", expect: {status: 200}}]}
- {request: "GET ${api}/x", expect: {status: 201}}`, "T-001 fail fail: status is 200, want 201"},
		{"no answer is not another one", `- {part: some of it, steps: [{request: "GET ${api}/dead", enough_when: {exchange: {not: {.json.yes: true}}}}, {request: "GET ${api}/x", expect: {status: 200}}]}
- {request: "GET ${api}/x", expect: {status: 200}}`, "T-001 blocked blocked"},
		{"nor is one to a poll", `- {poll: "GET ${api}/dead", times: 2, every: 1ms, enough_when: {exchange: {not: {.json.yes: true}}}}`, "T-001 blocked blocked"},
		{"nor is one to a stream", `- {stream: "GET ${api}/dead", background: true}
- {await: stream, for: 1s, until: {closed: {present: true}}, enough_when: {exchange: {not: {.events: {not_empty: true}}}}}`, "T-001 blocked blocked"},
		{"who goes on without an answer says so", `- {request: "GET ${api}/dead", enough_when: {status: 200}}
- {request: "GET ${api}/x", expect: {status: 201}}`, "T-001 fail fail: status is 200, want 201"},
		{"neither true nor false", `- {if: "${one}", steps: [{request: "GET ${api}/x", expect: {status: 200}}]}`, "T-001 blocked blocked"},
	} {
		if got := summary(against(t, answers, oneTest(read+"\n"+row.steps))); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

func TestTogether(t *testing.T) {
	t.Parallel()
	f := &fake{}
	passes(t, f, `
- together: 5
  steps:
    - {request: "POST ${api}/messages:send", json: {}, expect: {status: 202}, keep: {mine: task.id}}
    - {request: "GET ${api}/tasks/${mine}", expect: {status: 200}}
  expect: {branches: {length: 5, each: {.status: 200, .task.state: working, .mine: {starts_with: task}}}}`)
	if n := f.requests("POST /agents/" + fakeInstance + "/v1/tasks/task-"); n != 5 {
		t.Errorf("%d tasks were cancelled", n)
	}
	declared := &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, q *http.Request) {
		io.WriteString(w, `{"none":0,"one":1,"many":101,"names":["b","a","c"],"empty":[]}`)
	}}}
	passes(t, declared, `
- {request: "GET ${api}/x", keep: {none: json.none, one: json.one}}
- {together: "${none}", steps: [{request: "GET ${api}/never", expect: {status: 200}}], expect: {branches: {length: 0}}}
- {together: "${one}", steps: [{request: "GET ${api}/x"}], expect: {branches: {length: 1}}}`)
	passes(t, declared, `
- {request: "GET ${api}/x", keep: {names: json.names, empty: json.empty}}
- {together: "${empty}", steps: [{request: "GET ${api}/never/${element}", expect: {status: 200}}], expect: {branches: {length: 0}}}
- together: "${names}"
  let: {path: "x?${element}"}
  steps: [{request: "GET ${api}/${path}", expect: {status: 200, json.names: {any: "${element}"}}}]
  expect: {branches: {agree_on: status, length: 3}, "branches[*].element": [b, a, c]}`)
	if got := summary(against(t, declared, oneTest(`
- {request: "GET ${api}/x", keep: {many: json.many}}
- {together: "${many}", steps: [{request: "GET ${api}/x", expect: {status: 200}}]}`))); got != "T-001 blocked blocked" {
		t.Error(got)
	}
	out := says(t, &fake{}, "status is 404, want 200", `
- together: 3
  steps: [{request: "GET ${api}/tasks/none", expect: {status: 200}}, {request: "GET ${api}/never"}]
- {request: "GET ${api}/never"}`)
	if len(out.Results[0].Findings) != 1 {
		t.Errorf("findings are %+v", out.Results[0].Findings)
	}
	blocked := against(t, &fake{}, oneTest(`
- together: 3
  steps: [{request: "GET ${api}/tasks/none", assume: {status: 200}}]`))
	if got := summary(blocked); got != "T-001 blocked blocked" {
		t.Error(got)
	}
}

// Clients that take turns: preparation is not timed, what breaks there blocks, and after that nobody else begins.
func TestTogetherInTurns(t *testing.T) {
	t.Parallel()
	var here, most, calls atomic.Int64
	meet := make(chan struct{})
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /ready": func(http.ResponseWriter, *http.Request) {},
		"GET /x": func(w http.ResponseWriter, q *http.Request) {
			most.Store(max(most.Load(), here.Add(1)))
			select { // each waits for the one that is there with it
			case meet <- struct{}{}:
			case <-meet:
			case <-time.After(5 * time.Second):
				t.Error("a client is there alone")
			}
			here.Add(-1)
		},
		"GET /refuses": func(w http.ResponseWriter, q *http.Request) { calls.Add(1); http.Error(w, "", 500) },
	}}
	passes(t, f, `
- together: 6
  at_once: 2
  given: [{request: "GET ${api}/ready", expect: {status: 200}}]
  steps: [{request: "GET ${api}/x", expect: {status: 200}}]
  expect: {lasted: {length: 6, percentile: {rank: 100, fits: {at_least: 0ms}}}, branches: {length: 6}}`)
	if n := most.Load(); n < 1 || n > 2 {
		t.Errorf("%d clients were there at once", n)
	}
	for _, step := range []string{`given: [{request: "GET ${api}/refuses", expect: {status: 200}}], steps: [{request: "GET ${api}/x"}]`,
		`steps: [{request: "GET ${api}/refuses", expect: {status: 200}}]`} {
		calls.Store(0)
		want := "T-001 fail fail: status is 500, want 200"
		if strings.HasPrefix(step, "given") {
			want = "T-001 blocked blocked"
		}
		if got := summary(against(t, f, oneTest(`- {together: 9, at_once: 1, `+step+`}`))); got != want {
			t.Errorf("%s: %s, want %s", step, got, want)
		}
		if n := calls.Load(); n != 1 {
			t.Errorf("%s: %d clients began", step, n)
		}
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	events := func(status int, kind string, chunks ...string) *fake {
		return &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			for _, chunk := range chunks {
				if chunk == "hang" {
					<-q.Context().Done()
					return
				}
				io.WriteString(w, chunk)
				w.(http.Flusher).Flush()
			}
		}}}
	}
	sse := "text/event-stream"
	passes(t, events(200, sse, ": hi\n\nevent: task\nid: 7\ndata: {\"id\":\"t\",\"sta", "tus\":{\"state\":\"working\"}}\n\n", `data: {"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_COMPLETED"}}}`+"\n\n"), `
- stream: GET ${api}/x
  until: closed
  expect:
    status: 200
    closed: {by: executor, clean: true}
    comments: {length: 1}
    events: {length: 2}
    first_event_after: {at_most: 5s}
    bytes: {contains: "event: task"}
  softened: [{ruling: AMB-28, to: warning, expect: {events: {first: {.name: task, .id: "7", .kind: task, .state: working, .json.id: t, .complete: true}}}}]`)
	passes(t, events(200, sse, "data: {\"id\":\"t\",\"status\":{\"state\":\"working\"}}\n\n", "hang"), `
- {stream: "GET ${api}/x", until: {events: {any: {.state: working}}}, within: 5s, expect: {closed: {absent: true}}}`)
	says(t, events(200, sse, "data: 1\n\n", "hang"), "closed is missing: the stream is still open after 200ms (1 events, 0 comments), want the end of the stream", `
- {stream: "GET ${api}/x", until: closed, within: 200ms, expect: {events: {length: 1}}}`)
	says(t, events(200, sse, "data: 1\n\n"), "and the stream has ended (1 events", `
- {stream: "GET ${api}/x", until: {events: {length: 2}}, within: 5s}`)
	says(t, events(404, "application/json", `{"code":"x"}`), `status is 404, want 200`, `
- {stream: "GET ${api}/x", until: closed, expect: {status: 200, errcode: x}}`)
	passes(t, events(404, "application/json", `{"code":"x"}`), `
- {stream: "GET ${api}/x", expect: {status: 404, errcode: x, json.code: x, events: {absent: true}}}`)
	passes(t, events(200, sse, "data: 1\n\ndata: 2"), `
- {stream: "GET ${api}/x", until: closed, expect: {events: {length: 1}}}`)
	out := passes(t, events(200, sse, "data: 1\n\n", "hang"), `
- {stream: "GET ${api}/x", for: 100ms, then: cut, expect: {closed: {by: harness}, events: {length: 1}}}`)
	if out.Results[0].WaitMS == 0 {
		t.Errorf("waited %d ms", out.Results[0].WaitMS)
	}
	says(t, events(200, sse, "hang"), "events", `
- {stream: "GET ${api}/x", until: {events: {length: 1}}, within: 100ms}`)
}

func TestAStreamThatIsTornApart(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, q *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n")
	}}}
	passes(t, f, `- {stream: "GET ${api}/x", until: closed, expect: {closed: {by: executor, clean: false}, events: {length: 1}}}`)
}

func TestAStreamInTheBackground(t *testing.T) {
	t.Parallel()
	changed := make(chan struct{})
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /x": func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			select {
			case <-changed:
				io.WriteString(w, "data: {\"id\":\"t\",\"status\":{\"state\":\"canceled\"}}\n\n")
			case <-q.Context().Done():
			}
		},
		"POST /change": func(w http.ResponseWriter, q *http.Request) { close(changed) },
	}}
	passes(t, f, `
- {stream: "GET ${api}/x", by: reader, background: true, until: closed, expect: {status: 200}}
- {request: "POST ${api}/change", expect: {status: 200}}
- {await: stream, by: reader, within: 5s, expect: {events: {last: {.state: canceled}}, closed: {by: executor}}}`)
}

func TestAStreamIsLookedAtForATime(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-q.Context().Done()
	}}}
	passes(t, f, `
- {stream: "GET ${api}/x", background: true}
- {await: stream, for: 200ms, until: {events: {length: 2}}, expect: {events: {length: 1}}}`)
	says(t, f, "events has length 1, want 2", `
- {stream: "GET ${api}/x", background: true}
- {await: stream, for: 200ms, until: {events: {length: 2}}, expect: {events: {length: 2}}}`)
}

func TestTasksOfAStreamAreCancelled(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"POST /messages:stream": func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"id\":\"task-1\",\"status\":{\"state\":\"working\"}}\n\n")
	}}}
	passes(t, f, `- {stream: "POST ${api}/messages:stream", json: {}, until: closed, expect: {events: {length: 1}}}`)
	if n := f.requests("POST /agents/" + fakeInstance + "/v1/tasks/task-1/cancel"); n != 1 {
		t.Errorf("the task was cancelled %d times", n)
	}
}

// Who leaves before the first event would never learn which task to cancel.
func TestTasksOfAStreamThatIsLeftEarlyAreCancelled(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]string{
		"cut by its step":        `- {stream: "POST ${api}/messages:stream", json: {}, then: cut, expect: {status: 200}}`,
		"left in the background": `- {stream: "POST ${api}/messages:stream", json: {}, background: true, expect: {status: 200}}`,
		"opened anew": `
- {stream: "POST ${api}/messages:stream", json: {}, background: true, expect: {status: 200}}
- {stream: "GET ${api}/tasks/none/subscribe", expect: {status: 404}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{routes: map[string]http.HandlerFunc{"POST /messages:stream": func(w http.ResponseWriter, q *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.(http.Flusher).Flush()
				select {
				case <-q.Context().Done():
				case <-time.After(200 * time.Millisecond):
					io.WriteString(w, "data: {\"id\":\"task-1\",\"status\":{\"state\":\"working\"}}\n\n")
					w.(http.Flusher).Flush()
					<-q.Context().Done()
				}
			}}}
			passes(t, f, step)
			if n := f.requests("POST /agents/" + fakeInstance + "/v1/tasks/task-1/cancel"); n != 1 {
				t.Errorf("the task was cancelled %d times", n)
			}
		})
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"POST /notify": func(w http.ResponseWriter, q *http.Request) {
		var asked struct{ URL string }
		_ = json.NewDecoder(q.Body).Decode(&asked)
		for range 2 {
			push, _ := http.NewRequest("POST", asked.URL, strings.NewReader(`{"task_id":"t","status_event":{"status":{"state":"canceled"}}}`))
			push.Header.Set("X-AIWG-Signature", "t=1")
			answer, err := http.DefaultTransport.RoundTrip(push)
			if err == nil {
				fmt.Fprintln(w, answer.StatusCode)
				answer.Body.Close()
			}
		}
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	}}}
	passes(t, f, `
- {listen: hooks, answers: [500]}
- {request: "POST ${api}/notify", json: {url: "${hooks.url}"}, expect: {text: "500\n200\n"}}
- {await: hooks, until: {requests: {length: 2}}, within: 5s, expect: {requests: {each: {.state: canceled, .task.id: t, .json.task_id: t, .header.X-AIWG-Signature: "t=1", .method: POST}}}}`)
	says(t, &fake{}, "requests is empty: nothing was delivered, after 50ms and 0 deliveries", `
- {listen: hooks}
- {await: hooks, within: 50ms}`)
	says(t, &fake{}, "requests", `
- {listen: hooks}
- {await: hooks, until: {requests: {length: 2}}, within: 50ms}`)
}

// TestMain plays the operator's command when the test starts itself.
func hookCommand() {
	switch os.Getenv("HOOK_TEST") {
	case "json":
		var with map[string]any
		_ = json.NewDecoder(os.Stdin).Decode(&with)
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"got": with, "name": os.Getenv("AGENTIC_SANDBOX_CONFORMANCE_HOOK"), "env": os.Getenv("WITH_ARG_V")})
	case "text":
		fmt.Println("  018fc0a2  ")
	case "fails":
		fmt.Fprintln(os.Stderr, "no such unit")
		os.Exit(3)
	case "hangs":
		time.Sleep(time.Minute)
	default:
		return
	}
	os.Exit(0)
}

func TestHooks(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kind := func(kind string) Hook {
		return Hook{Command: []string{"/usr/bin/env", "HOOK_TEST=" + kind, self}}
	}
	posted := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		if bytes.Contains(body, []byte("fail")) {
			w.WriteHeader(500)
		}
		fmt.Fprintf(w, `{"method":%q,"key":%q,"body":%s}`, q.Method, q.Header.Get("X-Key"), body)
	}))
	config := Target{ExecutorURL: (&fake{}).start(t), Hooks: map[string]Hook{
		"json": kind("json"), "text": kind("text"), "fails": kind("fails"), "hangs": kind("hangs"),
		"post":  {URL: posted, Header: http.Header{"X-Key": {"k"}}},
		"value": {Value: map[string]any{"id": "x", "n": 3}}, "second-instance": {Value: "018fc0a2"},
	}}
	out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{hook: json, with: {arg-v: "${iid}"}, expect: {result: {name: json, got.arg-v: "${iid}", env: "${iid}"}}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{hook: text, expect: {result: {equals: "018fc0a2"}}}]}
  - {id: T-003, test: c, must: m, source: s, steps: [{hook: fails, expect: {result: {equals: 1}}}]}
  - {id: T-004, test: d, must: m, source: s, steps: [{hook: hangs, within: 200ms, expect: {result: {equals: 1}}}]}
  - {id: T-005, test: e, must: m, source: s, steps: [{hook: post, with: {a: 1}, expect: {result: {method: POST, key: k, body.a: 1}}}]}
  - {id: T-006, test: f, must: m, source: s, steps: [{hook: post, with: {a: fail}, expect: {result: {method: POST}}}]}
  - {id: T-007, test: g, must: m, source: s, steps: [{hook: value, expect: {result: {id: x, n: 3}}}]}
  - {id: T-008, test: h, must: m, source: s, steps: [{hook: second-instance, expect: {result: {id: 018fc0a2, token: ""}}}]}
`), config, Options{})
	want := "T-001 pass\nT-002 pass\nT-003 blocked blocked\nT-004 blocked blocked\nT-005 pass\nT-006 blocked blocked\nT-007 pass\nT-008 pass"
	if diff := cmp.Diff(want, summary(out)); diff != "" {
		t.Error(diff)
	}
	for id, says := range map[string]string{"T-003": `it ended with exit status 3; it said "no such unit"`, "T-004": "it did not end in time", "T-006": "its status is 500"} {
		if r := result(t, out, id); r.Reason == nil || !strings.Contains(r.Reason.Detail, says) {
			t.Errorf("%s: %+v does not say %q", id, r.Reason, says)
		}
	}
}

// Steps that are used optionally break nothing, block nothing and skip nothing; what comes behind them is judged as ever.
func TestOptionalStepsNeedNotComeOff(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ steps, behind, want, note string }{
		{`{request: "GET ${api}/tasks", expect: {status: 200}}`, `status: 200`, "T-001 pass", ""},
		{`{request: "GET ${api}/tasks", expect: {status: 418}}`, `status: 200`, "T-001 pass", "tried was left out (blocked)"},
		{`{request: "GET ${api}/tasks", skip_when: {when-present:x: {status: 200}}}`, `status: 200`, "T-001 pass", "tried was left out (when-present:x)"},
		{`{hook: evict-replay}`, `status: 200`, "T-001 pass", "tried was left out (no-hook:evict-replay)"},
		{`{request: "GET ${api}/tasks", expect: {status: 418}}`, `status: 404`, `T-001 fail fail: status is 200, want 404`, "tried was left out (blocked)"},
	} {
		file := "suite: Tasks\ncontract: c\nsurface: tasks\nshared: {tried: [" + row.steps + "]}\ntests:\n" + `
  - id: T-001
    test: a
    must: m
    source: s
    steps: [{use: tried, optional: true}, {request: "GET ${api}/tasks", expect: {` + row.behind + `}}]`
		profile, err := suites.LoadProfile(fstest.MapFS{"p/tasks.yaml": {Data: []byte(file)}}, "p")
		if err != nil {
			t.Fatal(err)
		}
		out := runAll(t, profile, Target{ExecutorURL: (&fake{}).start(t)}, Options{})
		if diff := cmp.Diff(row.want, summary(out)); diff != "" {
			t.Errorf("%s:\n%s", row.steps, diff)
		}
		if note := strings.Join(out.Results[0].Notes, "\n"); !strings.HasPrefix(note, row.note) || (note == "") != (row.note == "") {
			t.Errorf("%s: the note is %q, want %q", row.steps, note, row.note)
		}
	}
}

func TestWhatIsNotConfiguredEndsTheRowOnly(t *testing.T) {
	t.Parallel()
	profile := loaded(t, `
  - id: T-001
    test: a
    must: m
    source: s
    cases: [{task: "${cue.first}"}, {task: "${cue.second}"}]
    steps: [{request: "GET ${api}/tasks?x=${case.task}", expect: {status: 200}}]
  - id: T-002
    test: b
    must: m
    source: s
    steps: [{request: "GET ${api}/tasks", expect: {status: 200}}, {hook: command-id, optional: true, expect: {result: {command_id: x}}}]`)
	for _, row := range []struct {
		configured Target
		want       string
		note       []string
	}{
		{Target{}, "T-001 skip no-cue:first\nT-002 pass", []string{"T-002 what follows was not judged (no-hook:command-id)"}},
		{Target{Cues: map[string]any{"second": "x"}, Hooks: map[string]Hook{"command-id": {Value: "x"}}}, "T-001 pass\nT-002 pass",
			[]string{"T-001 case \"${cue.first}\" was not measured (no-cue:first)"}},
		{Target{Hooks: map[string]Hook{"command-id": {Value: "y"}}}, "T-001 skip no-cue:first\nT-002 fail fail: result.command_id is \"y\", want \"x\"", nil},
	} {
		row.configured.ExecutorURL = (&fake{}).start(t)
		out := runAll(t, profile, row.configured, Options{})
		if diff := cmp.Diff(row.want, summary(out)); diff != "" {
			t.Error(diff)
		}
		var notes []string
		for _, r := range out.Results {
			for _, note := range r.Notes {
				said, _, _ := strings.Cut(note, ":")
				if strings.Contains(note, "(no-") {
					said, _, _ = strings.Cut(note, "):")
					said += ")"
				}
				notes = append(notes, r.ID+" "+said)
			}
		}
		if diff := cmp.Diff(row.note, notes); diff != "" {
			t.Errorf("notes (-want +got):\n%s", diff)
		}
	}
}

// TestRowsAtOnce has two rows, each of which waits for the other one.
func TestRowsAtOnce(t *testing.T) {
	t.Parallel()
	var both sync.WaitGroup
	both.Add(2)
	address := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.Contains(q.URL.Path, "/meet/") {
			both.Done()
			both.Wait()
		}
		fmt.Fprintf(w, `{"name":"n","at":%q}`, path.Base(q.URL.Path))
	}))
	out := runAll(t, loaded(t, `
  - id: T-001
    test: a
    must: m
    source: s
    at_once: true
    cases: [{at: one}, {at: other}]
    steps: [{request: "GET ${base}/meet/${case.at}", within: 5s, expect: {json.at: "${case.at}", status: 201}}]`), Target{ExecutorURL: address}, Options{})
	var cases []string
	for _, f := range result(t, out, "T-001").Findings {
		cases = append(cases, f.Case+" "+f.Problem)
	}
	if diff := cmp.Diff([]string{"one status is 200, want 201", "other status is 200, want 201"}, cases); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestShortTTL(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`40`:                                     "T-001 pass\nT-002 pass",
		`{"seconds": 40}`:                        "T-001 pass\nT-002 pass",
		`{"seconds": 40, "url": "http://other"}`: "T-001 fail\nT-002 fail",
	} {
		var value any
		if err := json.Unmarshal([]byte(said), &value); err != nil {
			t.Fatal(err)
		}
		out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{hook: short-ttl, expect: {result.seconds: 40, result.url: "${base}"}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{hook: short-ttl, expect: {result.seconds: "${announced.idempotency_ttl}"}}]}
`), Target{ExecutorURL: (&fake{}).start(t), Hooks: map[string]Hook{"short-ttl": {Value: value}}}, Options{})
		for _, line := range strings.Split(want, "\n") {
			if !strings.Contains(summary(out), line) {
				t.Errorf("%s: %s, want %s", said, summary(out), line)
			}
		}
	}
}

func TestKeySetOfAFile(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/keys.json"
	if err := os.WriteFile(path, []byte(`{"keys":[{"kid":"k"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	profile := loaded(t, oneTest(`- {request: "GET ${jwks}", expect: {status: 200, "json.keys[0].kid": k}}`))
	address := (&fake{}).start(t)
	if out := runAll(t, profile, Target{ExecutorURL: address, JWKS: path}, Options{}); summary(out) != "T-001 pass" {
		t.Error(summary(out))
	}
	if out := runAll(t, profile, Target{ExecutorURL: address, JWKS: path + "x"}, Options{}); summary(out) != "T-001 blocked blocked" {
		t.Error(summary(out))
	}
}

func TestBodiesAndHeaders(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"POST /echo": func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		w.Header()["X-Lines"] = q.Header["X-Several"]
		_ = json.NewEncoder(w).Encode(map[string]any{"type": q.Header.Get("Content-Type"), "body": string(body), "size": len(body)})
	}}}
	passes(t, f, `
- {request: "POST ${api}/echo", json: {n: 1.0, s: "<&>", id: "${iid}"}, header: {X-Several: [a, b]}, expect: {json: {type: application/json, body: '{"id":"018fc0a2-7777-7aaa-bbbb-ccccddddeeee","n":1.0,"s":"<&>"}'}, headers.X-Lines: [a, b], header.x-lines: "a, b"}}
- {request: "POST ${api}/echo", text: "", expect: {json: {type: "", body: "", size: 0}}}
- {request: "POST ${api}/echo", text: "{not json", header: {Content-Type: text/plain}, expect: {json: {type: text/plain, body: "{not json"}}}
- {request: "POST ${api}/echo", text: x, header: {Content-Type: null}, expect: {json: {type: ""}}}
- {request: "POST ${api}/echo", base64: AAH/, expect: {json.size: 3}}
- {request: "POST ${api}/echo", text: "${filler.3KiB}", expect: {json.size: 3072, exchange.status: 200, exchange.header.X-Nothing: {absent: true}}}
- {request: "POST ${api}/echo", expect: {json: {type: "", size: 0}, took: {at_most: 5s}}}`)
}

func TestCues(t *testing.T) {
	t.Parallel()
	f := &fake{}
	profile := loaded(t, oneTest(`
- {request: "POST ${api}/messages:send", json: {message: {messageId: m, parts: [{kind: text, text: "${cue.plain}"}]}}, expect: {json.got.message: {equals: {messageId: m, parts: [{kind: text, text: say it}]}}}}
- {request: "POST ${api}/messages:send", json: {message: {messageId: m, parts: [{kind: text, text: "${cue.whole}"}]}}, expect: {json.got.message: {equals: {messageId: m, metadata: {a: b}, parts: [{data: 1}, {data: 2}]}}}}`))
	out := runAll(t, profile, Target{ExecutorURL: f.start(t), Cues: map[string]any{"plain": "say it",
		"whole": map[string]any{"json": map[string]any{"parts": []any{map[string]any{"data": 1}, map[string]any{"data": 2}}, "metadata": map[string]any{"a": "b"}}}}}, Options{})
	if summary(out) != "T-001 pass" {
		t.Error(summary(out))
	}
}
