// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// conformant is rule 1: every test passes on the correct executor.
func (p *prover) conformant() error {
	p.healthy = map[string]map[string]report.Result{}
	passes, skipped := map[string]bool{}, map[string][]string{}
	deployments := p.asked()
	runs := make([]*report.Run, len(deployments))
	var g errgroup.Group
	for i, d := range deployments {
		g.Go(func() (err error) {
			if runs[i], err = p.correct(d, false); err != nil {
				return fmt.Errorf("%s deployment: %w", d.name, err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, d := range deployments {
		if err := p.correctAgain(d, runs[i]); err != nil {
			return fmt.Errorf("%s deployment: %w", d.name, err)
		}
		p.compare(d, runs[i], passes, skipped)
	}
	asked := 0
	for _, t := range p.profile.Tests() {
		if !p.asks(t) {
			continue
		}
		asked++
		switch {
		case passes[t.ID] || lawfulSkip(t) || overGRPCAlone(t):
		case p.passesAlone(t):
			passes[t.ID] = true
		default:
			p.problem(1, t.At.String(), "%s passes in no deployment: %s", t.ID, strings.Join(skipped[t.ID], "; "))
		}
	}
	p.progress("correct executor: %d of %d tests pass", len(passes), asked)
	return nil
}

// asks says whether a test is looked at: all are, but for a quick look at a few.
func (p *trials) asks(t *suites.Test) bool {
	return !p.options.Alone || len(p.options.Tests) == 0 || slices.Contains(p.options.Tests, t.ID)
}

// compare notes what passes in a deployment, and what is wrong with the rest.
func (p *prover) compare(d deployment, run *report.Run, passes map[string]bool, skipped map[string][]string) {
	results := map[string]report.Result{}
	for _, r := range run.Results {
		results[r.ID] = r
		t := p.tests[r.ID]
		if t == nil || !d.judges(t) {
			continue
		}
		switch r.Outcome {
		case report.Pass:
			passes[r.ID] = true
		case report.Skip:
			skipped[r.ID] = append(skipped[r.ID], d.name+" deployment: "+reason(r))
		default:
			p.problem(1, t.At.String(), "%s is not passed but %s on the correct executor (%s deployment): %s", t.ID, r.Outcome, d.name, reason(r))
		}
	}
	if run.Verdict == report.Unreachable || run.Verdict == report.Unauthorized {
		p.problem(1, d.name, "the correct executor is %s: %s", run.Verdict, run.Because)
	}
	p.healthy[d.name] = results
}

// lawfulSkip names the tests that no deployment can pass.
func lawfulSkip(t *suites.Test) bool { return t.Applies.Reserved != "" }

// overGRPCAlone says whether a test is played over nothing but gRPC, in a build that does not drive it.
func overGRPCAlone(t *suites.Test) bool {
	return !runner.DrivesGRPC && len(t.Over) == 1 && t.Over[0] == "GRPC"
}

func reason(r report.Result) string {
	var said []string
	if r.Reason != nil {
		said = append(said, r.Reason.Code+": "+r.Reason.Detail)
	}
	for _, f := range r.Findings {
		said = append(said, f.Problem)
	}
	return strings.Join(said, "; ")
}

// faults is rule 2.
func (p *prover) faults() error {
	p.tried = map[string]bool{}
	naming := map[string][]*suites.Test{}
	for _, t := range p.profile.Tests() {
		if overGRPCAlone(t) {
			if p.asks(t) {
				p.notAsked++
			}
			continue
		}
		if len(t.BrokenBy) == 0 && !lawfulSkip(t) && p.asks(t) {
			p.problem(2, t.At.String(), "%s names no fault that breaks it", t.ID)
		}
		for _, b := range t.BrokenBy {
			if p.wanted(t, b) && !slices.Contains(naming[b.Fault], t) {
				naming[b.Fault] = append(naming[b.Fault], t)
			}
		}
	}
	names := make([]string, 0, len(naming))
	for name := range naming {
		names = append(names, name)
	}
	sort.Strings(names)
	var g errgroup.Group
	g.SetLimit(p.options.Workers)
	for _, fault := range names {
		p.tried[fault] = true
		for _, d := range p.proof.deployments {
			if slices.ContainsFunc(naming[fault], func(t *suites.Test) bool { return p.home(t) == d.name }) {
				g.Go(func() error { return p.try(fault, d) })
			}
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return p.furtherLooks()
}

// home names the deployment in which a test is tried: the first where it passes with nothing noted, else the first where
// it passes; "" when it passes nowhere, which rule 1 has reported.
func (p *trials) home(t *suites.Test) string {
	noted := ""
	for _, d := range p.proof.deployments {
		r, ran := p.healthy[d.name][t.ID]
		if !ran || !d.judges(t) || r.Outcome != report.Pass {
			continue
		}
		if len(r.Findings) == 0 && len(r.Notes) == 0 {
			return d.name
		}
		if noted == "" {
			noted = d.name
		}
	}
	return noted
}

func (p *trials) wanted(t *suites.Test, b suites.Breakage) bool {
	if len(p.options.Tests) > 0 && !slices.Contains(p.options.Tests, t.ID) {
		return false
	}
	return len(p.options.Faults) == 0 || slices.Contains(p.options.Faults, b.Fault)
}

// try runs everything on an executor with one fault and compares with the correct one. What looks wrong waits for a second
// look.
func (p *prover) try(fault string, d deployment) error {
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	results, err := p.under(fault, d, nil)
	if err != nil {
		p.problem(2, fault, "cannot be tried (%s deployment): %v", d.name, err)
		return nil
	}
	p.took(fault, d, results)
	if ids := p.doubtful(fault, d, p.collateral(fault), results); len(ids) > 0 {
		p.mu.Lock()
		p.doubts = append(p.doubts, doubt{fault, d, ids, results})
		p.mu.Unlock()
		return nil
	}
	p.conclude(fault, d, results)
	return nil
}

// conclude compares what was seen under a fault with what the tests say of it.
func (p *prover) conclude(fault string, d deployment, results []report.Result) {
	also := p.collateral(fault)
	var killed []string
	for _, r := range results {
		t := p.tests[r.ID]
		if i := names(t, fault); i >= 0 {
			if p.kill(t, t.BrokenBy[i], d, r) {
				killed = append(killed, t.ID)
			}
			continue
		}
		if p.healthy[d.name][r.ID].Outcome != r.Outcome && !also(r.ID) {
			p.changes(fault, d, r)
		}
	}
	p.progress("%s: %s", fault, strings.Join(killed, " "))
}

// changes notes that a fault changes a test that does not name it and of which nothing lists it.
func (p *trials) changes(fault string, d deployment, r report.Result) {
	if p.options.Update {
		p.sideEffect(fault, r.ID)
		return
	}
	p.problem(2, fault, "changes %s from %s to %s, which does not name it (%s deployment): %s", r.ID, p.healthy[d.name][r.ID].Outcome, r.Outcome, d.name, reason(r))
}

// under plays the tests that name the fault, and those that it may change, or only some of them. It returns what is to be
// judged in this deployment.
func (p *prover) under(fault string, d deployment, only []string) ([]report.Result, error) {
	trial, err := p.begin(p.ctx, d, []string{fault}, nil)
	if err != nil {
		return nil, err
	}
	if only == nil && p.options.Focused {
		only = p.focusedUnder(fault, d)
	}
	beside := func(*suites.Test) bool { return false }
	if !p.options.Narrow {
		beside = p.reached(fault, d, trial.facts())
	}
	run, err := trial.play(p.profile, func(t *suites.Test) bool {
		if only != nil {
			return slices.Contains(only, t.ID)
		}
		return p.judgesUnder(fault, d, t) || p.plays(d, t) && beside(t)
	}, func(j runner.Judgement) { p.judged(j, false) })
	if err != nil {
		return nil, err
	}
	if only == nil {
		p.claims.note(fault, d, run)
	}
	return slices.DeleteFunc(run.Results, func(r report.Result) bool {
		t := p.tests[r.ID]
		return t == nil || names(t, fault) >= 0 && p.home(t) != d.name || names(t, fault) < 0 && !beside(t) || p.options.Focused && !p.asks(t)
	}), nil
}

// doubtful are the tests whose result is not what it should be under the fault.
func (p *prover) doubtful(fault string, d deployment, also func(id string) bool, results []report.Result) []string {
	var ids []string
	for _, r := range results {
		t := p.tests[r.ID]
		if i := names(t, fault); i >= 0 {
			if says, err := regexp.Compile(t.BrokenBy[i].Says); err == nil && p.sentence(says, t, d, r) == "" {
				ids = append(ids, r.ID)
			}
		} else if p.healthy[d.name][r.ID].Outcome != r.Outcome && !also(r.ID) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// sentence is what a result says for the stated reason, and did not say on the correct executor; "" when nothing.
func (p *trials) sentence(says *regexp.Regexp, t *suites.Test, d deployment, r report.Result) string {
	if r.Outcome == report.Blocked || r.Outcome == report.Skip || slices.ContainsFunc(sentences(p.healthy[d.name][t.ID]), says.MatchString) {
		return ""
	}
	all := sentences(r)
	if i := slices.IndexFunc(all, says.MatchString); i >= 0 {
		return all[i]
	}
	return ""
}

// names is where in its broken_by a test names a fault, and -1 when it does not.
func names(t *suites.Test, fault string) int {
	return slices.IndexFunc(t.BrokenBy, func(b suites.Breakage) bool { return b.Fault == fault })
}

// collateral says which tests a fault may change though they do not name it: those of side_effects.yaml, by id or pattern.
func (p *trials) collateral(fault string) func(id string) bool {
	patterns := p.profile.Beside(fault)
	return func(id string) bool { return matches(patterns, id) }
}

// matches says whether an id fits one of the patterns.
func matches(patterns []string, id string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		matched, err := path.Match(pattern, id)
		return err == nil && matched
	})
}

// sideEffect notes that a fault changes a test that does not name it.
func (p *trials) sideEffect(fault, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.effects == nil {
		p.effects = map[string][]string{}
	}
	if !slices.Contains(p.effects[fault], id) {
		p.effects[fault] = append(p.effects[fault], id)
	}
}

// sentences are what a result says: its findings, then its notes.
func sentences(r report.Result) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Problem)
	}
	return append(all, r.Notes...)
}

// costly says whether a test takes so much that it is played only under the faults it names: the slow ones, which a run
// with the default --max-wait does not play either, and those that the proof names.
func (p *trials) costly(t *suites.Test) bool {
	return t.Slow > 15*time.Second || slices.Contains(p.proof.costly, t.ID)
}

// plays says whether a test is played in a deployment under faults.
func (p *trials) plays(d deployment, t *suites.Test) bool {
	return d.judges(t) && (!p.proof.homesOnly || p.home(t) == d.name)
}

// outcomes by what a fault is said to show.
var outcomes = map[string]report.Outcome{suites.Failure: report.Fail, suites.Warning: report.Warn, suites.Note: report.Pass}

// kill compares one test's result with what its broken_by promises.
func (p *prover) kill(t *suites.Test, b suites.Breakage, d deployment, r report.Result) bool {
	says, err := regexp.Compile(b.Says)
	if err != nil {
		p.problem(2, b.At.String(), "says is no regular expression: %v", err)
		return false
	}
	k := Kill{Test: t.ID, Fault: b.Fault, Deployment: d.name, Outcome: r.Outcome}
	k.Finding = p.sentence(says, t, d, r)
	k.Killed = k.Finding != ""
	switch {
	case r.Outcome == report.Blocked || r.Outcome == report.Skip:
		p.problem(2, b.At.String(), "%s does not fail but is %s under %s: %s", t.ID, r.Outcome, b.Fault, reason(r))
	case r.Outcome == report.Pass && !k.Killed:
		p.problem(2, b.At.String(), "%s passes under %s", t.ID, b.Fault)
	case k.Killed && r.Outcome != outcomes[t.Shows(b)]:
		p.problem(2, b.At.String(), "%s does not show a %s under %s, as its level and shows promise: its outcome is %s", t.ID, t.Shows(b), b.Fault, r.Outcome)
	case !k.Killed:
		p.problem(2, b.At.String(), "%s fails under %s, but no finding matches %q: %s", t.ID, b.Fault, b.Says, reason(r))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kills = append(p.kills, k)
	return k.Killed
}
