// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// Where the sessions run a shell and nobody configures another way to end their process, `exit` is typed into it.
func TestExitIsTypedIntoAShell(t *testing.T) {
	t.Parallel()
	ending := suites.Hook{Name: target.ExitProcessHook, With: map[string]any{"session_id": "s1", "code": json.Number("7")}}
	for name, c := range map[string]struct {
		hooks        map[string]Hook
		skips, types bool
	}{
		"a shell alone":       {hooks: map[string]Hook{target.ShellSessionHook: {Value: true}}, types: true},
		"both":                {hooks: map[string]Hook{target.ShellSessionHook: {Value: true}, target.ExitProcessHook: {Value: true}}},
		"the hook alone":      {hooks: map[string]Hook{target.ExitProcessHook: {Value: true}}},
		"an echo":             {hooks: map[string]Hook{"echo-session": {Value: true}}, skips: true},
		"nothing of the kind": {skips: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := testPlayer(t, echoing(t), Target{Hooks: c.hooks})
			if skips := p.run.Lacks("hook:"+target.ExitProcessHook) != nil; skips != c.skips {
				t.Fatalf("lacks the hook: %t, want %t", skips, c.skips)
			}
			if c.skips {
				return
			}
			opened(t, p, "pty-ws.v1")
			step := &suites.Step{Do: ending}
			works(t, caller{p}.hook(p.ctx, step, ending))
			if !c.types {
				works(t, p.do(suites.Send{JSON: map[string]any{"op": "ping"}}))
				see(t, works(t, p.do(receive("frame", word("present", true)))), "frame.op", "ping") // and nothing before it
				return
			}
			o := works(t, p.do(receive("frame.op", "pty.session_input")))
			see(t, o, "frame.payload.data", base64.StdEncoding.EncodeToString([]byte("exit 7\n")))
		})
	}
	t.Run("nowhere to type", func(t *testing.T) {
		t.Parallel()
		p := testPlayer(t, "http://127.0.0.1:1", Target{Hooks: map[string]Hook{target.ShellSessionHook: {Value: true}}})
		const want = "exit-process by typing needs a socket, and no step before it has opened one for the default actor"
		if o := (caller{p}).hook(p.ctx, &suites.Step{Do: ending}, ending); o.Blocked != want {
			t.Errorf("blocked: %q, want %q", o.Blocked, want)
		}
	})
}
