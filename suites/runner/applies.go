// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// applies says why a test is not judged on this target; nil when it is.
func (r *run) applies(t *suites.Test) *report.Reason {
	a := t.Applies
	switch {
	case a.Reserved != "":
		return &report.Reason{Code: "reserved-" + a.Reserved, Detail: "reserved: the contract asks for this from " + a.Reserved + " on"}
	case a.Production && !r.target.Production:
		return &report.Reason{Code: "production", Detail: "asked of production deployments only (--production)"}
	}
	if t.Operates && len(r.endpoints) == 0 && !r.leavesGRPC() {
		return r.noInterface()
	}
	for _, claim := range a.Claims {
		switch {
		case r.card.Declares(claim):
		case strings.HasPrefix(claim, "binding:") && r.name == plainA2A && len(r.endpoints) == 0 && !r.leavesGRPC():
			return r.noInterface()
		default:
			reason := noClaim(claim)
			return &reason
		}
	}
	for _, claim := range a.Lacks {
		if r.card.Declares(claim) && !(claim == speaksOlder && t.Operates && len(r.ways(t)) > 0) {
			return &report.Reason{Code: "declared:" + claim, Detail: "the AgentCard declares " + claim + ", and this is about those that do not"}
		}
	}
	if t.Operates && len(r.ways(t)) == 0 {
		reason := r.noWay(t)
		return &reason
	}
	if r.card != nil && r.card.Observers < a.Observers {
		return &report.Reason{Code: "few-observers", Detail: fmt.Sprintf("needs a terminal with room for %d observers, and the AgentCard says max_observers %d", a.Observers, r.card.Observers)}
	}
	switch {
	case a.Auth && !r.facts.authEnabled:
		return &report.Reason{Code: "auth-disabled", Detail: "the target answers anonymous requests; if it should not, say --require-auth"}
	case a.NoAuth && r.facts.authEnabled:
		return &report.Reason{Code: "auth-enabled", Detail: "the target refuses anonymous requests, so this does not apply"}
	}
	if wait := scale(t.Slow, r.options.TimeFactor*r.options.HoldFactor); wait > r.options.MaxWait {
		return tooSlow(wait, r.options.MaxWait)
	}
	for _, need := range t.Needs {
		if reason := r.lacks(need); reason != nil {
			return reason
		}
	}
	return nil
}

// tooSlow is the reason not to play what has to wait so long.
func tooSlow(wait, most time.Duration) *report.Reason {
	return &report.Reason{Code: "slow", Detail: fmt.Sprintf("waits %s by its nature, longer than the %s that --max-wait allows; run it with --max-wait %s",
		wait.Round(time.Second), most, wait.Round(time.Second))}
}

// cardSurface is the surface whose requirements are about the AgentCard itself; they are judged without one too.
const cardSurface = "card"
