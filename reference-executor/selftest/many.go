// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/faultsets"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// setsAtOnce is how many servers with many faults are judged at once: a whole run each, which takes a processor.
const setsAtOnce = 2

// maxShrinking is how many runs one violation may cost until the faults that make it are known.
const maxShrinking = 48

// many is rule 8: sets of faults at once are judged as the suites say of each fault alone.
func (p *prover) many() error {
	masks, err := faultsets.Masks(p.profile.Name)
	if err != nil {
		return err
	}
	compounds, err := faultsets.Compounds(p.profile.Name)
	if err != nil {
		return err
	}
	m := &crowds{prover: p, masks: masks, compounds: compounds, known: map[string]map[string]faultsets.Fault{}, report: &faultsets.Report{First: p.options.Seed}}
	p.sets = m.report
	if err := m.drawAll(); err != nil {
		return err
	}
	if err := m.provenMasks(); err != nil {
		return err
	}
	if err := m.provenCompounds(); err != nil {
		return err
	}
	var g errgroup.Group
	g.SetLimit(setsAtOnce)
	if p.options.Narrow {
		g.SetLimit(2 * setsAtOnce)
	}
	for i := range uint64(p.options.Many) {
		g.Go(func() error { return m.set(p.options.Seed+i, m.drawn[i]) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, v := range m.report.Sorted() {
		p.problem(8, fmt.Sprintf("seed %d", v.Seed), "with %s on, %s", listed(v.Faults), v.Violation)
	}
	return nil
}

// crowds plays sets of faults.
type crowds struct {
	*prover
	masks     []faultsets.Mask
	compounds []faultsets.Compound
	report    *faultsets.Report
	drawn     [][]string // sets, by seed

	mu    sync.Mutex
	known map[string]map[string]faultsets.Fault // deployment, fault
}

// listed names faults, a few of many: the others are those of the seed.
func listed(faults []string) string {
	const most = 4
	if len(faults) > most {
		return fmt.Sprintf("%s and %d others of the set", strings.Join(faults[:most], ", "), len(faults)-most)
	}
	return strings.Join(faults, ", ")
}

// drawAll draws the sets, and plays the tests that they need on the correct server.
func (m *crowds) drawAll() error {
	d := m.proof.crowd()
	candidates := m.candidates(d)
	var needed, on []string
	for i := range uint64(m.options.Many) {
		names := faultsets.Draw(candidates, m.options.Seed+i)
		m.drawn = append(m.drawn, names)
		on = append(on, names...)
		needed = append(needed, m.aboutThese(names)...)
	}
	for _, mask := range m.masks {
		needed = append(needed, mask.Tests...)
	}
	for _, c := range m.compounds {
		needed = append(needed, m.aboutCompound(c)...)
	}
	clear(m.known) // what must show is known only when the correct server was played
	return m.correct(d, func(t *suites.Test) bool {
		return m.inCrowds(d, t, on...) && (!m.options.Narrow || slices.Contains(needed, t.ID))
	})
}

// set plays and judges the set of one seed.
func (m *crowds) set(seed uint64, names []string) error {
	if m.ctx.Err() != nil {
		return m.ctx.Err()
	}
	d := m.proof.crowd()
	if m.options.SetsOnly {
		for line := range slices.Chunk(names, 4) { // lines of progress are short
			m.progress("seed %d plays %s", seed, strings.Join(line, " "))
		}
	}
	results, err := m.under(d, names, m.played(names))
	if err != nil {
		m.problem(8, fmt.Sprintf("seed %d", seed), "cannot be played (%s deployment, faults %s): %v", d.name, strings.Join(names, ", "), err)
		return nil
	}
	seen := m.judge(d, names, results)
	if len(seen.violations) > 0 { // a busy machine may have been in the way
		if seen, err = m.again(d, names, seen); err != nil {
			return err
		}
	}
	tally := seen.tally
	found := make([]faultsets.Unexplained, len(seen.violations))
	for i, v := range seen.violations {
		m.progress("seed %d, %s deployment: %s; looking for the faults that it takes", seed, d.name, v)
		found[i] = faultsets.Unexplained{Seed: seed, Deployment: d.name, Violation: v, Faults: m.smallest(d, names, v)}
	}
	m.mu.Lock()
	m.report.Add(seed, names, tally, seen.roots, found)
	m.mu.Unlock()
	m.progress("seed %d, %s deployment: %d faults at once, %d tests failed as they had to, %d blocked, %d masked, %d unexplained; %d roots lead, %d of them are not there",
		seed, d.name, len(names), tally.Failed, tally.Blocked, tally.Masked, len(found), seen.roots.Named+seen.roots.Wrong, seen.roots.Wrong)
	for _, v := range seen.misplaced {
		m.progress("seed %d: %s", seed, v)
	}
	for _, u := range found {
		m.progress("seed %d: with %s on, %s", seed, listed(u.Faults), u.Violation)
	}
	return nil
}

// again plays a set once more and keeps the violations that are there again.
func (m *crowds) again(d deployment, names []string, was crowd) (crowd, error) {
	m.prover.mu.Lock()
	m.twice += len(was.violations)
	m.prover.mu.Unlock()
	results, err := m.under(d, names, m.played(names))
	if err != nil {
		return was, nil
	}
	is := m.judge(d, names, results)
	is.violations = slices.DeleteFunc(was.violations, func(v faultsets.Violation) bool { return !slices.ContainsFunc(is.violations, v.Same) })
	return is, m.ctx.Err()
}

// smallest looks for the faults of a set that make a violation: first with few tests played, and where those do not show it,
// with all.
func (m *crowds) smallest(d deployment, set []string, v faultsets.Violation) []string {
	shows := func(only []string) func(part []string) bool {
		return func(part []string) bool {
			if m.ctx.Err() != nil || v.Fault != "" && !slices.Contains(part, v.Fault) {
				return false
			}
			results, err := m.under(d, part, only)
			if err != nil {
				return false
			}
			return slices.ContainsFunc(m.judge(d, part, results).violations, v.Same)
		}
	}
	few := append(m.aboutThese(set), v.Test)
	if shows(few)(set) {
		return faultsets.Shrink(set, maxShrinking, shows(few))
	}
	if !shows(nil)(set) {
		return set
	}
	return faultsets.Shrink(set, maxShrinking, shows(nil))
}
