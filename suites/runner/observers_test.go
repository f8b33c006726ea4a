// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

// An eavesdropper writes what it is told, a line each.
type eavesdropper struct {
	mu    sync.Mutex
	lines []string
}

func (l *eavesdropper) say(format string, about ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, about...))
}

func (l *eavesdropper) observer() observe.Observer {
	path := func(q *observe.Request) string {
		u, _ := url.Parse(q.URL)
		return q.Method + " " + strings.TrimPrefix(u.Path, "/agents/"+fakeInstance)
	}
	return observe.Observer{
		Exchange: func(x *observe.Exchange) {
			l.say("%s %s: %s as %s, given %v: %d %s %s", x.Test, x.Row, path(&x.Request), x.Identity, x.Given, x.Status, x.Body, x.Problem)
		},
		StreamOpened: func(s *observe.Stream) { l.say("%s stream %s: %d", s.Test, path(&s.Request), s.Status) },
		StreamEvent:  func(s *observe.Stream, e *observe.Event) { l.say("%s event %s %s", s.Test, e.Name, e.Data) },
		StreamEnded: func(s *observe.Stream, end *observe.StreamEnd) {
			l.say("%s stream ended by harness %v, %d events, %d comments, %d bytes", s.Test, end.ByHarness, len(end.Events), end.Comments, len(end.Raw))
		},
		ConnectionOpened: func(c *observe.Connection) {
			l.say("%s connection %d by %s as %s: %d %s session %s role %s", c.Test, c.ID, c.Actor, c.Identity, c.Status, c.Subprotocol, c.Session, c.Role)
		},
		Frame: func(c *observe.Connection, f *observe.Frame) {
			l.say("%d frame from harness %v: opcode %d, %d bytes", c.ID, f.FromHarness, f.Opcode, f.Length)
		},
		Message: func(c *observe.Connection, m *observe.Message) {
			l.say("%d message from harness %v: %s, op %v", c.ID, m.FromHarness, m.Payload, m.JSON["op"])
		},
		ConnectionEnded: func(c *observe.Connection, end *observe.ConnectionEnd) {
			l.say("%d ended by harness %v: %d %q, disturbed %d", c.ID, end.ByHarness, end.Code, end.Reason, c.Disturbed())
		},
		Delivery: func(d *observe.Delivery) {
			l.say("%s delivery to %s: %s, answered %d", d.Test, d.Receiver, d.Body, d.Answered)
		},
		Hook: func(h *observe.Hook) { l.say("%s hook %s %s", h.Test, h.Name, h.Problem) },
	}
}

// Observers are told of everything that passes between the run and its target, once, and of nothing else.
func TestObserversAreToldOfTheWholeRun(t *testing.T) {
	t.Parallel()
	elsewhere := serveHandler(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	f := &fake{token: fakeToken, admin: fakeAdmin, routes: map[string]http.HandlerFunc{
		"GET /fine": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "fine") },
		"GET /moved": func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, strings.Replace(q.URL.Path, "moved", "fine", 1), http.StatusTemporaryRedirect)
		},
		"GET /stream": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, ": hello\n\nevent: a\ndata: 1\n\ndata: 2\n\n")
		},
		"GET /refused": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotAcceptable)
			fmt.Fprint(w, "no streams")
		},
		"GET /hook": func(w http.ResponseWriter, q *http.Request) {
			answer, err := http.Post(q.URL.Query().Get("to"), "application/json", strings.NewReader(`{"x":1}`))
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
		},
		"GET /sessions/s1/attach": func(w http.ResponseWriter, q *http.Request) {
			c, err := websocket.Accept(w, q, &websocket.AcceptOptions{Subprotocols: []string{"pty-ws.v1"}})
			if err != nil {
				t.Error(err)
				return
			}
			_, said, err := c.Read(q.Context())
			if err != nil {
				t.Error(err)
			}
			_ = c.Write(q.Context(), websocket.MessageText, said)
			_ = c.Close(4400, "enough")
		},
	}}
	tests := strings.ReplaceAll(`
  - {id: T-001, test: a, must: m, source: s, cases: [{name: row}], given: [{request: "GET ${api}/fine", as: anonymous}], steps: [{request: "GET ${api}/moved", redirects: 1}, {request: "GET ELSEWHERE/x"}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{stream: "GET ${api}/stream", until: closed, within: 5s}, {stream: "GET ${api}/refused", until: closed, within: 5s}]}
  - id: T-003
    test: c
    must: m
    source: s
    steps:
      - {open: "${api}/sessions/s1/attach?role=observer", subprotocol: pty-ws.v1, as: observe, by: B}
      - {send: [{opcode: 1, fin: true, text: '{"op":"x"}'}], by: B}
      - {close: wait, within: 5s, by: B}
  - {id: T-004, test: d, must: m, source: s, steps: [{listen: ears}, {request: "GET ${api}/hook?to=${ears.url}"}, {await: ears, within: 5s}, {hook: restart}]}
`, "ELSEWHERE", elsewhere)
	started := Start(t.Context(), profiles.Of("p"), Target{ExecutorURL: f.start(t), Tokens: map[string]string{"instance": f.token, "admin": f.admin, "observe": fakeToken},
		Hooks: map[string]Hook{"restart": {Command: []string{"true"}}}}, fast(Options{Jobs: 1}))
	<-started.ready
	var l eavesdropper
	started.run.observers = append(started.run.observers, l.observer())
	out, err := started.Play(loaded(t, tests), fast(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := summary(out), "T-001 pass\nT-002 pass\nT-003 pass\nT-004 pass"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	got := slices.DeleteFunc(l.lines, func(line string) bool {
		return regexp.MustCompile(`frame from harness true: opcode 8`).MatchString(line)
	})
	want := []string{
		"T-001 row: GET /v1/fine as anonymous, given true: 401  ",
		"T-001 row: GET /v1/moved as instance, given false: 307 ", // http.Redirect adds a body for GET, which is not shown
		"T-001 row: GET /v1/fine as instance, given false: 200 fine ",
		`T-004 delivery to ears: {"x":1}, answered 200`,
		"T-004 : GET /v1/hook as instance, given false: 200  ",
		"T-004 hook restart ",
		"T-002 stream GET /v1/stream: 200",
		"T-002 event a 1",
		"T-002 event  2",
		"T-002 stream ended by harness false, 2 events, 1 comments, 36 bytes",
		"T-002 : GET /v1/refused as instance, given false: 406 no streams ",
		"T-003 connection 1 by B as observe: 101 pty-ws.v1 session s1 role observer",
		"1 frame from harness true: opcode 1, 10 bytes",
		`1 message from harness true: {"op":"x"}, op x`,
		"1 frame from harness false: opcode 1, 10 bytes",
		`1 message from harness false: {"op":"x"}, op x`,
		"1 frame from harness false: opcode 8, 8 bytes",
		`1 ended by harness false: 4400 "enough", disturbed 1`,
	}
	for i, line := range got {
		if head, _, is := strings.Cut(line, "<a href"); is {
			got[i] = head
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
