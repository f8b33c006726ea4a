// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// leavesProfileOpen says whether the card of the target may decide for the profile: nobody has named one, and what else was given does not
// speak of an executor. A gate names its profile in its policy, whose tests are those of one profile.
func (s *settings) leavesProfileOpen() bool {
	return !s.flags.Lookup("profile").Changed && s.baseline == "" && s.skipBudget == "" && !s.allInstances && s.instance == "" && s.adminURL == ""
}

// letCardDecide plays another profile where the card of the target speaks of that one alone. loaded is what was wrong with the plan for the
// default profile. A selection that only the default profile has decides for it, whatever the card says.
func (p *plan) letCardDecide(ctx context.Context, a *app, loaded error) error {
	name, chosen := p.started.OtherProfile()
	if chosen == nil {
		return loaded
	}
	s, other := p.settings, *p
	before := s.profile
	s.profile = name
	if err := other.load(a); err != nil {
		s.profile = before
		if loaded == nil {
			return nil
		}
		return err
	}
	p.started.Abandon()
	*p = other
	p.byCard = chosen
	s.flags.Lookup("profile").Changed = true // what repeats the run names it
	p.start(ctx)
	if !s.quiet {
		fmt.Fprintf(a.stderr, "profile %s, as the card decides: %s; --profile names another one\n", name, console.Escaped(chosen.Because))
	}
	return nil
}

// startByCard begins a look at the target. Where the profile is left open, the card decides for it, as it does for a run; byCard says by
// what, and is nil where it has not.
func (s *settings) startByCard(ctx context.Context, target runner.Target) (started *runner.Started, byCard *report.Chosen) {
	start := func() *runner.Started {
		options := runner.Options{Timeout: s.timeout, ConnectTimeout: s.connectTimeout, MaxTime: s.maxTime, MaxWait: s.maxWait, TimeFactor: s.timeFactor, Rate: s.rateLimit}
		return runner.Start(ctx, profiles.Of(s.profile), target, options)
	}
	started = start()
	if s.leavesProfileOpen() {
		if name, chosen := started.OtherProfile(); chosen != nil {
			started.Abandon()
			s.profile, byCard = name, chosen
			started = start()
		}
	}
	return started, byCard
}

// tellDecided says that the card has decided, to those who look only and write no report.
func (a *app) tellDecided(profile string, byCard *report.Chosen) {
	fmt.Fprintf(a.stderr, "profile %s, as the card decides: %s\n", profile, console.Escaped(byCard.Because))
}

// cardDecided is what a report says of a profile that nobody has named.
func cardDecided(profile string) string {
	return "no profile was named, and the card of the target decided for " + profile + ": another card may decide otherwise, so a gate should name it (--profile " + profile + ")"
}
