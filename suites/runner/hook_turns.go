// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"sync"
)

// turns let one row at a time ask a hook that the operator lends: a script that uses a fixed port, or one account, answers
// for one of them only. A hook whose entry says `parallel: true`, and one that is a value, needs no turns.
type turns struct {
	mu    sync.Mutex
	slots map[string]chan struct{} // by hook
}

// take waits for the turn to ask a hook, and returns how to give it up. The error is that of ctx.
func (t *turns) take(ctx context.Context, name string) (release func(), err error) {
	t.mu.Lock()
	slot := t.slots[name]
	if slot == nil {
		if t.slots == nil {
			t.slots = map[string]chan struct{}{}
		}
		slot = make(chan struct{}, 1)
		t.slots[name] = slot
	}
	t.mu.Unlock()
	select {
	case slot <- struct{}{}:
		return func() { <-slot }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A rowTurn is the turn of a row, which may ask a hook several times, also from clients side by side.
type rowTurn struct {
	mu   sync.Mutex // one of the row asks
	kept func()     // gives up the turn that the row has kept; nil: it has none
}

// turn is the row's turn of a hook.
func (c *created) turn(name string) *rowTurn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turns[name] == nil {
		if c.turns == nil {
			c.turns = map[string]*rowTurn{}
		}
		c.turns[name] = &rowTurn{}
	}
	return c.turns[name]
}

// askInTurn asks a hook when it is the row's turn. What the hook has started, such as an executor at the address that it
// answers, is the row's until its end: the next one might replace it.
func (c *created) askInTurn(ctx context.Context, name string, ask func() (any, error)) (any, error) {
	if !c.run.Config.Hooks[name].InTurns() {
		return ask()
	}
	turn := c.turn(name)
	turn.mu.Lock()
	defer turn.mu.Unlock()
	release := turn.kept
	if release == nil {
		var err error
		if release, err = c.run.operator.turns.take(ctx, name); err != nil {
			return nil, err
		}
	}
	turn.kept = release // so that a panic does not keep everybody waiting
	result, err := ask()
	if err != nil || !c.run.LeadsElsewhere(result) {
		turn.kept = nil
		release()
	}
	return result, err
}

// endTurns gives up the turns that the row has kept.
func (c *created) endTurns() {
	c.mu.Lock()
	turns := c.turns
	c.turns = nil
	c.mu.Unlock()
	for _, turn := range turns {
		turn.mu.Lock()
		if turn.kept != nil {
			turn.kept()
			turn.kept = nil
		}
		turn.mu.Unlock()
	}
}
