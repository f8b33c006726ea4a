// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/operator"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

const (
	// extensionURI is the extension whose verbs a terminal is used by.
	extensionURI = "https://agentic-sandbox.aiwg.io/extensions/pty-extensions/v1"
	// roleTime and echoTime are how long RoleAssigned and what was typed may take (notation of the catalogs).
	roleTime, echoTime = 3 * time.Second, 5 * time.Second
)

// A terminalEcho is whether what is typed into a session comes back, which is tried once a run where the operator says
// neither that sessions echo nor that they run a shell.
type terminalEcho struct {
	mu    sync.Mutex
	tried bool
	none  *report.Reason
}

// needsEcho is the reason to skip a test that types, where nothing that is typed would be seen again; nil otherwise.
func (r *run) needsEcho(ctx context.Context, t *suites.Test) *report.Reason {
	_, echoes := r.Config.Hooks[target.EchoSessionHook]
	_, shell := r.Config.Hooks[target.ShellSessionHook]
	if echoes || shell || !types(t) {
		return nil
	}
	r.echo.mu.Lock()
	defer r.echo.mu.Unlock()
	if !r.echo.tried {
		none := r.tryEcho(ctx, t)
		if ctx.Err() != nil {
			return nil
		}
		r.echo.tried, r.echo.none = true, none
	}
	return r.echo.none
}

// types says whether a test types something.
func types(t *suites.Test) bool {
	var typed func(steps []*suites.Step) bool
	typed = func(steps []*suites.Step) bool {
		for _, s := range steps {
			switch do := s.Do.(type) {
			case suites.Type:
				return true
			case suites.Send:
				for _, f := range do.Frames {
					if strings.HasPrefix(f.Text, "PW1I") && len(f.Text) > len("PW1I") {
						return true
					}
				}
			case suites.Block:
				if typed(do.Inside()) {
					return true
				}
			}
		}
		return false
	}
	return typed(t.Given) || typed(t.Steps)
}

// tryEcho types a marker into a new session. Only where the role to type was given, and the marker did not come back, has
// it shown something; whatever else goes wrong is for the tests to find.
func (r *run) tryEcho(ctx context.Context, t *suites.Test) *report.Reason {
	id, _, _ := r.operator.NewSession(ctx, operator.HookTime)
	if id == "" {
		return nil
	}
	p := terminal{r.newPlayer(ctx, t, &evidence.Recorder{Began: time.Now()})}
	defer p.clear()
	defer p.weight.Drop()
	p.hooks.Made(id)
	step := &suites.Step{}
	o := p.open(ctx, step, suites.Open{
		URL: target.Join(r.Place.Base, "sessions/"+id+"/attach"), Subprotocol: []string{"pty-ws.v1"},
		Header: []suites.Header{{Name: "A2A-Extensions", Value: extensionURI}},
	})
	s := p.actor(step).socket
	if o.Blocked != "" || s == nil || s.tap == nil {
		return nil
	}
	joining := map[string]any{"op": "pty.join_session", "extensions": []any{extensionURI},
		"payload": map[string]any{"role": "controller", "cols": 120, "rows": 30, "client_label": "h-A"}}
	if err := p.sendEnvelope(step, s, subjects.New(), joining, nil); err != nil {
		return nil
	}
	if !comes(ctx, s, r.scaled(roleTime), func(at state) bool { return s.isController(at.messages) }) {
		return nil
	}
	marker, err := p.expandString("${fresh.marker}")
	if err != nil || p.typeText(step, s, suites.Type{Text: "echo " + marker + "\n"}, subjects.New()) != nil {
		return nil
	}
	limit := r.scaled(echoTime)
	if comes(ctx, s, limit, func(at state) bool { return strings.Contains(s.outputText(at.messages), marker) }) || s.over(s.now()) != "" {
		return nil
	}
	return &report.Reason{Code: "no-terminal-echo", Detail: "needs a terminal session that echoes or runs a shell: a line that was typed into one did not " +
		"come back within " + limit.String() + "; if the sessions do either, say so in the configuration file: hooks: {" + target.EchoSessionHook +
		": {value: true}} or {" + target.ShellSessionHook + ": {value: true}}"}
}

// scaled is a time bound of the contract as this run has it.
func (r *run) scaled(d time.Duration) time.Duration { return scale(d, r.options.TimeFactor) }

// comes waits until something holds of the connection.
func comes(ctx context.Context, s *socket, limit time.Duration, holds func(state) bool) bool {
	w := newWaiter(ctx, s, limit)
	defer w.stop()
	for !holds(w.state) {
		if s.over(w.state) != "" || !w.wait() {
			return holds(w.state)
		}
	}
	return true
}

// isController says whether one of the first n messages gives the connection the role of controller.
func (s *socket) isController(n int) bool {
	for _, f := range s.frames(n) {
		payload := readers.Member(f, "payload")
		if readers.Member(payload, "kind") == "RoleAssigned" {
			return readers.Member(payload, "role") == "controller"
		}
	}
	return false
}
