// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// What holds of the part of a stream or of the deliveries that was kept is not known to hold of all; what is broken there is
// broken.
func TestNothingPassesOnThePartThatWasKept(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /long": streamTooLong,
		"GET /short": func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: \"x\"\n\n")
		},
	}}
	for _, row := range []struct{ stream, name, want string }{ // each a run of its own: all streams of a run share a bound, too
		{"long", "message", "T-001 blocked blocked"},
		{"long", "other", "T-001 fail fail"},
		{"short", "message", "T-001 pass"},
	} {
		out := against(t, f, fmt.Sprintf(`
  - {id: T-001, test: a, must: m, source: s, steps: [{stream: "GET ${api}/%s", until: closed, within: 5s, expect: {events: {each: {.name: %s}}}}]}
`, row.stream, row.name))
		if got := summary(out); !strings.HasPrefix(got, row.want) {
			t.Errorf("%s, %s: %s, want %s", row.stream, row.name, got, row.want)
		}
		if reason := out.Results[0].Reason; reason != nil && !strings.Contains(reason.Detail, errStreamLong.Error()) {
			t.Errorf("reason is %+v", reason)
		}
	}
}

// What an answer would show beyond a bound of ours is not known: what asks for it is blocked, whether that would have held or not. What
// its head shows is judged all the same.
func TestWhatIsLeftUnreadIsNotJudged(t *testing.T) {
	t.Parallel()
	const why = "the body is longer than 4 MiB and was cut"
	long := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-A", "1")
		fmt.Fprintf(w, `{"state":"done","next_cursor":"c","tasks":[],"x":"%s"}`, strings.Repeat("x", wire.MaxBody))
	}
	short := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"state":"done","tasks":[]}`) }
	turns := func() http.HandlerFunc {
		var asked atomic.Int32
		return func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1) == 1 {
				long(w, r)
				return
			}
			short(w, r)
		}
	}
	for _, row := range []struct{ name, step, want string }{
		{"the head holds", `request: "GET ${api}/long", expect: {status: 200, header.X-A: "1", took: {less_than: 60s}}`, "T-001 pass"},
		{"the head does not", `request: "GET ${api}/long", expect: {status: 404}`, "T-001 fail fail: status is 200"},
		{"the head as a part of the exchange", `request: "GET ${api}/long", expect: {exchange.status: 404}`, "T-001 fail fail: status is 200"},
		{"the head does not, and the body is asked for", `request: "GET ${api}/long", expect: {status: 404, json.state: done}`, "T-001 fail fail: status is 200"},
		{"the body would hold", `request: "GET ${api}/long", expect: {json.state: done}`, "T-001 blocked blocked"},
		{"the body would not", `request: "GET ${api}/long", expect: {json.state: working}`, "T-001 blocked blocked"},
		{"what is not there is no proof", `request: "GET ${api}/long", expect: {json.secret: {absent: true}}`, "T-001 blocked blocked"},
		{"text", `request: "GET ${api}/long", expect: {text: {not: {contains: secret}}}`, "T-001 blocked blocked"},
		{"the exchange", `request: "GET ${api}/long", expect: {exchange: {any_of: [{.status: 404}, {.json.state: done}]}}`, "T-001 blocked blocked"},
		{"the exchange, by an alternative about its head", `request: "GET ${api}/long", expect: {exchange: {any_of: [{.json.state: working}, {.status: 200, .header.X-A: "1"}]}}`, "T-001 pass"},
		{"the exchange, by why it was not read on", `request: "GET ${api}/long", expect: {exchange: {any_of: [{.status: 404}, {.status: 200, .error: {starts_with: the body is longer than}}]}}`, "T-001 pass"},
		{"the exchange, by an alternative about head and body", `request: "GET ${api}/long", expect: {exchange: {any_of: [{.status: 404}, {.status: 200, .json.secret: {absent: true}}]}}`, "T-001 blocked blocked"},
		{"the exchange, by its head or none", `request: "GET ${api}/long", expect: {exchange: {any_of: [{.status: 404}, {.status: 405}]}}`, "T-001 blocked blocked"},
		{"the exchange, by what its head is not", `request: "GET ${api}/long", expect: {exchange: {not: {.json.state: working}}}`, "T-001 blocked blocked"},
		{"an assumption", `request: "GET ${api}/long", assume: {json.state: done}`, "T-001 blocked blocked"},
		{"a reason to skip", `request: "GET ${api}/long", skip_unless: {task-ended-too-fast: {json.state: done}}`, "T-001 blocked blocked"},
		{"a reason to end", `request: "GET ${api}/long", expect: {status: 200}, enough_when: {json.state: {not: done}}`, "T-001 blocked blocked"},
		{"what was polled for", `poll: "GET ${api}/long", every: 1ms, until: {json.state: done}, within: 50ms`, "T-001 blocked blocked"},
		{"one of several answers", `poll: "GET ${api}/turns", every: 1ms, times: 2, expect: {answers: {all_of: [{length: 2}]}}`, "T-001 blocked blocked"},
		{"the last of them alone", `poll: "GET ${api}/turns", every: 1ms, times: 2, expect: {json.state: done}`, "T-001 pass"},
		{"one of several clients", `together: 2, steps: [{request: "GET ${api}/turns", expect: {status: 200}}], expect: {branches: {length: 2}}`, "T-001 blocked blocked"},
		{"a whole answer", `request: "GET ${api}/short", expect: {json.state: working}`, `T-001 fail fail: json.state is "done"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{routes: map[string]http.HandlerFunc{"GET /long": long, "GET /short": short, "GET /turns": turns()}}
			out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{`+row.step+`}]}
`)
			if got := summary(out); !strings.HasPrefix(got, row.want) {
				t.Errorf("%s, want %s", got, row.want)
			}
			if reason := out.Results[0].Reason; reason != nil && !strings.Contains(reason.Detail, why) {
				t.Errorf("reason is %+v", reason)
			}
		})
	}
}

// An answer that repeats a message of 64 MiB is longer than what is read of it, and shows all the same that the message was processed.
func TestARepeatedLongMessageIsProcessed(t *testing.T) {
	t.Parallel()
	const permission, id = "oversized-requests", "A2A-SEC-016"
	profile, err := suites.LoadProfile(suites.Embedded(), "a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	for status, want := range map[int]report.Outcome{http.StatusOK: report.Pass, http.StatusInternalServerError: report.Blocked} {
		f := &a2aFake{card: bothBindings}
		answer := func(size int) map[string]any {
			parts := []any{map[string]any{"text": strings.Repeat("x", size)}}
			return map[string]any{"task": map[string]any{"id": "t", "contextId": "c", "status": map[string]any{"state": "TASK_STATE_COMPLETED"},
				"artifacts": []any{map[string]any{"artifactId": "a", "parts": parts}}}}
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength <= 1<<20 {
				f.ServeHTTP(w, r)
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(answer(wire.MaxBody)) // over JSON-RPC, too: nobody reads as far as its end
		}))
		f.rest = func(w http.ResponseWriter, _ *http.Request, _ string) { _ = json.NewEncoder(w).Encode(answer(1)) }
		f.rpc = func(string, any) (result, failure any) { return answer(1), nil }
		f.card = strings.ReplaceAll(f.card, "%[1]s", server.URL)
		out := runAll(t, profile, Target{ExecutorURL: server.URL, Hooks: map[string]Hook{permission: {Value: true}}},
			Options{Select: func(test *suites.Test) bool { return test.ID == id }})
		server.Close()
		if got := result(t, out, id); got.Outcome != want {
			t.Errorf("with status %d it is %s: %+v %+v, want %s", status, got.Outcome, got.Reason, got.Findings, want)
		}
	}
}

// streamTooLong is an event stream of 10 MB, which ends as it should.
func streamTooLong(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for range 20 {
		fmt.Fprintf(w, "data: \"%s\"\n\n", strings.Repeat("x", 500<<10))
	}
	fmt.Fprint(w, "event: last\ndata: 1\n\n")
}

// What was waited for may lie behind the cut, and how a stream would have ended nobody knows.
func TestNothingFailsForWhatLiesBehindTheCut(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"GET /long": streamTooLong}}
	for _, step := range []string{
		`{stream: "GET ${api}/long", until: {"events[*].name": {any: last}}, within: 5s}`,
		`{stream: "GET ${api}/long", until: closed, within: 5s, expect: {closed: {.by: executor, .clean: true}}}`,
	} {
		out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [`+step+`]}
`)
		if got := summary(out); !strings.HasPrefix(got, "T-001 blocked") {
			t.Errorf("%s: %s, want it blocked", step, got)
		}
		if reason := out.Results[0].Reason; reason != nil && !strings.Contains(reason.Detail, errStreamLong.Error()) {
			t.Errorf("reason is %+v", reason)
		}
	}
}

// A stream that was cut for its length has not been ended by the executor, whoever looks at all streams of a run.
func TestStreamsThatAreCutAreNoFinding(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /long": streamTooLong,
		"GET /short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: 1\n\n")
		},
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{stream: "GET ${api}/long", until: closed, within: 5s}]}
  - {id: T-002, test: b, must: m, source: s, last: true, steps: [{stream: "GET ${api}/short", until: closed, within: 5s}, {watch: streams, where: {closed.by: executor}, expect: {closed.clean: true}}]}
`)
	if out.Summary.Blocked != 1 || out.Summary.Pass != 1 || out.Results[1].Outcome != report.Pass {
		t.Error(summary(out))
	}
}

// An event that had half come when the harness wanted no more of a stream is none, and is not compared with what comes later. One in which
// the executor ends a stream is shown as what it is.
func TestEventsThatTheHarnessCutAreNone(t *testing.T) {
	t.Parallel()
	half := "id: 1\ndata: 1\n\nid: 2\ndata: 2\n"
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /open": func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, half)
			w.(http.Flusher).Flush()
			<-q.Context().Done()
		},
		"GET /ended": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, half)
		},
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{stream: "GET ${api}/open", until: {events: {not_empty: true}}, within: 5s, then: cut}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{stream: "GET ${api}/open", for: 100ms, then: cut, expect: {"events[*].complete": [true]}}]}
  - {id: T-003, test: c, must: m, source: s, steps: [{stream: "GET ${api}/ended", until: closed, within: 5s, expect: {"events[*].complete": [true, false]}}]}
  - {id: T-004, test: d, must: m, source: s, last: true, steps: [{watch: streams, where: {closed.by: harness}, expect: {events: {each: {.complete: true}}}}]}
`)
	if out.Summary.Pass != 4 {
		t.Error(summary(out))
	}
}

func TestAConnectionThatWasEndedForItsLengthIsKnownInPart(t *testing.T) {
	t.Parallel()
	frame := ws.MustCompileFrame(ws.NewTextFrame([]byte(strings.Repeat("x", 64<<10))))
	for name, row := range map[string]struct {
		frames int
		partly bool
	}{"little": {1, false}, "more than is kept": {maxReceived>>16 + 1, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := testPlayer(t, bareServer(t, func(c net.Conn, in *bufio.Reader) {
				for range row.frames {
					if _, err := c.Write(frame); err != nil {
						return
					}
				}
				untilGone(in)
			}), Target{})
			opened(t, p)
			s := p.actor(&suites.Step{}).socket
			for end := time.Now().Add(10 * time.Second); row.partly && !s.flooded(); time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the connection goes on")
				}
			}
			if o := p.do(suites.Cut{}); (o.Partly != "") != row.partly {
				t.Errorf("what is not known is %q", o.Partly)
			}
		})
	}
}
