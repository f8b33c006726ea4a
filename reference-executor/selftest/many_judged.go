// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/faultsets"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A crowd is what was seen of a set.
type crowd struct {
	tally      faultsets.Tally
	roots      faultsets.Roots
	violations []faultsets.Violation
	misplaced  []faultsets.Violation // tests under a root that does not explain them
}

// judge holds the results of a set, and what its report leads with, to the rules.
func (m *crowds) judge(d deployment, names []string, p *played) crowd {
	set, roots := faultsets.Together(m.faultsOf(d, names), m.compounds), map[string][]string{}
	for _, root := range m.profile.Roots {
		roots[root.Name] = root.Faults
	}
	var seen crowd
	var strange []faultsets.Violation
	seen.tally, seen.violations = faultsets.Judge(set, m.masks, p.results)
	seen.roots, strange = faultsets.JudgeRoots(set, roots, p.led, p.results)
	for _, v := range strange {
		if v.Kind == faultsets.Misnamed {
			seen.violations = append(seen.violations, v)
		} else { // two defects can say the same of one test: counted, and no mistake
			seen.misplaced = append(seen.misplaced, v)
		}
	}
	return seen
}

// candidates are the faults that a test of the deployment names, whatever became of it there: the sets of a seed must not
// depend on how fast the machine is.
func (m *crowds) candidates(d deployment) []faultsets.Fault {
	all := m.faultsIn(d)
	var names []string
	for name, f := range all {
		if slices.ContainsFunc(f.Tests, func(t faultsets.Test) bool { return t.Named && m.inCrowds(d, m.tests[t.ID]) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return m.faultsOf(d, names)
}

func (m *crowds) faultsOf(d deployment, names []string) []faultsets.Fault {
	all := m.faultsIn(d)
	set := make([]faultsets.Fault, len(names))
	for i, name := range names {
		set[i] = all[name]
	}
	return set
}

// fatal is the part of all tests above which a fault hides others.
const fatal = 0.15

// faultsIn is what is known of the faults in a deployment.
func (m *crowds) faultsIn(d deployment) map[string]faultsets.Fault {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[d.name] != nil {
		return m.known[d.name]
	}
	all := map[string]faultsets.Fault{}
	for _, name := range m.proof.faults() {
		all[name] = m.knownOf(d, name)
	}
	m.known[d.name] = all
	return all
}

func (m *crowds) knownOf(d deployment, fault string) faultsets.Fault {
	f := faultsets.Fault{Name: fault}
	f.Points, f.Whole = m.proof.edited(fault)
	also := m.collateral(fault)
	played := 0
	for _, t := range m.profile.Tests() {
		if !m.inCrowds(d, t, fault) {
			continue
		}
		played++
		i := names(t, fault)
		if i >= 0 {
			f.Tests = append(f.Tests, faultsets.Test{ID: t.ID, Named: true, Worst: outcomes[t.Shows(t.BrokenBy[i])], Must: m.provedIn(d, t)})
		}
		if also(t.ID) {
			f.Tests = append(f.Tests, faultsets.Test{ID: t.ID})
		}
	}
	f.Fatal = float64(len(f.Tests)) > fatal*float64(played)
	return f
}

// provedIn says whether a test passes on the correct server with nothing noted, but rows that every deployment leaves out: only then
// its faults must show.
func (m *crowds) provedIn(d deployment, t *suites.Test) bool {
	r := m.healthy[d.name][t.ID]
	tells := func(note string) bool {
		return m.proof.leftOut == "" || !strings.Contains(note, "was not measured ("+m.proof.leftOut+")")
	}
	return r.Outcome == report.Pass && len(r.Findings) == 0 && !slices.ContainsFunc(r.Notes, tells)
}
