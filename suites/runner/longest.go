// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// longestFirst puts the tests in front that may take longest: the run ends when the last of them does.
func (r *run) longestFirst(order []int, tests []*suites.Test) {
	waits := make(map[int]time.Duration, len(order))
	for _, i := range order {
		rows := max(1, len(tests[i].Cases))
		switch {
		case !tests[i].Operates || r.Card == nil:
		case tests[i].AtOnce:
			rows = 1
		default:
			rows = max(1, len(r.rowsOf(tests[i])))
		}
		waits[i] = time.Duration(rows) * (r.guessOf(tests[i].Given) + r.guessOf(tests[i].Steps))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(waits[b], waits[a]) })
}

// guessedShare is the part of the bound of an operation that is thought to be used up: it answers when the work is done, and
// only the order of tests is made of it. Bounds of polls say nothing, and would put those in front that take longest where
// nobody answers.
const guessedShare = 20

// guessOf is how long steps may take: what they wait because the contract makes them, and what operations let expect.
func (r *run) guessOf(steps []*suites.Step) time.Duration {
	var all time.Duration
	for _, step := range steps {
		switch do := step.Do.(type) {
		case suites.Together:
			rounds := 1
			if do.AtOnce > 0 {
				rounds = max(1, (do.Clients+do.AtOnce-1)/do.AtOnce)
			}
			all += time.Duration(rounds) * r.guessOf(do.All())
			continue
		case suites.Use:
			all += r.guessOf(do.Steps)
			continue
		case suites.Request:
			if do.Operation != "" {
				all += r.options.reach(step.Within) / guessedShare
			}
		}
		all += r.waitOf([]*suites.Step{step})
	}
	return all
}

// waitOf is how long steps wait because the contract makes them, whatever the target does.
func (r *run) waitOf(steps []*suites.Step) time.Duration {
	var all time.Duration
	for _, step := range steps {
		switch do := step.Do.(type) {
		case suites.Poll:
			all += r.options.reach(do.For)
			if do.Times > 1 {
				all += time.Duration(do.Times-1) * do.Every.Min
			}
		case suites.Stream:
			all += r.options.reach(do.For)
		case suites.Silence:
			all += r.options.reach(do.For)
		case suites.Await:
			all += r.options.reach(do.For)
		case suites.Together:
			all += r.waitOf(do.All())
		case suites.Use:
			all += r.waitOf(do.Steps)
		}
	}
	return all
}
