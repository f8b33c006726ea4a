// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// MutantOptions say which mutants to play. Profile, Suites, Workers and Progress are those of [Options].
type MutantOptions struct {
	Options
	Sample int           // how many of the generated mutants; 0: all
	Seed   uint64        // of the sample
	Within time.Duration // no mutant begins later; 0: no limit
	IDs    []string      // only these; empty: the sample

	Variations   []string // of mutants.Variations: only these, and no mutants; empty: all, unless IDs are given
	NoVariations bool
}

// Mutate records what the tests of a profile use, and plays mutants of it. The error is for what keeps them from being
// played at all.
func Mutate(ctx context.Context, o MutantOptions) (*mutants.Report, error) {
	p, err := newMutator(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	all := mutants.Generate(p.recording)
	reasons, err := mutants.Reasons(p.profile.Name)
	if err != nil {
		return nil, err
	}
	chosen := mutants.Sample(all, o.Sample, o.Seed)
	if len(o.IDs)+len(o.Variations) > 0 {
		chosen = nil
		for _, id := range o.IDs {
			m, err := mutants.Parse(id)
			if err != nil {
				return nil, err
			}
			chosen = append(chosen, m)
		}
	}
	kinds, sites := p.recording.Size()
	r := &mutants.Report{Profile: p.profile.Name, Recorded: len(p.homes), Tests: len(p.profile.Tests()), Kinds: kinds, Sites: sites,
		Generated: len(all), Seed: o.Seed, Problems: mutants.Stale(reasons, all)}
	p.progress("%d tests were recorded; %d kinds with %d places; %d of %d mutants are played", len(p.homes), kinds, sites, len(chosen), len(all))
	if r.Results, err = p.fates(chosen, reasons, o.Within); err != nil {
		return nil, err
	}
	if len(o.IDs) == 0 && !o.NoVariations || len(o.Variations) > 0 {
		if r.Variations, err = p.variations(o.Variations); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// newMutator records what the tests of a profile use.
func newMutator(ctx context.Context, o Options) (*mutator, error) {
	base, err := newProver(ctx, o)
	if err != nil {
		return nil, err
	}
	p := &mutator{prover: base, killers: map[string]map[string]int{}, wholeRun: map[string][]string{}, passes: map[string]bool{}}
	if p.texts, err = base.testTexts(); err != nil {
		return nil, err
	}
	if p.recording, p.homes, err = base.record(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil { // what was not recorded is not known to be unused
		return nil, err
	}
	p.weights, p.trial = p.recording.Weights(), p.withMutant
	return p, nil
}

// fates plays mutants, as many as there is time for; the results are sorted by id. What survives when it is always at work
// survives in some of the occurrences as well.
func (p *mutator) fates(chosen []mutants.Mutant, reasons []mutants.Reason, within time.Duration) ([]mutants.Result, error) {
	var results []mutants.Result
	survived, mu := map[string]bool{}, sync.Mutex{}
	began := time.Now()
	var g errgroup.Group
	g.SetLimit(p.options.Workers)
	for _, m := range chosen {
		g.Go(func() error {
			if within > 0 && time.Since(began) > within || p.ctx.Err() != nil {
				return p.ctx.Err()
			}
			always := m
			always.Mode = mutants.Always
			mu.Lock()
			implied := m.Mode != mutants.Always && survived[always.String()]
			mu.Unlock()
			r := mutants.Result{ID: m.String(), Fate: mutants.Implied}
			if !implied {
				r = p.fate(m, mutants.Why(reasons, m) != "")
			}
			if err := p.ctx.Err(); err != nil { // what it met is an interrupted run
				return err
			}
			if r.Fate != mutants.Killed {
				r.Reason = mutants.Why(reasons, m)
			}
			if r.Reason == "" {
				p.progress("%s: %s %s", r.Fate, r.ID, r.By)
			} else {
				p.progress("%s, lawful: %s (%s)", r.Fate, r.ID, r.Reason)
			}
			mu.Lock()
			defer mu.Unlock()
			results = append(results, r)
			survived[r.ID] = m.Mode == mutants.Always && r.Fate == mutants.Survived
			return nil
		})
	}
	err := g.Wait()
	if err == nil {
		err = p.fatesTogether(chosen, results, func() bool { return within > 0 && time.Since(began) > within })
	}
	slices.SortFunc(results, func(a, b mutants.Result) int { return strings.Compare(a.ID, b.ID) })
	return results, err
}

// through plays tests against a correct server whose traffic passes through a proxy.
func (p *trials) through(ctx context.Context, d deployment, traffic *mutants.Traffic, options runner.Options) (*report.Run, error) {
	defer traffic.Close()
	s, err := d.behind(traffic)
	if err != nil {
		return nil, err
	}
	defer s.close()
	for _, client := range []string{"instance", "admin"} {
		if token := s.target().Tokens[client]; token != "" {
			traffic.Own = append(traffic.Own, token)
		}
	}
	options.Jobs, options.MaxWait, options.HoldFactor, options.Seed, options.Rate, options.ByTheClock = 16, time.Hour, hold, 1, unpaced, true
	run, err := runner.Run(ctx, p.profile, s.target(), options)
	traffic.Close() // before the server ends: what it still says belongs to nobody
	return run, err
}

// record plays every test alone through a proxy that notes what passes, and says in which deployment each is at home.
func (p *trials) record() (*mutants.Recording, map[string]deployment, error) {
	recording, homes := mutants.NewRecording(), map[string]deployment{}
	var g errgroup.Group
	g.SetLimit(p.options.Workers)
	var mu sync.Mutex
	for _, t := range p.profile.Tests() {
		if lawfulSkip(t) || overGRPCAlone(t) || p.costly(t) {
			continue
		}
		g.Go(func() error {
			for _, d := range p.proof.deployments {
				if err := p.ctx.Err(); err != nil {
					return err
				}
				seen, err := p.recordIn(d, t)
				if err != nil {
					return fmt.Errorf("%s, alone (%s deployment): %w", t.ID, d.name, err)
				}
				if seen == nil {
					continue
				}
				mu.Lock()
				defer mu.Unlock()
				recording.Add(t.ID, seen)
				homes[t.ID] = d
				return nil
			}
			return nil
		})
	}
	return recording, homes, g.Wait()
}

// recordIn is what a test was seen to use in a deployment; nil when it does not pass there.
func (p *trials) recordIn(d deployment, t *suites.Test) (*mutants.Recording, error) {
	if !d.judges(t) {
		return nil, nil
	}
	traffic := &mutants.Traffic{Recording: mutants.NewRecording()}
	run, err := p.through(p.ctx, d, traffic, runner.Options{
		Select: func(other *suites.Test) bool { return other == t },
		Judged: func(j runner.Judgement) {
			if !looksBack(j.Step) { // before a test looks back, it has tidied up
				traffic.Recording.Judged()
			}
		},
	})
	if errors.Is(err, errNoProxy) {
		return nil, nil
	}
	if err != nil || len(run.Results) != 1 || run.Results[0].Outcome != report.Pass {
		return nil, err
	}
	return traffic.Recording, nil
}

// looksBack says whether a step judges what the whole run has seen.
func looksBack(s *suites.Step) bool {
	hook, asks := s.Do.(suites.Hook)
	_, watches := s.Do.(suites.Watch)
	return watches || asks && hooks.LooksBack(hook.Name)
}
