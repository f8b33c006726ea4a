// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// applies says why a test is not judged on this target; nil when it is.
func (r *run) applies(t *suites.Test) *report.Reason {
	a := t.Applies
	switch {
	case a.Reserved != "":
		return &report.Reason{Code: "reserved-" + a.Reserved, Detail: "reserved: the contract asks for this from " + a.Reserved + " on"}
	case a.Production && !r.Config.Production:
		return &report.Reason{Code: "production", Detail: "asked of production deployments only (--production)"}
	}
	if t.Operates && len(r.Endpoints) == 0 && !r.LeavesGRPC() {
		return r.NoInterface()
	}
	for _, claim := range a.Claims {
		switch {
		case r.Card.Declares(claim):
		case strings.HasPrefix(claim, "binding:") && r.Profile.Finds == profiles.AnAgent && len(r.Endpoints) == 0 && !r.LeavesGRPC():
			return r.NoInterface()
		default:
			reason := target.NoClaim(claim)
			return &reason
		}
	}
	for _, claim := range a.Lacks {
		if r.Card.Declares(claim) && !(claim == target.SpeaksOlder && t.Operates && len(r.Transports(t)) > 0) {
			return &report.Reason{Code: "declared:" + claim, Detail: "the AgentCard declares " + claim + ", and this is about those that do not"}
		}
	}
	if t.Operates && len(r.Transports(t)) == 0 {
		reason := r.NoTransport(t)
		return &reason
	}
	if r.Card != nil && r.Card.Observers < a.Observers {
		return &report.Reason{Code: "few-observers", Detail: fmt.Sprintf("needs a terminal with room for %d observers, and the AgentCard says max_observers %d", a.Observers, r.Card.Observers)}
	}
	switch {
	case a.Auth && !r.Facts.AuthEnabled:
		return &report.Reason{Code: "auth-disabled", Detail: "the target answers anonymous requests; if it should not, say --require-auth"}
	case a.NoAuth && r.Facts.AuthEnabled:
		return &report.Reason{Code: "auth-enabled", Detail: "the target refuses anonymous requests, so this does not apply"}
	}
	if wait := scale(t.Slow, r.options.TimeFactor*r.options.HoldFactor); wait > r.options.MaxWait {
		return tooSlow(wait, r.options.MaxWait)
	}
	for _, need := range t.Needs {
		if reason := r.Lacks(need); reason != nil {
			return reason
		}
	}
	return nil
}

// tooSlow is the reason not to play what has to wait so long.
func tooSlow(wait, most time.Duration) *report.Reason {
	return &report.Reason{Code: "slow", Detail: fmt.Sprintf("has to wait %s, longer than the %s that --max-wait allows; run it with --max-wait %s",
		wait.Round(time.Second), most, wait.Round(time.Second))}
}

// cardSurface is the surface whose requirements are about the AgentCard itself; they are judged without one too.
const cardSurface = "card"
