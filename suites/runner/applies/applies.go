// SPDX-License-Identifier: Apache-2.0

// Package applies says which tests a run judges on its target, and what the operator would have to configure so that it judges the others.
package applies

import (
	"fmt"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// Terms are what a run brings to the question.
type Terms struct {
	Agent       *target.Agent
	HasSessions func() bool   // whether there are terminal sessions for tests
	MaxWait     time.Duration // that a test may have to wait by its nature
	Factor      float64       // by which such waits are multiplied
}

// Reason says why a test is not judged on this target; nil when it is.
func (r *Terms) Reason(t *suites.Test) *report.Reason {
	a := t.Applies
	switch {
	case a.Reserved != "":
		return &report.Reason{Code: "reserved-" + a.Reserved, Detail: "reserved: the contract asks for this from " + a.Reserved + " on"}
	case a.Production && !r.Agent.Config.Production:
		return &report.Reason{Code: "production", Detail: "asked of production deployments only (--production)"}
	}
	if t.Operates && len(r.Agent.Endpoints) == 0 && !r.Agent.LeavesGRPC() {
		return r.Agent.NoInterface()
	}
	for _, claim := range a.Claims {
		switch {
		case r.Agent.Card.Declares(claim):
		case strings.HasPrefix(claim, "binding:") && r.Agent.Profile.Finds == profiles.AnAgent && len(r.Agent.Endpoints) == 0 && !r.Agent.LeavesGRPC():
			return r.Agent.NoInterface()
		default:
			reason := target.NoClaim(claim)
			return &reason
		}
	}
	for _, claim := range a.Lacks {
		if r.Agent.Card.Declares(claim) && !(claim == target.SpeaksOlder && t.Operates && len(r.Agent.Transports(t)) > 0) {
			return &report.Reason{Code: "declared:" + claim, Detail: "the AgentCard declares " + report.ClaimInWords(claim) + ", and this is about those that do not"}
		}
	}
	if t.Operates && len(r.Agent.Transports(t)) == 0 {
		reason := r.Agent.NoTransport(t)
		return &reason
	}
	if r.Agent.Card != nil && r.Agent.Card.Observers < a.Observers {
		return &report.Reason{Code: "few-observers", Detail: fmt.Sprintf("needs a terminal with room for %d observers, and the AgentCard says max_observers %d", a.Observers, r.Agent.Card.Observers)}
	}
	switch {
	case a.Auth && !r.Agent.Facts.AuthEnabled:
		return &report.Reason{Code: "auth-disabled", Detail: "the target answers anonymous requests; if it should not, say --require-auth"}
	case a.NoAuth && r.Agent.Facts.AuthEnabled:
		return &report.Reason{Code: "auth-enabled", Detail: "the target refuses anonymous requests, so this does not apply"}
	}
	if wait := r.WaitsFor(t); wait > r.MaxWait {
		return TooSlow(wait, r.MaxWait)
	}
	for _, need := range t.Needs {
		if reason := r.Agent.Lacks(need); reason != nil {
			return reason
		}
	}
	return nil
}

// WaitsFor is how long a test has to wait in this run by its nature.
func (r *Terms) WaitsFor(t *suites.Test) time.Duration {
	return time.Duration(float64(t.Slow) * r.Factor)
}

// TooSlow is the reason not to play what has to wait so long.
func TooSlow(wait, most time.Duration) *report.Reason {
	return &report.Reason{Code: "slow", Detail: fmt.Sprintf("has to wait %s, longer than the %s that --max-wait allows; run it with --max-wait %s",
		wait.Round(time.Second), most, wait.Round(time.Second))}
}
