// SPDX-License-Identifier: Apache-2.0

// Package weight bounds what the rows of tests hold of the answers that they look at: of heavy ones, whose rows have to wait for their
// turn, and of those that polls, walks and clients keep.
package weight

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
)

const (
	// heavyRows is how many rows may hold heavy answers at once: read and taken apart, each is many times its length.
	heavyRows = 1
	// maxHeavy bounds the bytes that all heavy answers to one row take, whose clients and polls hold many of them at once.
	maxHeavy = 32 << 20
	// maxWaiting bounds those of all rows that wait for the right to hold more. They count apart, so that who waits takes nothing
	// of the room of the row that is looked at: it would say of that row what is none of its own.
	maxWaiting = 24 << 20
	// MaxKept bounds the bytes of the other answers that all polls, walks and clients of a run keep at once.
	MaxKept = 32 << 20
)

// tooHeavy is why a row ends that has got more than that.
var tooHeavy = &report.Reason{Code: "blocked", Detail: fmt.Sprintf("the answers to this test are too long: those of more than a MiB, or of very many values, take more than %d MiB together", maxHeavy>>20),
	Cause: "the answers of the target are too long"}

// noRoom is why a row ends that waits for its turn, where those that wait have got more than a run may hold.
var noRoom = &report.Reason{Code: "blocked", Detail: "not measured: the answers to this test and to others played at the same time exceed the memory limit; play it with --jobs 1",
	Cause: "the answers of the target are too long"}

// A Scale is where the rows of a run are weighed.
type Scale struct {
	turns    Turns        // a slot for each row that holds heavy answers
	answered *budget.Part // bytes of heavy answers that are looked at
	waiting  *budget.Part // bytes of heavy answers to rows that wait until those are done with
	repeated *budget.Part // bytes of the other answers that are kept
}

// Turns are the rights of rows to hold heavy answers: there are as many as rows may hold some at once.
type Turns chan struct{}

// NewTurns are those of one run, or of several together.
func NewTurns() Turns { return make(Turns, heavyRows) }

// New takes what may be held from a budget, and the turns of its rows from those given.
func New(held *budget.Budget, turns Turns) *Scale {
	return &Scale{turns: turns, answered: held.Part(maxHeavy), waiting: held.Part(maxWaiting), repeated: held.Part(MaxKept)}
}

// NewRow is a row that holds nothing yet.
func (s *Scale) NewRow() *Row { return &Row{scale: s} }

// A Row is the right of one to hold heavy answers, asked for with the first of them.
type Row struct {
	scale *Scale

	once  sync.Once
	total atomic.Int64 // bytes that they take
	over  atomic.Bool  // there was no room for them in what a run may hold
	again atomic.Int64 // bytes of the other answers that polls and walks keep

	mu      sync.Mutex
	held    bool
	waiting int64 // bytes of total that came before the right did
}

// Full says whether the row has got more than it may hold.
func (w *Row) Full() bool { return w.TooMuch() != nil }

// TooMuch is why the row ends when it has got more than it may hold; nil while it has not.
func (w *Row) TooMuch() *report.Reason {
	switch {
	case w.total.Load() > maxHeavy:
		return tooHeavy
	case w.over.Load():
		return noRoom
	}
	return nil
}

// Room notes that a heavy answer that is being read takes so many bytes more, and says whether the row has room for them.
func (w *Row) Room(n int) bool {
	w.count(int64(n))
	return !w.Full()
}

// Take waits for the right, when an answer with that body needs it, of which so many bytes are counted by Room. The answer is complete
// by then, so that the wait is in none of its times.
func (w *Row) Take(ctx context.Context, body []byte, counted int) {
	if !jsontext.IsHeavy(body) && counted == 0 {
		return
	}
	takes := int64(jsontext.Apart(body))
	if jsontext.TooMany(body) { // nobody takes it apart
		takes = int64(len(body))
	}
	w.count(max(takes-int64(counted), 0))
	w.once.Do(func() {
		select {
		case w.scale.turns <- struct{}{}:
			w.got()
		case <-ctx.Done():
		}
	})
}

// count notes that so many bytes have come.
func (w *Row) count(n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.Add(n)
	part := w.scale.answered
	if !w.held {
		part = w.scale.waiting
		w.waiting += n
	}
	if !part.Add(n) {
		w.over.Store(true)
	}
}

// Holds says whether the row has the right.
func (w *Row) Holds() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held
}

// got notes that the row has got the right, and counts what it has among what is looked at.
func (w *Row) got() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = true
	w.scale.waiting.Give(w.waiting)
	if !w.scale.answered.Add(w.waiting) {
		w.over.Store(true)
	}
	w.waiting = 0
}

// Keep notes that a poll, a walk or a client keeps an answer, and says whether what all of them keep is within its bound. What is
// heavy counts already, to the end of the row.
func (w *Row) Keep(o *subjects.Observation) bool {
	if o.Heavy {
		return !w.Full()
	}
	w.again.Add(int64(o.Size))
	return w.scale.repeated.Add(int64(o.Size))
}

// Leave notes that it is kept no longer, and says the same.
func (w *Row) Leave(o *subjects.Observation) bool {
	if o.Heavy {
		return !w.Full()
	}
	w.again.Add(-int64(o.Size))
	w.scale.repeated.Give(int64(o.Size))
	return w.scale.repeated.Add(0)
}

// Drop gives the right back.
func (w *Row) Drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scale.waiting.Give(w.waiting)
	w.scale.answered.Give(w.total.Swap(0) - w.waiting)
	w.waiting = 0
	w.scale.repeated.Give(w.again.Swap(0))
	if w.held {
		w.held = false
		<-w.scale.turns
	}
}
