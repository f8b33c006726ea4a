// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// What types needs a session that shows what was typed. Where the operator says nothing, it is tried, once.
func TestATerminalThatShowsNothingIsNoFailure(t *testing.T) {
	t.Parallel()
	typing := &suites.Test{ID: "T-001", Suite: &suites.Suite{}, Steps: []*suites.Step{{Do: suites.Use{Steps: []*suites.Step{{Do: suites.Type{Text: "x"}}}}}}}
	for name, c := range map[string]struct {
		hooks map[string]Hook
		role  string // empty: a join is not answered
		echo  bool
		test  *suites.Test
		skips bool
		tried int64
	}{
		"it echoes":            {role: "controller", echo: true, test: typing, tried: 1},
		"it shows nothing":     {role: "controller", test: typing, skips: true, tried: 1},
		"another role":         {role: "observer", test: typing, tried: 1},
		"a join is unanswered": {test: typing, tried: 1},
		"an echo is promised":  {role: "controller", hooks: map[string]Hook{target.EchoSessionHook: {Value: true}}, test: typing},
		"a shell is promised":  {role: "controller", hooks: map[string]Hook{target.ShellSessionHook: {Value: true}}, test: typing},
		"nothing is typed":     {role: "controller", test: &suites.Test{Suite: &suites.Suite{}, Steps: []*suites.Step{{Do: suites.Send{}}}}},
		"typed in binary": {role: "controller", test: &suites.Test{Suite: &suites.Suite{},
			Given: []*suites.Step{{Do: suites.Send{Frames: []suites.WSFrame{{Text: "PW1Iecho"}}}}}}, skips: true, tried: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tried atomic.Int64
			url := lawfulServer(t, func(ctx context.Context, conn *websocket.Conn) {
				tried.Add(1)
				say := func(v any) {
					b, _ := json.Marshal(v)
					conn.Write(ctx, websocket.MessageText, b)
				}
				for {
					_, b, err := conn.Read(ctx)
					if err != nil {
						return
					}
					var m struct {
						Op      string
						Payload map[string]any
					}
					json.Unmarshal(b, &m)
					switch {
					case m.Op == "pty.join_session" && c.role == "":
						conn.Close(websocket.StatusNormalClosure, "") // so that nobody waits
					case m.Op == "pty.join_session":
						say(map[string]any{"op": "pty.session_frame", "sequence": 1, "payload": map[string]any{"kind": "RoleAssigned", "role": c.role}})
						if c.role != "controller" {
							conn.Close(websocket.StatusNormalClosure, "")
						}
					case c.echo:
						say(map[string]any{"op": "pty.session_frame", "sequence": 2, "payload": map[string]any{"kind": "Output", "data": m.Payload["data"]}})
					}
				}
			})
			r := newRun(profiles.Of("test"), Target{ExecutorURL: url, Sessions: []string{"s1", "s2"}, Hooks: c.hooks}, Options{TimeFactor: 0.5})
			if c.echo {
				r.options.TimeFactor = 1 // it answers at once, and however slow this machine is, that is in time
			}
			r.Place.Base = url + "/agents/i1"
			for range 2 {
				reason := r.needsEcho(context.Background(), c.test)
				if skips := reason != nil; skips != c.skips {
					t.Fatalf("skips: %t, want %t", skips, c.skips)
				}
				if c.skips && (reason.Code != "no-terminal-echo" || !strings.Contains(reason.Detail, "echo-session")) {
					t.Errorf("the reason is %q: %s", reason.Code, reason.Detail)
				}
			}
			if got := tried.Load(); got != c.tried {
				t.Errorf("%d sessions were tried, want %d", got, c.tried)
			}
		})
	}
}
