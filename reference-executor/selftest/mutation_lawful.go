// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// variations plays every recorded test under lawful changes of everything: those that are named, or all.
func (p *mutator) variations(names []string) ([]mutants.Variation, error) {
	if len(names) == 0 {
		names = mutants.Variations
	}
	all := make([]mutants.Variation, len(names))
	var g errgroup.Group
	g.SetLimit(max(1, p.options.Workers/4))
	for i, name := range names {
		g.Go(func() (err error) {
			if err := p.ctx.Err(); err != nil {
				return err
			}
			all[i], err = p.variation(name)
			return err
		})
	}
	err := g.Wait()
	return all, err
}

// variation plays every recorded test, at home, under a lawful change of everything. What fails then is played again alone. One that was
// interrupted has changed nothing, and is not told of.
func (p *mutator) variation(name string) (mutants.Variation, error) {
	v := mutants.Variation{Name: name}
	for _, d := range p.proof.deployments {
		var ids []string
		for id, home := range p.homes {
			if home.name == d.name {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		v.Tests += len(ids)
		results, err := p.varied(name, d, ids)
		if err != nil {
			return v, err
		}
		for _, r := range results {
			if r.Outcome == report.Pass {
				continue
			}
			again, err := p.varied(name, d, []string{r.ID})
			if err != nil {
				return v, err
			}
			if len(again) == 1 && again[0].Outcome != report.Pass {
				v.Changed = append(v.Changed, fmt.Sprintf("%s: pass became %s: %s", r.ID, again[0].Outcome, reason(again[0])))
			}
		}
	}
	slices.Sort(v.Changed)
	p.progress("%s: %d tests, %d verdicts changed", name, v.Tests, len(v.Changed))
	return v, nil
}

// varied plays tests in one deployment under a lawful change.
func (p *mutator) varied(name string, d deployment, ids []string) ([]report.Result, error) {
	run, err := p.through(p.ctx, d, &mutants.Traffic{Variation: name}, runner.Options{Select: func(t *suites.Test) bool { return slices.Contains(ids, t.ID) }})
	if err != nil {
		return nil, err
	}
	return run.Results, p.ctx.Err() // what was interrupted has no verdict
}
