// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/slots"
)

// A Meeting is that of tests that are played side by side and ask the operator for something that happens to all of them, such as a
// restart of the target. When each of them has come to it, or has ended, the hook is asked once, and all get its answer: none is at work
// while it happens.
type Meeting struct {
	mu      sync.Mutex
	open    int // tests that have not ended
	waiting []*question
}

// NewMeeting is a meeting of so many tests. Each of them has to leave it.
func NewMeeting(tests int) *Meeting { return &Meeting{open: tests} }

// A question is that of a test which has come to the hook.
type question struct {
	ask    func() (any, error)
	told   chan struct{} // closed when result and err are there
	result any
	err    error
}

// Leave says that one of the tests has ended.
func (m *Meeting) Leave() {
	m.mu.Lock()
	m.open--
	all := m.complete()
	m.mu.Unlock()
	askOnce(all)
}

// complete takes the questions of those that wait, where nobody else is under way. The caller holds the lock.
func (m *Meeting) complete() []*question {
	if len(m.waiting) < m.open {
		return nil
	}
	all := m.waiting
	m.waiting = nil
	return all
}

// askOnce asks the first of some questions, and answers all of them.
func askOnce(all []*question) {
	if len(all) == 0 {
		return
	}
	var result any
	err := errors.New("it could not be asked")
	defer func() { // also when to ask ends in a panic, so that nobody waits for ever
		for _, q := range all {
			q.result, q.err = result, err
			close(q.told)
		}
	}()
	result, err = all[0].ask()
}

// meet asks when all have come to it. Who waits for the others is not at work.
func (m *Meeting) meet(ctx context.Context, ask func() (any, error)) (any, error) {
	q := &question{ask: ask, told: make(chan struct{})}
	m.mu.Lock()
	m.waiting = append(m.waiting, q)
	all := m.complete()
	m.mu.Unlock()
	askOnce(all)
	defer slots.Of(ctx).Rest(HookTime)()
	select {
	case <-q.told:
		return q.result, q.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// meetingKey is where a context has the meeting of the test that it is for.
type meetingKey struct{}

// WithMeeting is a context for a test that is at a meeting.
func WithMeeting(ctx context.Context, m *Meeting) context.Context {
	return context.WithValue(ctx, meetingKey{}, m)
}
