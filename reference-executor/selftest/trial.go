// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// machine is held by every trial of the process, of whichever profile: by all together, or by one that wants quiet. A
// terminal that has to be fast, or an answer that has to be in time, says nothing of the executor on a crowded machine.
var machine sync.RWMutex

// A trial is a fresh server with some faults, and a run that is looking at it already.
type trial struct {
	subject subject
	started *runner.Started
	options runner.Options
	leave   func() // gives the machine back
}

// begin sets a trial up, which has to be played to end. consulted, when it is not nil, is told what the server asks its behaviour.
func (p *trials) begin(ctx context.Context, d deployment, faults []string, consulted func(point string)) (*trial, error) {
	enter, leave := machine.RLock, machine.RUnlock
	if d.quiet {
		enter, leave = machine.Lock, machine.Unlock
	}
	enter()
	s, err := d.serve(faults, consulted)
	if err != nil {
		leave()
		return nil, err
	}
	options := runner.Options{Jobs: 24, MaxWait: time.Hour, HoldFactor: hold, Seed: 1, Rate: unpaced, Evidence: "none", ByTheClock: true}
	return &trial{s, runner.Start(ctx, profiles.Of(p.profile.Name), s.target(), options), options, leave}, nil
}

// facts is what the preflight found, without the addresses and ids that differ from server to server.
func (t *trial) facts() string { return t.subject.alike(t.started.Facts()) }

// play plays the chosen tests, which ends the trial.
func (t *trial) play(profile *suites.Profile, chosen func(*suites.Test) bool, judged func(runner.Judgement)) (*report.Run, error) {
	defer t.leave()
	defer t.subject.close()
	t.options.Select, t.options.Judged = chosen, judged
	return t.started.Play(profile, t.options)
}

// play plays the chosen tests of the profile against a fresh server with the given faults.
func (p *trials) play(ctx context.Context, d deployment, faults []string, chosen func(*suites.Test) bool, judged func(runner.Judgement)) (*report.Run, error) {
	t, err := p.begin(ctx, d, faults, nil)
	if err != nil {
		return nil, err
	}
	return t.play(p.profile, chosen, judged)
}
