// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
)

// A test that looks at the whole run is judged when all others are over, and when those that do so have done what they do
// themselves. What waits does that beside the others: the run would otherwise end with its waits.

// earlyWait is from which wait on it pays.
const earlyWait = time.Second

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

// inTwo sorts the tests that look at the whole run: whose own steps wait, which are done beside those of other tests; whose
// own steps are done before any of them judges; and those that are played as a whole, for to look is not the last that they
// do, or they need what the operator configures.
func (r *run) inTwo(watching []int, tests []*suites.Test) (early, soon, whole []int) {
	for _, i := range watching {
		t := tests[i]
		own, ends := ownSteps(t)
		switch {
		case !ends || needsHook(t):
			whole = append(whole, i)
		case r.waitOf(t.Given)+r.waitOf(own) >= earlyWait && len(r.rowsOf(t)) == 1:
			early = append(early, i)
		default:
			soon = append(soon, i)
		}
	}
	return early, soon, whole
}

// ownSteps are the steps before those with which a test looks at the run. ends says whether there are some, and nothing else
// comes behind.
func ownSteps(t *suites.Test) (own []*suites.Step, ends bool) {
	first := slices.IndexFunc(t.Steps, looksBack)
	if first < 0 {
		return nil, false
	}
	rest := t.Steps[first:]
	return t.Steps[:first], !slices.ContainsFunc(rest, func(s *suites.Step) bool { return !looksBack(s) })
}

// looksBack says whether a step judges what the run has seen: a watch, or the hook that shows it.
func looksBack(s *suites.Step) bool {
	hook, asks := s.Do.(suites.Hook)
	_, watches := s.Do.(suites.Watch)
	return watches || asks && hook.Name == hooks.WholeRun
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
		p.last, p.until = i == len(rows)-1, t.Steps[slices.IndexFunc(t.Steps, looksBack)]
		p.playRow(rows[i])
		if p.lost.Load() {
			return // it is played again anyway
		}
		r.CheckReachable(ctx, p.contact)
		r.begun.add(t, i, &begun{p, time.Since(began)})
	}
	if t.AtOnce {
		atOnce(len(rows), row)
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
	p.given = false
	p.playSteps(p.later)
}
