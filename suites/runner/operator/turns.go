// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"sync"
)

// turns let one row at a time ask a hook that the operator configures: a script that uses a fixed port, or one account, answers
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
