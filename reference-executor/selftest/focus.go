// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
)

// A Focus is what was played of a profile when only a few tests were asked for, as their author does after every change:
// each of them on the correct executor and under the faults that it names, and nothing beside it. A test that looks at the
// whole run, and shows nothing alone, is played once more with others beside it.
type Focus struct {
	Tests       []string `json:"tests"`
	Deployments []string `json:"deployments"`      // of the correct executor
	Faults      []string `json:"faults"`           // that the tests name
	Beside      []Beside `json:"beside,omitempty"` // what was played beside tests that look at the whole run
	Left        int      `json:"left"`             // tests of the profile that were not asked for

	EveryFault bool `json:"every_fault,omitempty"` // they were played under all other faults as well

	profile string
	mu      sync.Mutex
}

// Beside is what was played beside tests that showed nothing alone.
type Beside struct {
	Tests  []string `json:"tests"`
	Others string   `json:"others"`
}

func (f *Focus) beside(tests []string, others string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	same := func(b Beside) bool { return b.Others == others && slices.Equal(b.Tests, tests) }
	if !slices.ContainsFunc(f.Beside, same) {
		f.Beside = append(f.Beside, Beside{slices.Clone(tests), others})
	}
}

// Lines tell a reader what was played and what was not.
func (f *Focus) Lines() []string {
	lines := []string{fmt.Sprintf("played: %s on the correct executor (%s) and under %s", strings.Join(f.Tests, ", "),
		strings.Join(f.Deployments, ", "), counted(f.Faults))}
	for _, b := range f.Beside {
		lines = append(lines, fmt.Sprintf("played beside %s, which looks at the whole run: %s", strings.Join(b.Tests, ", "), b.Others))
	}
	if f.EveryFault {
		lines = append(lines, "played under every other fault that may change them, with nothing beside them")
	}
	left := fmt.Sprintf("not played: the other %d tests of %s, so what else these faults change and which roots they show is not known", f.Left, f.profile)
	if len(f.Faults) > 0 {
		left += fmt.Sprintf("; self-test --profile %s --fault %s looks for that, which can take minutes", f.profile, strings.Join(f.Faults, ","))
	}
	return append(lines, left)
}

// counted says how many faults there are, and which.
func counted(faults []string) string {
	switch len(faults) {
	case 0:
		return "no fault"
	case 1:
		return "the fault " + faults[0]
	}
	return fmt.Sprintf("%d faults (%s)", len(faults), strings.Join(faults, ", "))
}

// focused completes the account of what was played; nil when everything was.
func (p *prover) focused() *Focus {
	if p.focus == nil {
		return nil
	}
	p.focus.profile = p.profile.Name
	p.focus.Faults = sortedNames(p.tried)
	p.focus.Left = len(p.tests) - len(p.focus.Tests)
	for _, d := range p.asked() {
		p.focus.Deployments = append(p.focus.Deployments, d.name)
	}
	slices.SortFunc(p.focus.Beside, func(a, b Beside) int {
		return strings.Compare(strings.Join(a.Tests, " ")+a.Others, strings.Join(b.Tests, " ")+b.Others)
	})
	return p.focus
}

func sortedNames(set map[string]bool) []string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// asked are the deployments that the correct executor is played in: all, or those in which a test is judged that is asked for.
func (p *trials) asked() []deployment {
	if !p.options.Focused {
		return p.proof.deployments
	}
	return slices.DeleteFunc(slices.Clone(p.proof.deployments), func(d deployment) bool {
		return !slices.ContainsFunc(p.profile.Tests(), func(t *suites.Test) bool { return p.asks(t) && d.judges(t) })
	})
}

// focusedUnder are the tests that are asked for, name the fault, and are tried in this deployment.
func (p *prover) focusedUnder(fault string, d deployment) []string {
	ids := []string{}
	for _, t := range p.profile.Tests() {
		if p.asks(t) && names(t, fault) >= 0 && p.home(t) == d.name {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// widened are the tests in doubt, for another look; beside one that looks at the whole run, what is always played under the
// fault: the other tests that name it, and those that show a root of it.
func (p *prover) widened(d doubt) []string {
	around := slices.DeleteFunc(slices.Clone(d.ids), func(id string) bool { return !looksAround(p.tests[id]) })
	if len(around) == 0 {
		return d.ids
	}
	ids := slices.Clone(d.ids)
	for _, t := range p.profile.Tests() {
		unseen := p.home(t) == "" && d.in.judges(t) && names(t, d.fault) >= 0 // on the correct executor nobody has played it
		if !slices.Contains(ids, t.ID) && (unseen || p.judgesUnder(d.fault, d.in, t)) {
			ids = append(ids, t.ID)
		}
	}
	if others := ids[len(d.ids):]; len(others) > 0 {
		p.focus.beside(around, fmt.Sprintf("%s, under %s", strings.Join(others, ", "), d.fault))
	}
	return ids
}

// judgesUnder says whether a test is played under a fault in a narrow self-test.
func (p *prover) judgesUnder(fault string, d deployment, t *suites.Test) bool {
	return p.plays(d, t) && names(t, fault) >= 0 || d.judges(t) && (p.asksFor(t.ID, fault) || !p.costly(t) && p.roots.shows(fault, t))
}

// asksFor says whether a test that looks at the whole run sees a fault by what that one asks.
func (p *prover) asksFor(id, fault string) bool { return matches(p.beside[fault], id) }

// besides are the patterns of the tests that see a fault in what other tests ask, by fault: those of `beside` in broken_by.
func besides(tests []*suites.Test) map[string][]string {
	patterns := map[string][]string{}
	for _, t := range tests {
		for _, b := range t.BrokenBy {
			if len(b.Beside) > 0 {
				patterns[b.Fault] = append(patterns[b.Fault], b.Beside...)
			}
		}
	}
	return patterns
}

// looksAround says whether a test judges what other tests have made the run see.
func looksAround(t *suites.Test) bool {
	return t.Watches || asksForTheRun(t.Given) || asksForTheRun(t.Steps)
}

func asksForTheRun(steps []*suites.Step) bool {
	return slices.ContainsFunc(steps, func(s *suites.Step) bool {
		switch do := s.Do.(type) {
		case suites.Hook:
			return hooks.LooksBack(do.Name)
		case suites.Block:
			return asksForTheRun(do.Inside())
		}
		return false
	})
}
