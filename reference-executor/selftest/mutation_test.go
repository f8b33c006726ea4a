// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"embed"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// killedMutants are a fixed sample of those that a whole play killed, by profile, a line each: the test that said so, its
// deployment, and the mutant.
//
//go:embed testdata/mutants
var killedMutants embed.FS

// A fixed sample of mutants dies as it did when all were played: each is played with the one test that killed it.
func TestASampleOfMutantsDies(t *testing.T) {
	if testing.Short() {
		t.Skip("the sample takes half a minute")
	}
	t.Parallel()
	for _, profile := range withSuites() {
		text, err := killedMutants.ReadFile("testdata/mutants/" + profile + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		base, err := newProver(t.Context(), Options{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		p := &mutator{prover: base, recording: mutants.NewRecording()}
		var g errgroup.Group
		g.SetLimit(4)
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) != 3 {
				t.Fatalf("%s: the line %q has %d fields, want test, deployment and mutant", profile, line, len(fields))
			}
			m, err := mutants.Parse(fields[2])
			if err != nil {
				t.Fatal(err)
			}
			g.Go(func() error {
				if fate, says := p.diesOf(m, fields[0], fields[1]); fate != mutants.Killed {
					t.Errorf("%s: %s is no longer killed by %s (%s deployment) but %s: %s\nif the test is right, make the sample anew: see docs/mutants.md",
						profile, m, fields[0], fields[1], fate, says)
				}
				return nil
			})
		}
		g.Wait()
	}
}

// diesOf plays a mutant with one test, and once more if it lives: on a busy machine an answer can be too late.
func (p *mutator) diesOf(m mutants.Mutant, test, home string) (mutants.Fate, string) {
	at := slices.IndexFunc(p.proof.deployments, func(d deployment) bool { return d.name == home })
	if at < 0 || p.tests[test] == nil {
		return "not played", "there is no such test or deployment"
	}
	for again := false; ; again = true {
		fate, finding, _, err := p.withMutant(m, p.proof.deployments[at], []string{test})
		if fate == mutants.Killed || again {
			says := ""
			if finding != nil {
				says = finding.Test + ": " + finding.Text
			}
			if err != nil {
				says = err.Error()
			}
			return fate, says
		}
	}
}

// Under each lawful variation, some tests pass as ever: other ones under each.
func TestLawfulVariationsChangeNoVerdict(t *testing.T) {
	if testing.Short() {
		t.Skip("the variations take half a minute")
	}
	t.Parallel()
	for _, profile := range withSuites() {
		base, err := newProver(t.Context(), Options{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		d := base.proof.deployments[0]
		var g errgroup.Group
		g.SetLimit(4)
		for _, name := range mutants.Variations {
			g.Go(func() error {
				some := base.someTests(d, name)
				plain := base.outcomes(t.Context(), d, "", some)
				for id, varied := range base.outcomes(t.Context(), d, name, some) {
					if varied == plain[id] || base.outcomes(t.Context(), d, name, []string{id})[id] == base.outcomes(t.Context(), d, "", []string{id})[id] {
						continue
					}
					t.Errorf("%s: %s: %s is %s, and %s otherwise", profile, name, id, varied, plain[id])
				}
				return nil
			})
		}
		g.Wait()
	}
}

// What is interrupted is not told of as if it had been played: no variation has changed a verdict, and no mutant has a fate.
func TestNothingIsToldOfMutantsThatWereInterrupted(t *testing.T) {
	t.Parallel()
	for _, profile := range withSuites() {
		ctx, interrupt := context.WithCancel(t.Context())
		var mu sync.Mutex
		var told []string
		base, err := newProver(ctx, Options{Profile: profile, Workers: 4, Progress: func(line string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, line)
		}})
		if err != nil {
			t.Fatal(err)
		}
		p := &mutator{prover: base, homes: map[string]deployment{}, killers: map[string]map[string]int{}, passes: map[string]bool{}, wholeRun: map[string][]string{}}
		d := base.proof.deployments[0]
		for _, id := range base.someTests(d, "interrupted") {
			p.homes[id] = d
		}
		interrupt()
		if _, err := p.variation(mutants.Variations[0]); err == nil {
			t.Errorf("%s: an interrupted variation is told as played", profile)
		}
		if _, err := p.variations(nil); err == nil {
			t.Errorf("%s: interrupted variations are told as played", profile)
		}
		if _, err := p.fates([]mutants.Mutant{{Site: mutants.Site{Kind: "GET /x 200", Part: "json.a"}, Operator: "drop", Mode: mutants.Always}}, nil, 0); err == nil {
			t.Errorf("%s: an interrupted mutant is told as played", profile)
		}
		if _, err := newMutator(ctx, Options{Profile: profile}); err == nil {
			t.Errorf("%s: an interrupted recording is taken for whole", profile)
		}
		if len(told) > 0 {
			t.Errorf("%s: interrupted, it tells %q", profile, told)
		}
	}
}

// someTests are a dozen tests of a deployment, or one of few, always the same for a name.
func (p *prover) someTests(d deployment, name string) []string {
	var all, ids []string
	for _, t := range p.profile.Tests() {
		if !d.judges(t) || p.costly(t) || t.Slow != 0 {
			continue
		}
		h := fnv.New32a()
		h.Write([]byte(t.ID + name))
		all = append(all, t.ID)
		if h.Sum32()%37 == 0 {
			ids = append(ids, t.ID)
		}
	}
	if len(ids) == 0 && len(all) > 0 {
		ids = all[:1]
	}
	return ids
}

// outcomes plays tests under a lawful variation.
func (p *prover) outcomes(ctx context.Context, d deployment, variation string, ids []string) map[string]report.Outcome {
	all := map[string]report.Outcome{}
	run, err := p.through(ctx, d, &mutants.Traffic{Variation: variation}, runner.Options{Select: func(t *suites.Test) bool { return slices.Contains(ids, t.ID) }})
	if err != nil {
		return all
	}
	for _, r := range run.Results {
		all[r.ID] = r.Outcome
	}
	return all
}
