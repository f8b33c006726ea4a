// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/order"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/slots"
)

// A test that looks at the whole run is judged when all others are over, and when those that do so have done what they do
// themselves, which is beside the others: the run would otherwise end with their waits and their round trips.

// A begun test has done its own steps, and has still to judge what the run has seen.
type begun struct {
	player *player
	spent  time.Duration
}

// beginnings are the tests that were begun. The zero value is that of none.
type beginnings struct {
	mu sync.Mutex
	of map[begunRow]*begun
}

// A begunRow is a row of a test, by its place.
type begunRow struct {
	test *suites.Test
	row  int
}

func (b *beginnings) add(t *suites.Test, row int, it *begun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == nil {
		b.of = map[begunRow]*begun{}
	}
	b.of[begunRow{t, row}] = it
}

// take returns what was begun of a row, once.
func (b *beginnings) take(t *suites.Test, row int) *begun {
	b.mu.Lock()
	defer b.mu.Unlock()
	it := b.of[begunRow{t, row}]
	delete(b.of, begunRow{t, row})
	return it
}

// begin does the own steps of a test that looks at the whole run, unless it is not played. What goes wrong here is left to playing it as
// a whole.
func (r *run) begin(ctx context.Context, t *suites.Test) {
	defer func() { _ = recover() }()
	result := blank(t)
	if r.isOut(ctx, t, &result) {
		return
	}
	rows := r.rowsOf(t)
	row := func(i int) {
		began := time.Now()
		p := r.newPlayer(ctx, t, &evidence.Recorder{Began: began})
		p.last, p.until = i == len(rows)-1, t.Steps[slices.IndexFunc(t.Steps, order.LooksBack)]
		p.playRow(rows[i])
		if p.lost.Load() || r.Absences.WasAway(ctx, began, false) {
			return // it is played again anyway
		}
		r.CheckReachable(ctx, p.contact)
		p.seat, p.spends = nil, nil // what is left waits for nothing
		r.begun.add(t, i, &begun{p, time.Since(began)})
	}
	if t.AtOnce {
		atOnce(slots.Of(ctx), len(rows), row)
		return
	}
	for i := range rows {
		row(i)
	}
}

// end judges what the run has seen, for a test that was begun.
func (b *begun) end() {
	p := b.player
	p.until = nil
	if p.later == nil {
		return
	}
	p.given, p.actors = false, map[string]*actor{} // what its own steps had open is closed
	p.playSteps(p.later)
}
