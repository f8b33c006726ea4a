// SPDX-License-Identifier: Apache-2.0

package order

import (
	"cmp"
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// importantFirst sorts the tests of a run that may not have the time for all of them. Ahead and AheadAlone are then those of MUST and
// MUST NOT, before what is left of Together and Alone. What looks at the whole run comes at the end of Together: a run that is cut short
// never judges it, so that its own steps would be in vain.
//
// Stages that judge the whole run, or after which less can be measured, stay where they are: what they judge would not be the same
// earlier.
func (p *Planner) importantFirst(s *Stages, tests []*suites.Test) {
	early := s.Early
	rank := p.ranks(tests)
	byRank := func(a, b int) int { return slices.Compare(rank(a), rank(b)) }
	split := func(some []int) (must, rest []int) {
		for _, i := range some {
			if level(tests[i]) == 0 && !slices.Contains(early, i) {
				must = append(must, i)
			} else {
				rest = append(rest, i)
			}
		}
		slices.SortStableFunc(must, byRank)
		slices.SortStableFunc(rest, func(a, b int) int {
			return cmp.Or(cmp.Compare(place(early, a), place(early, b)), byRank(a, b))
		})
		return must, rest
	}
	s.Ahead, s.Together = split(s.Together)
	s.AheadAlone, s.Alone = split(s.Alone)
	for _, some := range [][]int{s.Closing, s.Last, s.Joint, s.Risky} {
		slices.SortStableFunc(some, byRank)
	}
}

// ranks is where each test stands, as numbers of which the first that differs decides, the smaller one first: by its level; whether it
// waits, in whole seconds; by its surface, as the profile has them; whether it leads a root cause; by how long it may take.
func (p *Planner) ranks(tests []*suites.Test) func(i int) []int {
	ranks := make([][]int, len(tests))
	for i, t := range tests {
		wait := p.wait(t.Given) + p.wait(t.Steps)
		leads := 1
		if slices.Contains(p.Leads, t.ID) {
			leads = 0
		}
		ranks[i] = []int{level(t), int(wait / time.Second), p.surface(t), leads, int(p.guess(slices.Concat(t.Given, t.Steps)).all() / time.Millisecond)}
	}
	return func(i int) []int { return ranks[i] }
}

// level is 0 for MUST and MUST NOT, 1 for SHOULD and SHOULD NOT, 2 for MAY.
func level(t *suites.Test) int {
	switch t.Level {
	case suites.Should, suites.ShouldNot:
		return 1
	case suites.May:
		return 2
	}
	return 0
}

// surface is where the surface of a test stands among those that come first; those that the profile does not name follow, all alike.
func (p *Planner) surface(t *suites.Test) int {
	if t.Suite != nil {
		if at := slices.Index(p.Profile.Foremost, t.Suite.Surface); at >= 0 {
			return at
		}
	}
	return len(p.Profile.Foremost)
}

// place is 1 for what is in a list, and 0 for what is not.
func place(list []int, i int) int {
	if slices.Contains(list, i) {
		return 1
	}
	return 0
}
