// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A Started run is looking at its target already, while the suites that it will play are still being read. One of Play
// and Abandon ends it.
type Started struct {
	run    *run
	ctx    context.Context
	cancel context.CancelFunc
	out    *report.Run
	stop   *report.Reason // why nothing can be measured
	ready  chan struct{}  // closed when the preflight is over
}

// Start begins the preflight of a run: is somebody there, are the credentials taken, is there a card. profile is the row
// of the one that will be played; MaxTime counts from now.
func Start(ctx context.Context, profile profiles.Profile, config Target, options Options) *Started {
	s := &Started{
		run:   newRun(profile, config, options),
		out:   &report.Run{Schema: report.Schema, StartedAt: time.Now().UTC(), Claims: []report.Claim{}},
		ready: make(chan struct{}),
	}
	s.run.ends = time.Now().Add(s.run.options.MaxTime)
	s.ctx, s.cancel = context.WithDeadlineCause(ctx, s.run.ends, target.ErrTimeIsUp)
	go func() {
		defer close(s.ready)
		defer func() {
			if v := recover(); v != nil {
				s.run.Bug(fmt.Errorf("bug: in the preflight: %v\n%s", v, debug.Stack()))
				s.stop = &report.Reason{Code: "blocked", Detail: "not measured: a bug of the harness"}
			}
		}()
		s.stop = (&target.Preflight{Agent: &s.run.Agent, Out: s.out}).Look(s.ctx)
	}()
	return s
}

// Facts is what the preflight found out and tests depend on, as one text: where everything is, what the card claims, who
// is let in. Two targets with the same facts have the same tests judged in the same way. It waits for the preflight.
func (s *Started) Facts() string {
	<-s.ready
	r := s.run
	var claims []string
	observers := 0
	if r.Card != nil {
		claims, observers = slices.Sorted(maps.Keys(r.Card.Short)), r.Card.Observers
	}
	var endpoints []target.Endpoint
	for _, e := range r.Endpoints {
		endpoints = append(endpoints, *e)
	}
	return fmt.Sprintf("%+v %+v claims %q, %d observers, endpoints %+v, required %q, stopped %v",
		r.Place, r.Facts, claims, observers, endpoints, r.Required, s.stop != nil)
}

// Play plays the profile and reports what it found, as [Run] does. options are those of Start, with what was not known
// then: Select, Progress, Spent and Judged.
func (s *Started) Play(profile *suites.Profile, options Options) (*report.Run, error) {
	<-s.ready
	defer s.end()
	r := s.run
	r.profile = profile
	r.options.Waivers = options.Waivers
	r.options.Select, r.options.Progress, r.options.Judged = options.Select, options.Progress, options.Judged
	r.options.Spent = options.Spent
	return r.complete(s.ctx, s.out, s.stop)
}

// OtherProfile says which other profile the card of the target has decided for, and by what; nil when it has not. It waits for the
// preflight.
func (s *Started) OtherProfile() (profile string, chosen *report.Chosen) {
	<-s.ready
	r := s.run
	defer r.Guard("asking the card for a profile")
	profile, chosen = (&target.Preflight{Agent: &r.Agent, Out: s.out}).OtherProfile(s.ctx, r.options.limits())
	if chosen != nil {
		chosen.Because = r.secrets.Clean(chosen.Because)
	}
	return profile, chosen
}

// Abandon ends a run that will not be played, and waits until it has let go of the target.
func (s *Started) Abandon() {
	s.cancel()
	<-s.ready
	s.end()
}

func (s *Started) end() {
	s.cancel()
	s.run.close()
}
