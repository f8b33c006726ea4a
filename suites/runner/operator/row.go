// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

const (
	// endSessionTime bounds the ending of one session, and of what a hook does.
	endSessionTime = 10 * time.Second
	// endSessionsTime bounds it together with waiting for the turn to ask.
	endSessionsTime = time.Minute
)

// A Row is a row of a test that asks hooks: it keeps its turn of a hook as long as it has what the hook has started, and ends the
// sessions that were made for it and what hooks do as long as they are not told that it is over.
type Row struct {
	operator *Operator

	mu       sync.Mutex
	turns    map[string]*rowTurn // by hook: those that the row has taken
	sessions []string            // to be ended
	lasting  []string            // hooks that are to be told when the row is over
}

// NewRow is a row that has asked nothing yet.
func (o *Operator) NewRow() *Row { return &Row{operator: o} }

// A rowTurn is the turn of a row, which may ask a hook several times, also from clients side by side.
type rowTurn struct {
	mu   sync.Mutex // one of the row asks
	kept func()     // gives up the turn that the row has kept; nil: it has none
}

// turn is the row's turn of a hook.
func (r *Row) turn(name string) *rowTurn {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turns[name] == nil {
		if r.turns == nil {
			r.turns = map[string]*rowTurn{}
		}
		r.turns[name] = &rowTurn{}
	}
	return r.turns[name]
}

// Ask asks a hook when it is the row's turn: a command that gets JSON on its standard input, a URL that gets it posted, or a value.
// The result is JSON, or text where the answer is none. An error says what the hook did instead, in a form that may be shown.
func (r *Row) Ask(ctx context.Context, limit time.Duration, name string, with map[string]any) (any, error) {
	known, _ := r.operator.target.Profile.Hook(name)
	if known.Ends != "" {
		with = r.lasts(known, with)
	}
	ask := func() (any, error) {
		return r.inTurn(ctx, name, func() (any, error) { return r.operator.ask(ctx, limit, name, with) })
	}
	if meeting, is := ctx.Value(meetingKey{}).(*Meeting); is && known.Joint {
		return meeting.meet(ctx, ask)
	}
	return ask()
}

// lasts notes a hook that is to be told when the row is over. It returns what the hook gets now.
func (r *Row) lasts(hook hooks.Hook, with map[string]any) map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.lasting, hook.Name) {
		r.lasting = append(r.lasting, hook.Name)
	}
	told := map[string]any{hook.Ends: true}
	maps.Copy(told, with)
	return told
}

// inTurn asks a hook when it is the row's turn. What the hook has started, such as an executor at the address that it
// answers, is the row's until its end: the next one might replace it.
func (r *Row) inTurn(ctx context.Context, name string, ask func() (any, error)) (any, error) {
	if !r.operator.target.Config.Hooks[name].InTurns() {
		return ask()
	}
	turn := r.turn(name)
	turn.mu.Lock()
	defer turn.mu.Unlock()
	release := turn.kept
	if release == nil {
		var err error
		if release, err = r.operator.turns.take(ctx, name); err != nil {
			return nil, err
		}
	}
	turn.kept = release // so that a panic does not keep everybody waiting
	result, err := ask()
	if err != nil || !r.operator.target.Place.LeadsElsewhere(result) {
		turn.kept = nil
		release()
	}
	return result, err
}

// Made notes a session that is to be ended with the row: one that the hook has made.
func (r *Row) Made(id string) {
	making, configured := r.operator.target.Config.Hooks[target.CreateSessionHook]
	_, ends := r.operator.target.Config.Hooks[target.EndSessionHook]
	if !configured || !ends || isList(making.Value) || slices.Contains(r.operator.target.Config.Sessions, id) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions = append(r.sessions, id)
}

// End ends the sessions that the hook has made for this row, where the operator configures how, and tells hooks that the row is over.
// As with all that is undone, what they say is no part of the test: a session may have ended by itself.
func (r *Row) End(undoing func(limit time.Duration) (context.Context, context.CancelFunc)) {
	r.mu.Lock()
	sessions := r.sessions
	lasting := r.lasting
	r.sessions, r.lasting = nil, nil
	r.mu.Unlock()
	ask := func(name string, with map[string]any) {
		ctx, cancel := undoing(endSessionsTime)
		defer cancel()
		r.inTurn(ctx, name, func() (any, error) { return r.operator.ask(ctx, endSessionTime, name, with) })
	}
	for _, id := range sessions {
		ask(target.EndSessionHook, map[string]any{"session_id": id})
	}
	for _, name := range lasting {
		known, _ := r.operator.target.Profile.Hook(name)
		ask(name, map[string]any{known.Ends: false})
	}
}

// EndTurns gives up the turns that the row has kept.
func (r *Row) EndTurns() {
	r.mu.Lock()
	turns := r.turns
	r.turns = nil
	r.mu.Unlock()
	for _, turn := range turns {
		turn.mu.Lock()
		if turn.kept != nil {
			turn.kept()
			turn.kept = nil
		}
		turn.mu.Unlock()
	}
}
