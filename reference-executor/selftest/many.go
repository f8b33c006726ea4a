// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/faultsets"
	"github.com/roctinam/agentic-sandbox-conformance/report"
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
	d := m.proof.deployments[0]
	candidates := m.candidates(d)
	var needed []string
	for i := range uint64(m.options.Many) {
		names := faultsets.Draw(candidates, m.options.Seed+i)
		m.drawn = append(m.drawn, names)
		needed = append(needed, m.aboutThese(names)...)
	}
	for _, mask := range m.masks {
		needed = append(needed, mask.Tests...)
	}
	for _, c := range m.compounds {
		needed = append(needed, m.aboutCompound(c)...)
	}
	clear(m.known) // what must show is known only when the correct server was played
	return m.correct(d, func(t *suites.Test) bool { return !m.options.Narrow || slices.Contains(needed, t.ID) })
}

// set plays and judges the set of one seed.
func (m *crowds) set(seed uint64, names []string) error {
	if m.ctx.Err() != nil {
		return m.ctx.Err()
	}
	d := m.proof.deployments[0]
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

// played are the tests that are played under a set; nil: all. Of a narrow self-test, they are those that name one of its
// faults, or show a root of one.
func (m *crowds) played(set []string) []string {
	if m.options.Narrow {
		return m.aboutThese(set)
	}
	return nil
}

// A crowd is what was seen of a set.
type crowd struct {
	tally      faultsets.Tally
	roots      faultsets.Roots
	violations []faultsets.Violation
	misplaced  []faultsets.Violation // tests under a root that does not explain them
}

// judge holds the results of a set, and what its report leads with, to the rules.
func (m *crowds) judge(d deployment, names []string, p *played) crowd {
	set, roots := m.faultsOf(d, names), map[string][]string{}
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

// candidates are the faults that a test of the deployment names, whatever became of it there: the sets of a seed must not
// depend on how fast the machine is.
func (m *crowds) candidates(d deployment) []faultsets.Fault {
	all := m.faultsIn(d)
	var names []string
	for name, f := range all {
		if slices.ContainsFunc(f.Tests, func(t faultsets.Test) bool { return t.Named }) {
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
		if !m.inCrowds(d, t) {
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

// provedIn says whether a test passes on the correct server with nothing noted: only then its faults must show.
func (m *crowds) provedIn(d deployment, t *suites.Test) bool {
	r := m.healthy[d.name][t.ID]
	return r.Outcome == report.Pass && len(r.Findings) == 0 && len(r.Notes) == 0
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
		return m.inCrowds(d, t) && needed(t) && (again == nil || slices.Contains(again, t.ID))
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

// inCrowds says whether a test is played with many faults on.
func (m *crowds) inCrowds(d deployment, t *suites.Test) bool {
	return d.judges(t) && !m.costly(t) && !lawfulSkip(t)
}

// A played is what became of tests, and what the report leads with.
type played struct {
	results []faultsets.Played
	led     []faultsets.Led
}

// under plays the tests of a deployment, or only some, on a server with the faults.
func (m *crowds) under(d deployment, faults []string, only []string) (*played, error) {
	run, err := m.play(m.ctx, d, faults, func(t *suites.Test) bool {
		return m.inCrowds(d, t) && (only == nil || slices.Contains(only, t.ID))
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
		if t := m.tests[r.ID]; t != nil && m.inCrowds(d, t) && (only == nil || slices.Contains(only, t.ID)) {
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

// provenMasks plays each mask: a test that fails though it is said to be masked makes the mask wrong.
func (m *crowds) provenMasks() error {
	var g errgroup.Group
	g.SetLimit(m.options.Workers)
	for _, mask := range m.masks {
		for _, by := range mask.By {
			for _, id := range mask.Tests {
				g.Go(func() error { return m.provenMask(mask, by, id) })
			}
		}
	}
	return g.Wait()
}

func (m *crowds) provenMask(mask faultsets.Mask, by, id string) error {
	at := fmt.Sprintf("masks.yaml: %s", mask.Fault)
	t := m.tests[id]
	if t == nil || names(t, mask.Fault) < 0 || !slices.Contains(m.proof.faults(), by) {
		m.problem(8, at, "there is no test %s that names it, or no fault %s", id, by)
		return nil
	}
	seen, err := m.under(m.proof.deployments[0], []string{mask.Fault, by}, []string{id})
	if err != nil {
		return err
	}
	shows := outcomes[t.Shows(t.BrokenBy[names(t, mask.Fault)])]
	if slices.ContainsFunc(seen.results, func(r faultsets.Played) bool { return r.Is == shows }) {
		m.problem(8, at, "%s sees it while %s is on: strike the mask", id, by)
	}
	return nil
}

// provenCompounds plays the faults of each compound: the report leads with the root. That none of them alone makes it so is rule 9.
func (m *crowds) provenCompounds() error {
	var g errgroup.Group
	g.SetLimit(m.options.Workers)
	for _, c := range m.compounds {
		g.Go(func() error { return m.provenCompound(c) })
	}
	return g.Wait()
}

func (m *crowds) provenCompound(c faultsets.Compound) error {
	at := fmt.Sprintf("compounds.yaml: %s", c.Root)
	for _, fault := range c.Faults {
		if !slices.Contains(m.proof.faults(), fault) {
			m.problem(8, at, "there is no fault %s", fault)
			return nil
		}
	}
	if !slices.ContainsFunc(m.roots, func(root *suites.Root) bool { return root.Name == c.Root }) {
		m.problem(8, at, "there is no such root")
		return nil
	}
	seen, err := m.under(m.proof.deployments[0], c.Faults, m.aboutCompound(c))
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(seen.led, func(l faultsets.Led) bool { return l.Root == c.Root }) {
		m.problem(8, at, "with %s on, the report does not lead with it: strike the entry", strings.Join(c.Faults, " and "))
	}
	return nil
}

// aboutCompound are the tests that name a fault of a compound, or show its root.
func (m *crowds) aboutCompound(c faultsets.Compound) []string {
	ids := m.aboutThese(c.Faults)
	for _, root := range m.roots {
		if root.Name == c.Root {
			ids = append(ids, root.Tests()...)
		}
	}
	return ids
}
