// SPDX-License-Identifier: Apache-2.0

package order

import (
	"cmp"
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/timebudget"
)

// longestFirst puts the tests in front that may take longest: the run ends when the last of them does.
func (p *Planner) longestFirst(order []int, tests []*suites.Test) {
	waits := make(map[int]time.Duration, len(order))
	for _, i := range order {
		rows := max(1, len(tests[i].Cases))
		switch {
		case !tests[i].Operates || !p.HasCard:
		case tests[i].AtOnce:
			rows = 1
		default:
			rows = max(1, p.Rows(tests[i]))
		}
		waits[i] = time.Duration(rows) * (p.guess(tests[i].Given) + p.guess(tests[i].Steps))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(waits[b], waits[a]) })
}

// guessedShare is the part of the bound of an operation that is thought to be used up: it answers when the work is done, and
// only the order of tests is made of it. Bounds of polls say nothing, and would put those in front that take longest where
// nobody answers.
const guessedShare = 60

// guessedTrip is what a request is thought to take otherwise. It is nothing beside a wait, but a test may send hundreds one after the other.
const guessedTrip = 50 * time.Millisecond

// guess is how long steps may take: what they wait because the contract makes them, and what operations let expect.
func (p *Planner) guess(steps []*suites.Step) time.Duration {
	var all time.Duration
	for _, step := range steps {
		switch do := step.Do.(type) {
		case suites.Together:
			rounds := 1
			if do.AtOnce > 0 {
				rounds = max(1, (do.Clients+do.AtOnce-1)/do.AtOnce)
			}
			all += time.Duration(rounds) * p.guess(do.All())
			continue
		case suites.Use:
			all += p.guess(do.Steps)
			continue
		case suites.Request:
			all += guessedTrip
			if do.Operation != "" {
				all += p.Reach(step.Within) / guessedShare
			}
		case suites.Poll:
			all += time.Duration(max(1, do.Times)) * guessedTrip
		case suites.Stream, suites.Open:
			all += guessedTrip
		}
		all += p.wait([]*suites.Step{step})
	}
	return all
}

// wait is how long steps wait because the contract makes them, whatever the target does.
func (p *Planner) wait(steps []*suites.Step) time.Duration { return timebudget.Waits(steps, p.Reach) }
