// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A test that watches the whole run is judged when all others are over. What it does itself before that, it can do beside
// the others: the run would otherwise end with its waits.

// earlyWait is from which wait on it pays.
const earlyWait = time.Second

// A begun test has done its own steps, and has still to judge what its watches have seen.
type begun struct {
	player *player
	spent  time.Duration
}

// beginnings are the tests that were begun. The zero value is that of none.
type beginnings struct {
	mu sync.Mutex
	of map[*suites.Test]*begun
}

func (b *beginnings) add(t *suites.Test, it *begun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == nil {
		b.of = map[*suites.Test]*begun{}
	}
	b.of[t] = it
}

// take returns what was begun of a test, once.
func (b *beginnings) take(t *suites.Test) *begun {
	b.mu.Lock()
	defer b.mu.Unlock()
	it := b.of[t]
	delete(b.of, t)
	return it
}

// early are those of the watching tests that are begun beside the others: they wait, their watches are their last steps, and
// they need nothing that the operator lends.
func (r *run) early(watching []int, tests []*suites.Test) []int {
	var early []int
	for _, i := range watching {
		t := tests[i]
		lent := slices.ContainsFunc(t.Needs, func(need string) bool { return strings.HasPrefix(need, "hook:") })
		if own, ends := ownSteps(t); ends && !lent && r.waitOf(t.Given)+r.waitOf(own) >= earlyWait {
			early = append(early, i)
		}
	}
	return early
}

// ownSteps are the steps before the watches of a test. ends says whether there are some, and nothing comes after a watch.
func ownSteps(t *suites.Test) (own []*suites.Step, ends bool) {
	first := slices.IndexFunc(t.Steps, isWatch)
	if first < 1 {
		return nil, false
	}
	rest := t.Steps[first:]
	return t.Steps[:first], !slices.ContainsFunc(rest, func(s *suites.Step) bool { return !isWatch(s) })
}

func isWatch(s *suites.Step) bool {
	_, is := s.Do.(suites.Watch)
	return is
}

// begin does the own steps of a test that watches, unless it is not played or has several rows. What goes wrong here is
// left to playing it as a whole.
func (r *run) begin(ctx context.Context, t *suites.Test) {
	defer func() { _ = recover() }()
	result := blank(t)
	if r.isOut(ctx, t, &result) {
		return
	}
	rows := r.rowsOf(t)
	if len(rows) != 1 {
		return
	}
	began := time.Now()
	p := r.newPlayer(ctx, t, &recorder{began: began})
	p.last, p.early = true, true
	p.playRow(rows[0])
	if p.lost.Load() {
		return // it is played again anyway
	}
	r.feel(ctx, p.contact)
	r.begun.add(t, &begun{p, time.Since(began)})
}

// end judges what the watches of a test have seen that was begun.
func (b *begun) end() {
	p := b.player
	p.early = false
	if p.later == nil {
		return
	}
	p.given = false
	p.playSteps(p.later)
}
