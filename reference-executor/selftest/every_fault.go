// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// everyFault plays the tests that are asked for under all faults that they do not name and that may change them, each fault
// in the deployments in which the whole self-test tries it: their author learns in minutes what that would say of them. What
// a test that watches the whole run would see of other tests is not seen.
func (p *prover) everyFault() error {
	if err := p.others(); err != nil {
		return err
	}
	if err := p.reaches(); err != nil {
		return err
	}
	var g errgroup.Group
	g.SetLimit(p.options.Workers)
	for _, d := range p.proof.deployments {
		if p.reach[d.name] == nil || len(p.reach[d.name].tests) == 0 {
			continue
		}
		for _, fault := range p.proof.faults() {
			if slices.ContainsFunc(p.profile.Tests(), func(t *suites.Test) bool { return names(t, fault) >= 0 && p.home(t) == d.name }) {
				g.Go(func() error { return p.besides(fault, d) })
			}
		}
	}
	return g.Wait()
}

// others plays the other tests on the correct executor: where they pass decides where their faults are tried.
func (p *prover) others() error {
	var g errgroup.Group
	for _, d := range p.proof.deployments {
		g.Go(func() error {
			run, err := p.play(p.ctx, d, nil, func(t *suites.Test) bool { return d.judges(t) && !p.costly(t) && !p.asks(t) }, nil)
			if err != nil {
				return fmt.Errorf("%s deployment: %w", d.name, err)
			}
			p.progress("%s deployment: the other tests were played on the correct executor", d.name)
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.healthy[d.name] == nil {
				p.healthy[d.name] = map[string]report.Result{}
			}
			for _, r := range run.Results {
				if t := p.tests[r.ID]; t != nil && !p.asks(t) && d.judges(t) {
					p.healthy[d.name][r.ID] = r
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// besides says which of the tests a fault changes without being named, if it does so twice.
func (p *prover) besides(fault string, d deployment) error {
	changed, err := p.unnamed(fault, d, nil)
	if len(changed) > 0 && err == nil {
		ids := make([]string, len(changed))
		for i, r := range changed {
			ids[i] = r.ID
		}
		changed, err = p.unnamed(fault, d, ids)
	}
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	p.progress("%s (%s deployment): changes %d tests that do not name it", fault, d.name, len(changed))
	if err != nil {
		p.problem(2, fault, "cannot be tried (%s deployment): %v", d.name, err)
		return nil
	}
	for _, r := range changed {
		p.changes(fault, d, r)
	}
	return nil
}

// unnamed plays tests under a fault that they do not name, all or only some, and returns what it changes and nothing lists.
func (p *prover) unnamed(fault string, d deployment, only []string) ([]report.Result, error) {
	trial, err := p.begin(p.ctx, d, []string{fault}, nil)
	if err != nil {
		return nil, err
	}
	reached, also := p.reached(fault, d, trial.facts()), p.collateral(fault)
	run, err := trial.play(p.profile, func(t *suites.Test) bool {
		return p.asks(t) && p.plays(d, t) && names(t, fault) < 0 && reached(t) && !also(t.ID) && (only == nil || slices.Contains(only, t.ID))
	}, nil)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(run.Results, func(r report.Result) bool {
		return p.tests[r.ID] == nil || !p.asks(p.tests[r.ID]) || p.healthy[d.name][r.ID].Outcome == r.Outcome
	}), nil
}
