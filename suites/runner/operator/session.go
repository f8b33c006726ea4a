// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// sessions is where terminal sessions come from (ruling A01): a list that the operator configures, the operator's hook, or an
// executor that makes a session when somebody attaches to one.
//
// A session that was configured is given out once. The ruling would allow a list that is too short to be used again for what
// does not need a fresh session; but what an earlier test has left behind in a session (a role, a counter, a replay
// buffer, an ended process) would then be held against the target.
type sessions struct {
	mu     sync.Mutex
	given  int  // how many of the list have been given out
	probed bool // whether the executor makes sessions has been tried
	makes  bool // it does
	probe  string
}

// NewSession returns the id of a session that no client is attached to, and otherwise why there is none: the reason to skip
// for, and what the operator could configure; or "blocked", and how the hook failed that should have made one.
func (o *Operator) NewSession(ctx context.Context, limit time.Duration) (id, skipReason, detail string) {
	list := o.target.Config.ListedSessions()
	if id, ok := o.sessions.next(list); ok {
		return id, "", ""
	}
	if hook, configured := o.target.Config.Hooks[target.CreateSessionHook]; configured && !isList(hook.Value) {
		answer, err := o.create(ctx, hook, limit)
		if err != nil {
			return "", "blocked", err.Error()
		}
		return target.SessionID(answer), "", ""
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	makes, probe := o.sessions.onDemand(ctx, o.probeSession)
	if makes {
		return freshID(), "", ""
	}
	have := ""
	if len(list) > 0 {
		have = fmt.Sprintf("the %d sessions that were provided are used up; ", len(list))
	}
	return "", "no-session", o.target.NoSession(have, probe)
}

// HasSessions says whether there is another session for a test, as far as it is known without asking for one.
func (o *Operator) HasSessions() bool {
	if hook, configured := o.target.Config.Hooks[target.CreateSessionHook]; configured && !isList(hook.Value) {
		return true
	}
	o.sessions.mu.Lock()
	defer o.sessions.mu.Unlock()
	return o.sessions.given < len(o.target.Config.ListedSessions()) || o.sessions.makes
}

// create asks the hook that makes sessions, one at a time.
func (o *Operator) create(ctx context.Context, hook target.Hook, limit time.Duration) (any, error) {
	if hook.InTurns() {
		release, err := o.turns.take(ctx, target.CreateSessionHook)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	return o.ask(ctx, limit, target.CreateSessionHook, nil)
}

func (s *sessions) next(list []string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given >= len(list) {
		return "", false
	}
	s.given++
	return list[s.given-1], true
}

// onDemand says whether the executor makes sessions, which is tried once a run.
func (s *sessions) onDemand(ctx context.Context, probe func(context.Context) (bool, string)) (bool, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.probed {
		makes, seen := probe(ctx)
		if ctx.Err() != nil {
			return false, "the run was given up"
		}
		s.probed, s.makes, s.probe = true, makes, seen
	}
	return s.makes, s.probe
}

// probeSession attaches to a session that cannot exist. A target that lets us in makes sessions on demand; that it
// should have refused is for the requirement about unknown sessions to say.
func (o *Operator) probeSession(ctx context.Context) (bool, string) {
	address, err := wire.UpgradeURL(target.Join(o.target.Place.Base, "sessions/"+freshID()+"/attach"))
	if err != nil {
		return false, err.Error()
	}
	result, tap := o.target.Client.Dialer.Shake(ctx, wire.Upgrade{
		Method: http.MethodGet, Address: address, Limit: o.target.Limit,
		Header: o.target.HandshakeHeader(address, []string{"pty-ws.v1"}, "instance"),
	})
	if tap != nil {
		tap.HangUp()
		return true, ""
	}
	if result.Status == 0 {
		return false, "an attach to a fresh session id got no answer: " + result.Problem
	}
	return false, fmt.Sprintf("an attach to a fresh session id was answered with %d %s", result.Status, http.StatusText(result.Status))
}

func isList(v any) bool {
	switch v.(type) {
	case []any, []string:
		return true
	}
	return false
}

// freshID is an id that no session has.
func freshID() string { return uuid.Must(uuid.NewV7()).String() }
