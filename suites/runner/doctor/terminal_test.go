// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// talking is a terminal that says messages, one a line, and closes with a code or waits for the other side to leave. left counts those
// who have left as they should.
func talking(left *atomic.Int32, code websocket.StatusCode, says ...string) http.HandlerFunc {
	return func(out http.ResponseWriter, q *http.Request) {
		conn, err := websocket.Accept(out, q, &websocket.AcceptOptions{Subprotocols: []string{ptySubprotocol}})
		if err != nil {
			return
		}
		defer conn.CloseNow()
		for _, text := range says {
			if err := conn.Write(q.Context(), websocket.MessageText, []byte(text)); err != nil {
				return
			}
		}
		if code != 0 {
			conn.Close(code, "because")
			return
		}
		if _, _, err := conn.Read(q.Context()); websocket.CloseStatus(err) == websocket.StatusNormalClosure {
			left.Add(1)
		}
	}
}

const hello = `{"op":"binding_hello","sequence":0,"payload":{"supported_operations":["SendMessage"]}}`

// TestDiagnoseTerminals: what a terminal says first is read and judged, and the doctor leaves as it should.
func TestDiagnoseTerminals(t *testing.T) {
	t.Parallel()
	many := make([]string, 5000)
	for i := range many {
		many[i] = `{"op":"` + strings.Repeat("\u001b[2J", 100) + `"}`
	}
	given := []string{"s-1"}
	for _, row := range []struct {
		name     string
		code     websocket.StatusCode
		says     []string
		sessions []string
		dialect  string
		verdict  report.Verdict
		want     string
	}{
		{"greets", 0, []string{hello, `{"op":"session_snapshot"}`}, given, "", report.Passed, "ok terminal: it greets in pty-ws/v1: the terminal session of --session, "},
		{"and says what came next", 0, []string{hello, `{"op":"session_snapshot"}`}, given, "", report.Passed, "ok terminal: came binding_hello, session_snapshot"},
		{"greets in the compact dialect", 0, []string{`{"op":"binding_hello","seq":0,"payload":{}}`}, given, "", report.Failed, "fail terminal: it speaks the compact dialect, not pty-ws/v1: its greeting carries seq instead of sequence"},
		{"which is what was said", 0, []string{`{"op":"binding_hello","seq":0,"payload":{}}`}, given, "compact", report.Passed, "ok terminal: it speaks the compact dialect, as --pty-dialect says"},
		{"greets as v1", 0, []string{`{"type":"server_hello"}`}, given, "", report.Failed, "fail terminal: it speaks the v1 session dialect"},
		{"does not greet", 0, []string{`{"op":"output"}`, "a prompt $"}, given, "", report.Failed, "fail terminal: it does not begin with the greeting binding_hello of pty-ws/v1: the terminal session of --session, "},
		{"is closed", 4404, nil, given, "", report.Failed, "fail terminal: was closed with 4404 because before it said anything"},
		{"says nothing", 0, nil, given, "", report.Failed, "fail terminal: said nothing for "},
		{"lets anybody in", 0, []string{hello}, nil, "", report.Passed, "ok terminal: it greets in pty-ws/v1: a terminal session that does not exist"},
		{"floods", 0, append([]string{hello}, many...), given, "", report.Passed, "ok terminal: it greets in pty-ws/v1"},
		{"floods with one message", 0, []string{strings.Repeat("x", 3<<20)}, given, "", report.Failed, "fail terminal: ended before anything came"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var left atomic.Int32
			w := newWard()
			w.attach = talking(&left, row.code, row.says...)
			d := diagnosed(t, serveWard(t, w)+instancePath, target.Config{Sessions: row.sessions, PTYDialect: row.dialect}, patient)
			shows(t, d, row.verdict, row.want)
			for _, c := range d.Checks {
				if strings.ContainsRune(c.Seen, '\u001b') {
					t.Errorf("a check acts on the terminal: %q", c.Seen)
				}
			}
			if row.code != 0 || strings.HasPrefix(row.name, "floods") {
				return
			}
			for end := time.Now().Add(10 * time.Second); left.Load() != 1; time.Sleep(time.Millisecond) { // the server may read it later
				if time.Now().After(end) {
					t.Fatalf("%d have left with a Close, want 1", left.Load())
				}
			}
		})
	}
}

// TestDiagnoseMadeSessions: a session is made only where it can be ended again, and it is ended.
func TestDiagnoseMadeSessions(t *testing.T) {
	t.Parallel()
	end := func(log string) target.Hook { return target.Hook{Command: []string{"sh", "-c", "cat >> " + log}} }
	made := target.Hook{Command: []string{"echo", "s-made"}}
	for _, row := range []struct {
		name    string
		hooks   func(log string) map[string]target.Hook
		verdict report.Verdict
		want    string
		ended   bool
	}{
		{"no hooks", func(string) map[string]target.Hook { return nil }, report.Passed, "note terminal: no terminal session is configured -> name one with --session, or configure hooks", false},
		{"one that makes, and none that ends", func(string) map[string]target.Hook { return map[string]target.Hook{"create-session": made} }, report.Passed, "note terminal: without the hook end-session it would stay", false},
		{"both", func(log string) map[string]target.Hook {
			return map[string]target.Hook{"create-session": made, "end-session": end(log)}
		}, report.Passed, "ok terminal: a terminal session that create-session has made, s-made; after ", true},
		{"a list", func(string) map[string]target.Hook {
			return map[string]target.Hook{"create-session": {Value: []any{"s-listed"}}}
		}, report.Passed, "ok terminal: the first terminal session of the list create-session", false},
		{"a value that is none", func(string) map[string]target.Hook { return map[string]target.Hook{"create-session": {Value: true}} }, report.Failed, "fail terminal: has a value in which there is no id", false},
		{"one that fails", func(log string) map[string]target.Hook {
			return map[string]target.Hook{"create-session": {Command: []string{"false"}}, "end-session": end(log)}
		}, report.Failed, "fail terminal: it ended with exit status 1", false},
		{"an end that fails", func(string) map[string]target.Hook {
			return map[string]target.Hook{"create-session": made, "end-session": {Command: []string{"false"}}}
		}, report.Passed, "warn terminal: the terminal session s-made, which create-session has made for this check, could not be ended", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var left atomic.Int32
			w := newWard()
			talk := talking(&left, 0, hello)
			w.attach = func(out http.ResponseWriter, q *http.Request) {
				if strings.Contains(q.URL.Path, "/sessions/s-") {
					talk(out, q)
					return
				}
				if q.Header.Get("Upgrade") == "" {
					out.WriteHeader(http.StatusUpgradeRequired)
					return
				}
				http.NotFound(out, q)
			}
			log := filepath.Join(t.TempDir(), "ended")
			d := diagnosed(t, serveWard(t, w)+instancePath, target.Config{Hooks: row.hooks(log)}, patient)
			shows(t, d, row.verdict, row.want)
			text, _ := os.ReadFile(log)
			if got := strings.Contains(string(text), "s-made"); got != row.ended {
				t.Errorf("the session was ended: %t, want %t (%s)", got, row.ended, text)
			}
		})
	}
}
