// SPDX-License-Identifier: Apache-2.0

// Package order decides when a run plays which test.
package order

import (
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// Stages are the tests of a run by when they are played, each as its place among all of them: stage after stage in this order, and of
// Early what they judge only behind Risky.
//
// Those of the last ones that only send operations and look at the whole run do not disturb the target: they are played side by side
// once all others have been. So are those that look at the whole run, before those after which less can be measured. What the target may
// not survive comes between what these ask it for and what they judge: they see it, and need nobody who answers any more.
//
// Ahead and AheadAlone are empty unless the run may not have the time for all tests.
type Stages struct {
	Ahead      []int // of Together, those that are measured before all others: at once
	AheadAlone []int // of Alone, likewise: one by one

	Together []int // at once, those first that take longest
	Early    []int // of Together: they look at the whole run, and do their own steps beside the others
	Alone    []int // one by one
	Closing  []int // last ones that only send operations, or say that they may be played beside each other: at once
	Last     []int // one by one
	Joint    []int // last ones for which a hook is asked once, for all of them: at once
	Whole    []int // at once: they look at the whole run, and are played as a whole, since to look is not the last that they do
	Risky    []int // the target may not survive them
	Parting  []int // they leave the target other than it was
}

// A Planner is what the order of tests depends on.
type Planner struct {
	Profile profiles.Profile
	Reach   func(suites.Duration) time.Duration // how long something is waited for
	Rows    func(*suites.Test) int              // how often the steps of a test are played
	HasCard bool                                // whether the target has one that could be read

	// Hurried is whether the run may not have the time for all tests: then the most important ones come first, instead of those that
	// take longest. Leads are the tests that lead a root cause, by id.
	Hurried bool
	Leads   []string
}

// Stages sorts tests by when they may run.
func (p *Planner) Stages(tests []*suites.Test) Stages {
	var s Stages
	for i, t := range tests {
		switch {
		case t.Last && Parting(p.Profile, t) > 0:
			s.Parting = append(s.Parting, i)
		case t.Watches || looksBackOnly(t):
			p.sortWatching(&s, t, i)
		case t.Last && t.Alone:
			s.Risky = append(s.Risky, i)
		case t.Last && (t.Beside || t.Operates && !needsHook(t)):
			s.Closing = append(s.Closing, i)
		case t.Last && slices.ContainsFunc(t.Steps, LooksBack) && !needsHook(t):
			s.Whole = append(s.Whole, i)
		case t.Last && !t.AtOnce && p.joint(t):
			s.Joint = append(s.Joint, i)
		case t.Last:
			s.Last = append(s.Last, i)
		case t.Alone:
			s.Alone = append(s.Alone, i)
		default:
			s.Together = append(s.Together, i)
		}
	}
	slices.SortStableFunc(s.Parting, func(i, j int) int { return Parting(p.Profile, tests[i]) - Parting(p.Profile, tests[j]) })
	s.Together = slices.Concat(s.Together, s.Early)
	if p.Hurried {
		p.importantFirst(&s, tests)
		return s
	}
	p.longestFirst(s.Together, tests)
	return s
}

// Lanes are the tests among those that are played alone which need one thing of the target only, lane by lane and each lane by its
// first test: lanes are played side by side, and what is in a lane one by one. The rest needs all of the target.
func Lanes(alone []int, tests []*suites.Test) (lanes map[int][]int, rest []int) {
	lanes = map[int][]int{}
	first := map[string]int{}
	for _, i := range alone {
		lane := tests[i].Lane
		if lane == "" {
			rest = append(rest, i)
			continue
		}
		if _, known := first[lane]; !known {
			first[lane] = i
		}
		lanes[first[lane]] = append(lanes[first[lane]], i)
	}
	return lanes, rest
}

// sortWatching sorts a test that looks at the whole run.
func (p *Planner) sortWatching(s *Stages, t *suites.Test, i int) {
	if _, ends := ownSteps(t); ends && !p.joint(t) {
		s.Early = append(s.Early, i)
		return
	}
	s.Whole = append(s.Whole, i)
}

// looksBackOnly says whether a test, when it has done its own steps, only asks what the whole run has seen.
func looksBackOnly(t *suites.Test) bool {
	_, ends := ownSteps(t)
	return ends && t.Last
}

// needsHook says whether a test needs what the operator configures.
func needsHook(t *suites.Test) bool {
	return slices.ContainsFunc(t.Needs, func(need string) bool { return strings.HasPrefix(need, "hook:") })
}

// Parting is where a test stands among those that leave the target other than it was; 0 for the rest, which come before.
func Parting(profile profiles.Profile, t *suites.Test) int {
	at := 0
	for _, need := range t.Needs {
		if name, is := strings.CutPrefix(need, "hook:"); is {
			known, _ := profile.Hook(name)
			at = max(at, known.Leaves)
		}
	}
	return at
}

// joint says whether a test needs a hook that is asked once for all who have come to it.
func (p *Planner) joint(t *suites.Test) bool {
	return slices.ContainsFunc(t.Needs, func(need string) bool {
		name, is := strings.CutPrefix(need, "hook:")
		known, _ := p.Profile.Hook(name)
		return is && known.Joint
	})
}

// ownSteps are the steps before those with which a test looks at the run. ends says whether there are some, and nothing else
// comes behind.
func ownSteps(t *suites.Test) (own []*suites.Step, ends bool) {
	first := slices.IndexFunc(t.Steps, LooksBack)
	if first < 0 {
		return nil, false
	}
	rest := t.Steps[first:]
	return t.Steps[:first], !slices.ContainsFunc(rest, func(s *suites.Step) bool { return !LooksBack(s) })
}

// LooksBack says whether a step judges what the run has seen: a watch, or the hook that shows it.
func LooksBack(s *suites.Step) bool {
	hook, asks := s.Do.(suites.Hook)
	_, watches := s.Do.(suites.Watch)
	return watches || asks && hooks.LooksBack(hook.Name)
}
