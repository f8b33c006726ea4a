// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/faultsets"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// played are the tests that are played under a set; nil: all. Of a narrow self-test, they are those that name one of its
// faults, or show a root of one.
func (m *crowds) played(set []string) []string {
	if m.options.Narrow {
		return m.aboutThese(set)
	}
	return nil
}

// correct plays a deployment of the correct server, where that was not done yet. What does not pass is played again with
// little else beside it.
func (m *crowds) correct(d deployment, needed func(*suites.Test) bool) error {
	if m.healthy[d.name] != nil {
		return nil
	}
	m.healthy = map[string]map[string]report.Result{d.name: {}}
	var again []string
	chosen := func(t *suites.Test) bool {
		return needed(t) && (again == nil || slices.Contains(again, t.ID))
	}
	for range 2 {
		run, err := m.play(m.ctx, d, nil, chosen, nil)
		if err != nil {
			return fmt.Errorf("%s deployment: %w", d.name, err)
		}
		again = []string{}
		for _, r := range run.Results {
			m.healthy[d.name][r.ID] = r
			if r.Outcome != report.Pass {
				again = append(again, r.ID)
			}
		}
	}
	for _, id := range again {
		if r := m.healthy[d.name][id]; r.Outcome != report.Skip {
			m.problem(1, m.tests[id].At.String(), "%s is not passed but %s on the correct executor (%s deployment): %s", id, r.Outcome, d.name, reason(r))
		}
	}
	m.progress("correct executor, %s deployment: %d of %d tests pass", d.name, len(m.healthy[d.name])-len(again), len(m.healthy[d.name]))
	return nil
}

// inCrowds says whether a test is played with those faults on, among others: one that sends megabytes only if it names one of them.
// Such a test may be all that lets another one see the fault.
func (m *crowds) inCrowds(d deployment, t *suites.Test, set ...string) bool {
	if !d.judges(t) || lawfulSkip(t) {
		return false
	}
	heavy := slices.Contains(m.proof.costly, t.ID) && slices.ContainsFunc(set, func(fault string) bool { return names(t, fault) >= 0 })
	return heavy || !m.costly(t)
}

// A played is what became of tests, and what the report leads with.
type played struct {
	results []faultsets.Played
	led     []faultsets.Led
}

// under plays the tests of a deployment, or only some, on a server with the faults.
func (m *crowds) under(d deployment, faults []string, only []string) (*played, error) {
	run, err := m.play(m.ctx, d, faults, func(t *suites.Test) bool {
		return m.inCrowds(d, t, faults...) && (only == nil || slices.Contains(only, t.ID))
	}, nil)
	if err != nil {
		return nil, err
	}
	run.Settle() // which finds what has one cause
	sharing := map[string][]string{}
	for _, c := range run.Causes {
		sharing[c.ID] = c.Tests
	}
	p := &played{led: m.led(run, faults)}
	for _, r := range run.Results {
		if t := m.tests[r.ID]; t != nil && m.inCrowds(d, t, faults...) && (only == nil || slices.Contains(only, t.ID)) {
			p.results = append(p.results, faultsets.Played{ID: r.ID, Was: m.was(d, r.ID), Is: r.Outcome, Says: reason(r), Together: sharing[r.Cause]})
		}
	}
	return p, nil
}

// led are the roots that the report of a run with the faults leads with.
func (m *crowds) led(run *report.Run, faults []string) []faultsets.Led {
	var all []faultsets.Led
	for _, c := range run.Causes {
		if c.Kind == report.CauseRoot {
			name := strings.TrimPrefix(c.ID, report.CauseRoot+"-")
			all = append(all, faultsets.Led{Root: name, Faults: m.showing(name, faults), Tests: c.Tests})
		}
	}
	return all
}

// showing are the faults that show a root, with those of the set that do so together.
func (m *crowds) showing(root string, set []string) []string {
	all := slices.Clone(m.roots.named(root).Faults)
	for _, c := range m.compounds {
		if c.Makes(root, set) {
			all = append(all, c.Faults...)
		}
	}
	return all
}

// was is the outcome of a test on the correct server.
func (m *crowds) was(d deployment, id string) report.Outcome { return m.healthy[d.name][id].Outcome }

// aboutThese are the tests that name a fault of a set, or show a root of one.
func (m *crowds) aboutThese(set []string) []string {
	ids := []string{}
	for _, t := range m.profile.Tests() {
		if slices.ContainsFunc(t.BrokenBy, func(b suites.Breakage) bool { return slices.Contains(set, b.Fault) }) ||
			slices.ContainsFunc(set, func(fault string) bool { return m.roots.shows(fault, t) }) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// aboutCompound are the tests that name a fault of a compound, that it changes, or that show its root.
func (m *crowds) aboutCompound(c faultsets.Compound) []string {
	ids := append(m.aboutThese(c.Faults), c.Tests...)
	for _, root := range m.roots {
		if root.Name == c.Root {
			ids = append(ids, root.Tests()...)
		}
	}
	return ids
}
