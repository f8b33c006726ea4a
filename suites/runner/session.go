// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// sessions is where terminal sessions come from (ruling A01): a list that the operator lends, the operator's hook, or an
// executor that makes a session when somebody attaches to one.
//
// A session that was lent is given out once. The ruling would allow a list that is too short to be used again for what
// does not need a fresh session; but what an earlier test has left behind in a session (a role, a counter, a replay
// buffer, an ended process) would then be held against the target.
type sessions struct {
	mu     sync.Mutex
	given  int  // how many of the list have been given out
	probed bool // whether the executor makes sessions has been tried
	makes  bool // it does
	probe  string
}

// endSessionTime bounds the ending of one session.
const endSessionTime = 10 * time.Second

// endSessionsTime bounds it together with waiting for the turn to ask.
const endSessionsTime = time.Minute

// endSessions ends the sessions that the hook has made for this row, where the operator lends how. As with all that is
// undone, what it says is no part of the test: a session may have ended by itself.
func (c *created) endSessions() {
	c.mu.Lock()
	sessions := c.sessions
	c.sessions = nil
	c.mu.Unlock()
	defer c.run.Guard("ending sessions")
	for _, id := range sessions {
		ctx, cancel := c.run.undoing(c.ctx, endSessionsTime)
		c.askInTurn(ctx, target.EndSessionHook, func() (any, error) {
			return c.run.operator.hook(ctx, endSessionTime, target.EndSessionHook, map[string]any{"session_id": id})
		})
		cancel()
	}
}

// noteSession notes a session that is to be ended with the row: one that the hook has made.
func (c *created) noteSession(id string) {
	making, lent := c.run.Config.Hooks[target.CreateSessionHook]
	_, ends := c.run.Config.Hooks[target.EndSessionHook]
	if !lent || !ends || isList(making.Value) || slices.Contains(c.run.Config.Sessions, id) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions = append(c.sessions, id)
}

// newSession returns the id of a session that nobody is attached to, and otherwise why there is none: the reason to skip
// for, and what the operator could lend; or "blocked", and how the hook failed that should have made one.
func (o *operator) newSession(ctx context.Context, limit time.Duration) (id, skipReason, detail string) {
	list := o.Config.LentSessions()
	if id, ok := o.sessions.next(list); ok {
		return id, "", ""
	}
	if hook, lent := o.Config.Hooks[target.CreateSessionHook]; lent && !isList(hook.Value) {
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
	return "", "no-session", target.NoSession(have, probe)
}

// create asks the hook that makes sessions, one at a time.
func (o *operator) create(ctx context.Context, hook target.Hook, limit time.Duration) (any, error) {
	if hook.InTurns() {
		release, err := o.turns.take(ctx, target.CreateSessionHook)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	return o.hook(ctx, limit, target.CreateSessionHook, nil)
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
func (o *operator) probeSession(ctx context.Context) (bool, string) {
	address, err := httpAddress(target.Join(o.Place.Base, "sessions/"+freshID()+"/attach"))
	if err != nil {
		return false, err.Error()
	}
	result, tap := o.Client.Dialer.Shake(ctx, wire.Upgrade{
		Method: http.MethodGet, Address: address, Limit: o.Limit,
		Header: o.HandshakeHeader(address, []string{"pty-ws.v1"}, "instance"),
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
