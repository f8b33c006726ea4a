// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// A doubt is results under a fault of which some look wrong. On a busy machine an answer can be too late for once, and that
// is not the fault's doing; so they are looked at again when little else is going on, and what is seen then counts.
type doubt struct {
	fault   string
	in      deployment
	ids     []string
	results []report.Result
}

// furtherLooks settles the doubts: a few at a time, and what is still in doubt then one after the other with nothing beside it.
func (p *prover) furtherLooks() error {
	for _, atOnce := range []int{2 * runtime.NumCPU(), 1} { // most of their time is waiting
		doubts := p.doubts
		p.doubts = nil
		var g errgroup.Group
		g.SetLimit(atOnce)
		for _, d := range doubts {
			p.twice += len(d.ids)
			p.progress("%s: another look at %s", d.fault, strings.Join(d.ids, " "))
			g.Go(func() error { return p.lookAgain(d, atOnce == 1) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// lookAgain plays the tests in doubt once more. If it is not the last look, what is still in doubt waits for the next one.
func (p *prover) lookAgain(d doubt, last bool) error {
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	in := d.in
	in.quiet = last
	again, err := p.under(d.fault, in, p.again(d))
	if err != nil {
		p.problem(2, d.fault, "cannot be tried again (%s deployment): %v", d.in.name, err)
		return nil
	}
	for i, r := range d.results {
		if at := slices.IndexFunc(again, func(s report.Result) bool { return s.ID == r.ID }); at >= 0 {
			d.results[i] = again[at]
		}
	}
	if ids := p.doubtful(d.fault, d.in, p.collateral(d.fault), d.results); len(ids) > 0 && !last {
		d.ids = ids
		p.mu.Lock()
		p.doubts = append(p.doubts, d)
		p.mu.Unlock()
		return nil
	}
	p.conclude(d.fault, d.in, d.results)
	return nil
}

// again is the tests to play again: those in doubt. What watches the whole run needs the others beside it.
func (p *prover) again(d doubt) []string {
	if p.options.Focused {
		return p.widened(d)
	}
	if !slices.ContainsFunc(d.ids, func(id string) bool { return p.tests[id].Watches }) {
		return d.ids
	}
	ids := make([]string, len(d.results))
	for i, r := range d.results {
		ids[i] = r.ID
	}
	return ids
}

// passesAlone plays a test that was skipped everywhere once more in each deployment, with nothing beside it: what it needs,
// such as a fast terminal, may have been missing for once. What failed is looked at again with all others beside it.
func (p *prover) passesAlone(t *suites.Test) bool {
	for _, d := range p.proof.deployments {
		if was, ran := p.healthy[d.name][t.ID]; !ran || !d.judges(t) || was.Outcome != report.Skip {
			continue
		}
		all := p.options.Focused && looksAround(t)
		d.quiet = true
		run, err := p.play(p.ctx, d, nil, func(other *suites.Test) bool { return other == t || all && d.judges(other) }, func(j runner.Judgement) { p.judged(j, true) })
		if err != nil {
			continue
		}
		at := slices.IndexFunc(run.Results, func(r report.Result) bool { return r.ID == t.ID })
		if at < 0 {
			continue
		}
		p.twice++
		if all {
			p.focus.beside([]string{t.ID}, "all others, in the deployment "+d.name)
		}
		if run.Results[at].Outcome == report.Pass {
			p.healthy[d.name][t.ID] = run.Results[at]
			return true
		}
	}
	return false
}

// correct plays a deployment of the correct executor: the tests that are asked for, or all of them.
func (p *trials) correct(d deployment, all bool) (*report.Run, error) {
	return p.play(p.ctx, d, nil, func(t *suites.Test) bool { return d.judges(t) && (all || p.asks(t)) }, func(j runner.Judgement) { p.judged(j, true) })
}

// correctAgain plays a deployment of the correct executor once more if something was wrong with it, and puts what came of
// those tests then in the place of what came of them first. All tests of it are played, as one may be wrong because of others.
func (p *prover) correctAgain(d deployment, run *report.Run) error {
	wrong := func(r *report.Result) bool {
		t := p.tests[r.ID]
		return t != nil && d.judges(t) && r.Outcome != report.Pass && r.Outcome != report.Skip
	}
	if err := p.replace(d, run, wrong, false); err != nil {
		return err
	}
	blind := func(r *report.Result) bool {
		return wrong(r) && r.Outcome == report.Blocked && looksAround(p.tests[r.ID])
	}
	if !p.options.Focused || !slices.ContainsFunc(run.Results, func(r report.Result) bool { return blind(&r) }) {
		return nil
	}
	// What others do may be all that it could look at.
	for i := range run.Results {
		if r := &run.Results[i]; blind(r) {
			p.focus.beside([]string{r.ID}, "all others, in the deployment "+d.name)
		}
	}
	return p.replace(d, run, blind, true)
}

// replace plays a deployment of the correct executor again if some results are wrong, and puts the new ones in their place.
func (p *prover) replace(d deployment, run *report.Run, wrong func(*report.Result) bool, all bool) error {
	n := 0
	for i := range run.Results {
		if wrong(&run.Results[i]) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	p.twice += n
	again, err := p.correct(d, all)
	if err != nil {
		return err
	}
	results := map[string]report.Result{}
	for _, r := range again.Results {
		results[r.ID] = r
	}
	for i := range run.Results {
		if second, played := results[run.Results[i].ID]; played && wrong(&run.Results[i]) {
			run.Results[i] = second
		}
	}
	return nil
}
