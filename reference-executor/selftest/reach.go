// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// reach is what keeps the search for what else a fault changes affordable. Every test is played alone on a correct
// executor that notes which of its points of behaviour are asked. A test that never asks a point that a fault edits cannot
// be changed by it, so it is not played under that fault; unless the fault changes what the preflight finds, or something
// that decides without being asked: then all are. So are always those that watch the whole run.
type reach struct {
	facts string                     // what the preflight finds
	boot  map[string]bool            // points that are asked before any test begins, but for those of the preflight
	tests map[string]map[string]bool // by test
}

// recorder notes which points are asked.
type recorder struct {
	mu    sync.Mutex
	asked map[string]bool
}

func (r *recorder) note(point string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[point] = true
}

// next gives what has been noted, and begins anew.
func (r *recorder) next() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked := r.asked
	r.asked = map[string]bool{}
	return asked
}

// reaches plays every test alone, in every deployment in which it is played under faults.
func (p *prover) reaches() error {
	p.reach = map[string]*reach{}
	var g errgroup.Group
	g.SetLimit(p.options.Workers)
	var mu sync.Mutex
	for _, d := range p.proof.deployments {
		if !p.isHome(d) {
			continue
		}
		into := &reach{tests: map[string]map[string]bool{}}
		p.reach[d.name] = into
		if err := p.boots(d, into); err != nil {
			return err
		}
		for _, t := range p.profile.Tests() {
			if !p.asks(t) || !p.plays(d, t) || p.costly(t) || lawfulSkip(t) {
				continue
			}
			g.Go(func() error {
				asked, err := p.alone(d, t)
				if err != nil {
					return fmt.Errorf("%s, alone (%s deployment): %w", t.ID, d.name, err)
				}
				mu.Lock()
				defer mu.Unlock()
				into.tests[t.ID] = asked
				return nil
			})
		}
	}
	return g.Wait()
}

// isHome says whether a fault is going to be tried in a deployment.
func (p *trials) isHome(d deployment) bool {
	return slices.ContainsFunc(p.profile.Tests(), func(t *suites.Test) bool {
		return p.home(t) == d.name && (p.options.EveryFault || slices.ContainsFunc(t.BrokenBy, func(b suites.Breakage) bool { return p.wanted(t, b) }))
	})
}

// boots notes what is asked and found before any test.
func (p *trials) boots(d deployment, into *reach) error {
	by := &recorder{asked: map[string]bool{}}
	s, err := d.serve(nil, by.note)
	if err != nil {
		return fmt.Errorf("%s deployment: %w", d.name, err)
	}
	s.close()
	into.boot = by.next()
	t, err := p.begin(p.ctx, d, nil, nil)
	if err != nil {
		return fmt.Errorf("%s deployment: %w", d.name, err)
	}
	into.facts = t.facts()
	_, err = t.play(p.profile, func(*suites.Test) bool { return false }, nil)
	return err
}

// alone plays one test and says what it asked.
func (p *trials) alone(d deployment, test *suites.Test) (map[string]bool, error) {
	by := &recorder{asked: map[string]bool{}}
	t, err := p.begin(p.ctx, d, nil, by.note)
	if err != nil {
		return nil, err
	}
	t.facts()
	by.next()
	_, err = t.play(p.profile, func(other *suites.Test) bool { return other == test }, nil)
	return by.next(), err
}

// reached says which tests a fault may change: those that ask what it edits.
func (p *prover) reached(fault string, d deployment, facts string) func(*suites.Test) bool {
	points, whole := p.proof.edited(fault)
	r := p.reach[d.name]
	if whole || facts != r.facts || slices.ContainsFunc(points, func(point string) bool { return r.boot[point] }) {
		return func(t *suites.Test) bool { return !p.costly(t) }
	}
	return func(t *suites.Test) bool {
		// What watches the whole run sees what the other tests ask.
		return !p.costly(t) && (t.Watches || slices.ContainsFunc(points, func(point string) bool { return r.tests[t.ID][point] }))
	}
}
