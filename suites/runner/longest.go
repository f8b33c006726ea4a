// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// longestFirst puts the tests that have to wait longest in front: the run ends when the last of them does.
func (r *run) longestFirst(order []int, tests []*suites.Test) {
	waits := make(map[int]time.Duration, len(order))
	for _, i := range order {
		rows := max(1, len(tests[i].Cases))
		waits[i] = time.Duration(rows) * (r.waitOf(tests[i].Given) + r.waitOf(tests[i].Steps))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(waits[b], waits[a]) })
}

// waitOf is how long steps wait because the contract makes them, whatever the target does.
func (r *run) waitOf(steps []*suites.Step) time.Duration {
	var all time.Duration
	for _, step := range steps {
		switch do := step.Do.(type) {
		case suites.Poll:
			all += r.reach(do.For)
			if do.Times > 1 {
				all += time.Duration(do.Times-1) * do.Every.Min
			}
		case suites.Stream:
			all += r.reach(do.For)
		case suites.Silence:
			all += r.reach(do.For)
		case suites.Await:
			all += r.reach(do.For)
		case suites.Together:
			all += r.waitOf(do.All())
		case suites.Use:
			all += r.waitOf(do.Steps)
		}
	}
	return all
}
