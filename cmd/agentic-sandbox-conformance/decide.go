// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
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

// cardDecided is what a report says of a profile that nobody has named.
func cardDecided(profile string) string {
	return "no profile was named, and the card of the target decided for " + profile + ": another card may decide otherwise, so a gate should name it (--profile " + profile + ")"
}
