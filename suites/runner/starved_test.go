// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/pulse"
)

// TestAStarvedMachineFailsNoStream: nor a terminal. What the harness was kept from seeing in time is no fault of the target. What is late while the harness
// runs is.
func TestAStarvedMachineFailsNoStream(t *testing.T) {
	t.Parallel()
	const late = time.Second
	sends := func(w http.ResponseWriter, text string) {
		fmt.Fprint(w, text)
		w.(http.Flusher).Flush()
	}
	routes := map[string]http.HandlerFunc{
		"GET /late": func(w http.ResponseWriter, q *http.Request) { // one event at once, one late, and then the end
			w.Header().Set("Content-Type", "text/event-stream")
			sends(w, "event: first\ndata: 1\n\n")
			select {
			case <-q.Context().Done():
			case <-time.After(late):
				sends(w, "event: second\ndata: 2\n\n")
			}
		},
		"GET /slow": func(_ http.ResponseWriter, q *http.Request) {
			select {
			case <-q.Context().Done():
			case <-time.After(late):
			}
		},
		"GET /open": func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			sends(w, "event: first\ndata: 1\n\n")
			<-q.Context().Done()
		},
	}
	routes["GET /terminal"] = func(w http.ResponseWriter, q *http.Request) { // one frame late
		c, err := websocket.Accept(w, q, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		<-time.After(late) // a slow server
		_ = c.Write(q.Context(), websocket.MessageText, []byte(`{"op":"late"}`))
		_, _, _ = c.Read(q.Context())
	}
	for _, row := range []struct{ name, tests, says string }{
		{"a frame", `
  - {id: T-001, test: a, must: m, source: s, steps: [{open: "${api}/terminal"}, {receive: {frame: {op: late}}, within: 200ms}]}`, "frame is missing (no frame fitted within 200ms"},
		{"the end of a stream", `
  - {id: T-001, test: a, must: m, source: s, steps: [{stream: "GET ${api}/late", until: closed, within: 200ms}]}`, "closed is missing: the stream is still open after "},
		{"an event", `
  - {id: T-001, test: a, must: m, source: s, steps: [{stream: "GET ${api}/late", until: {"events[*].name": {contains: second}}, within: 200ms}]}`, `events[*].name is ["first"], after `},
		{"the end, of a stream in the background", `
  - {id: T-001, test: a, must: m, source: s, steps: [{stream: "GET ${api}/late", background: true}, {await: stream, until: closed, within: 200ms}]}`, "closed is missing: the stream is still open after "},
		{"how long nothing had come", `
  - {id: T-001, test: a, must: m, source: s, steps: [{stream: "GET ${api}/open", background: true}, {request: "GET ${api}/slow"}]}
  - {id: T-002, test: b, must: m, source: s, last: true, steps: [{watch: streams, expect: {closed.idle: {at_most: 200}}}]}`, "closed.idle is "},
		{"when it came", `
  - {id: T-001, test: a, must: m, source: s, steps: [{stream: "GET ${api}/late", until: closed, within: 20s,
     skip_when: {busy-machine: {stalled: {at_least: 200ms}}}, expect: {status: 204}}]}`, "status is 200"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			play := func(p *pulse.Pulse) string {
				f := &fake{routes: routes}
				config := Target{ExecutorURL: f.start(t), Tokens: map[string]string{"instance": f.token, "admin": f.admin}}
				return summary(runAll(t, loaded(t, row.tests+"\n"), config, Options{pulse: p, HoldFactor: 1}))
			}
			if got := play(pulse.Stopped(time.Now(), time.Now().Add(20*late))); strings.Contains(got, "fail") || strings.Contains(got, "blocked") {
				t.Errorf("on a machine that does not let the harness run: %s", got)
			}
			if got := play(pulse.Stopped(time.Time{}, time.Time{})); !strings.Contains(got, row.says) {
				t.Errorf("on a machine that lets it run: %s, want %s", got, row.says)
			}
		})
	}
}

// What is late on a machine that did not let the harness run is played again, and the report says so. On one that had time it stands.
func TestWhatWasLateOnABusyMachineIsPlayedAgain(t *testing.T) {
	t.Parallel()
	play := func(p *pulse.Pulse) *report.Run {
		var asked atomic.Int32
		f := &fake{routes: map[string]http.HandlerFunc{"GET /once": func(w http.ResponseWriter, q *http.Request) {
			if asked.Add(1) == 1 {
				<-q.Context().Done()
			}
			fmt.Fprint(w, "{}")
		}}}
		config := Target{ExecutorURL: f.start(t), Tokens: map[string]string{"instance": f.token, "admin": f.admin}}
		return runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/once", within: 500ms, expect: {status: 200}}]}
`), config, Options{pulse: p, HoldFactor: 1})
	}
	busy := play(pulse.Stopped(time.Now(), time.Now().Add(time.Minute)))
	if got := summary(busy); got != "T-001 pass" || !strings.Contains(busy.Machine, "what was late was played again, of T-001") {
		t.Errorf("on a machine that does not let the harness run: %s, and %q", got, busy.Machine)
	}
	calm := play(pulse.Stopped(time.Time{}, time.Time{}))
	if got := summary(calm); !strings.HasPrefix(got, "T-001 fail") || calm.Machine != "" {
		t.Errorf("on a machine that lets it run: %s, and %q", got, calm.Machine)
	}
}
