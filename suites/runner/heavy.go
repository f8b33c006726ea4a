// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
)

const (
	// heavyRows is how many rows may hold heavy answers at once: read and taken apart, each is many times its length.
	heavyRows = 1
	// mostHeavy bounds the bytes that all heavy answers to one row take, whose clients and polls hold many of them at once.
	mostHeavy = 40 << 20
	// mostWaiting bounds those of all rows that wait for the right to hold more. They count apart, so that who waits takes nothing
	// of the room of the row that is looked at: it would say of that row what is none of its own.
	mostWaiting = 24 << 20
)

// tooHeavy is why a row ends that has got more than that.
var tooHeavy = &report.Reason{Code: "blocked", Detail: fmt.Sprintf("the answers to this test are too long: those of more than a MiB, or of very many values, take more than %d MiB together", mostHeavy>>20),
	Cause: "the answers of the target are too long"}

// noRoom is why a row ends that waits for its turn, where those that wait have got more than a run may hold.
var noRoom = &report.Reason{Code: "blocked", Detail: "not measured: the answers to this test and to others that were played beside it are longer than what is held of them at once; play it with --jobs 1",
	Cause: "the answers of the target are too long"}

// A weight is a row's right to hold heavy answers, asked for with the first of them.
type weight struct {
	once  sync.Once
	total atomic.Int64 // bytes that they take
	over  atomic.Bool  // there was no room for them in what a run may hold
	again atomic.Int64 // bytes of the other answers that polls and walks keep

	mu      sync.Mutex
	held    bool
	waiting int64 // bytes of total that came before the right did
}

// full says whether the row has got more than it may hold.
func (w *weight) full() bool { return w.tooMuch() != nil }

// tooMuch is why the row ends when it has got more than it may hold; nil while it has not.
func (w *weight) tooMuch() *report.Reason {
	switch {
	case w.total.Load() > mostHeavy:
		return tooHeavy
	case w.over.Load():
		return noRoom
	}
	return nil
}

// take waits for the right, when an answer with that body needs it. The answer is complete by then, so that the wait is
// in none of its times.
func (w *weight) take(ctx context.Context, r *run, body []byte) {
	if !jsontext.IsHeavy(body) {
		return
	}
	takes := int64(jsontext.Apart(body))
	if jsontext.TooMany(body) { // nobody takes it apart
		takes = int64(len(body))
	}
	w.count(r, takes)
	w.once.Do(func() {
		select {
		case r.heavy <- struct{}{}:
			w.got(r)
		case <-ctx.Done():
		}
	})
}

// count notes that so many bytes have come.
func (w *weight) count(r *run, n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.Add(n)
	part := r.answered
	if !w.held {
		part = r.waiting
		w.waiting += n
	}
	if !part.Add(n) {
		w.over.Store(true)
	}
}

// holds says whether the row has the right.
func (w *weight) holds() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held
}

// got notes that the row has got the right, and counts what it has among what is looked at.
func (w *weight) got(r *run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = true
	r.waiting.Give(w.waiting)
	if !r.answered.Add(w.waiting) {
		w.over.Store(true)
	}
	w.waiting = 0
}

// keep notes that a poll, a walk or a client keeps an answer, and says whether what all of them keep is within its bound. What is
// heavy counts already, to the end of the row.
func (w *weight) keep(r *run, o *subjects.Observation) bool {
	if o.Heavy {
		return !w.full()
	}
	w.again.Add(int64(o.Size))
	return r.repeated.Add(int64(o.Size))
}

// leave notes that it is kept no longer, and says the same.
func (w *weight) leave(r *run, o *subjects.Observation) bool {
	if o.Heavy {
		return !w.full()
	}
	w.again.Add(-int64(o.Size))
	r.repeated.Give(int64(o.Size))
	return r.repeated.Add(0)
}

// drop gives the right back.
func (w *weight) drop(r *run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r.waiting.Give(w.waiting)
	r.answered.Give(w.total.Swap(0) - w.waiting)
	w.waiting = 0
	r.repeated.Give(w.again.Swap(0))
	if w.held {
		w.held = false
		<-r.heavy
	}
}
