// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/policy"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A plan is what one call of Run plays. Its options have been checked.
type plan struct {
	Options
	goTest  goTest
	name    string // of the test: "TestA2A"
	profile *suites.Profile
	tests   []*suites.Test // that the options leave: the subtests
	gate    report.Gate
	target  runner.Target
}

// newPlan checks the options, and reads the suites and the policy.
func newPlan(name string, o Options, flags goTest) (*plan, error) {
	p := &plan{Options: o, goTest: flags, name: name}
	if err := o.check(); err != nil {
		return nil, err
	}
	files, err := policy.Read(o.Baseline, o.SkipBudget)
	if err != nil {
		return nil, fmt.Errorf("conformance: Options.Baseline and SkipBudget: %w", err)
	}
	wanted := func(id, _ string) bool { return flags.wants(p.subtest(id)) }
	if files != (policy.Files{}) { // it speaks of tests that are not played, too
		wanted = nil
	}
	if p.profile, err = suites.LoadSelected(suites.Embedded(), o.Profile, wanted); err != nil {
		return nil, fmt.Errorf("conformance: internal error: %w", err)
	}
	if p.tests, err = o.selected(p.profile); err != nil {
		return nil, err
	}
	if files.Baseline != nil {
		files.Baseline.WithoutSecrets(o.tokens())
	}
	if p.gate, err = files.Gate(p.profile, time.Now); err != nil {
		return nil, fmt.Errorf("conformance: Options.Baseline and SkipBudget: %w", err)
	}
	p.gate.Strict = o.Strict
	return p, nil
}

// subtest is the name of the subtest of a requirement.
func (p *plan) subtest(id string) string { return p.name + "/" + id }

// reach serves what has to be served, and fills in the target.
func (p *plan) reach(t *testing.T) error {
	p.target = runner.Target{
		ExecutorURL: p.URL, Instance: p.Instance, Tokens: p.tokens(), Header: p.Header.Clone(), AllowHosts: slices.Clone(p.AllowHosts), TLS: p.TLS,
		Hooks: map[string]runner.Hook{}, Cues: map[string]any{},
	}
	for name, cue := range p.Cues {
		if text, is := cue.(string); is {
			p.target.Cues[name] = text
			continue
		}
		message, err := target.JSONValue(cue)
		if err != nil {
			return fmt.Errorf("conformance: Options.Cues[%q] is no JSON: %w", name, err)
		}
		p.target.Cues[name] = map[string]any{"json": message}
	}
	served := newHookServer()
	paths := map[string]string{}
	for name, h := range p.Hooks {
		if h.Func != nil {
			paths[name] = served.add(name, h.Func)
			continue
		}
		value, err := target.JSONValue(h.Value)
		if err != nil {
			return fmt.Errorf("conformance: Options.Hooks[%q].Value is no JSON: %w", name, err)
		}
		p.target.Hooks[name] = runner.Hook{Value: value}
	}
	if len(paths) > 0 {
		address, err := serve(t, func(string) http.Handler { return served.mux })
		if err != nil {
			return err
		}
		for name, path := range paths {
			p.target.Hooks[name] = runner.Hook{URL: address + path, Parallel: p.Hooks[name].Parallel}
		}
	}
	handler := p.NewHandler
	if p.Handler != nil {
		handler = func(string) http.Handler { return p.Handler }
	}
	if handler == nil {
		return nil
	}
	address, err := serve(t, handler)
	p.target.ExecutorURL = address
	return err
}

// shortWait is how long a requirement may wait with -short.
const shortWait = time.Second

// What is kept of the time that -timeout leaves, for what comes after the run: to cancel tasks, to write reports, to clean up. It is a tenth,
// within bounds, and never more than half.
const (
	minReserve = 5 * time.Second
	maxReserve = 30 * time.Second
)

// timeOf is how long the run may take where so much time is left.
func timeOf(left time.Duration) time.Duration {
	reserve := min(max(left/10, minReserve), maxReserve, left/2)
	return max(left-reserve, time.Nanosecond) // 0 would be the default
}

// options are how to play.
func (p *plan) options(t *testing.T, wanted []string) runner.Options {
	o := runner.Options{
		Jobs: p.Jobs, MaxWait: p.MaxWait, TimeFactor: p.TimeFactor, FailFast: p.goTest.failFast, Waivers: p.gate.Baseline.Waivers(),
		ReasonMeans: docs.ReasonMeans, Select: func(t *suites.Test) bool { return slices.Contains(wanted, t.ID) },
	}
	if p.goTest.short && (o.MaxWait == 0 || o.MaxWait > shortWait) {
		o.MaxWait = shortWait
	}
	if at, limited := t.Deadline(); limited {
		o.MaxTime = timeOf(time.Until(at))
	}
	return o
}
