// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
)

// lacksInstanceToken says why nothing can be said of a token of the instance; nil when something can. Two tokens that
// merely differ may have the same rights (ruling AMB-41), so the operator states that one has fewer, or the target has
// shown it.
func (t *Target) lacksInstanceToken() *report.Reason {
	reason := func(detail string) *report.Reason {
		return &report.Reason{Code: "no-hook:" + hooks.InstanceToken, Detail: detail}
	}
	known, _ := t.Profile.Hook(hooks.InstanceToken)
	switch {
	case !t.Explicit.areTwo():
		return reason("needs a token that opens the instance only; give both --token and --admin-token, and state in the configuration file: hooks: {" +
			hooks.InstanceToken + ": " + known.Entry + "}, " + known.What)
	case t.Facts.instanceOnly, t.Config.Hooks[hooks.InstanceToken].Value == true:
		return nil
	}
	return reason("the tokens of --token and --admin-token differ, which does not say that they have different rights; state it in the configuration file: hooks: {" +
		hooks.InstanceToken + ": " + known.Entry + "}, " + known.What)
}

// tellRoles finds out whether the token of the instance is refused where the admin's is not: then it has another role.
func (f *Preflight) tellRoles(ctx context.Context, instances *Probe) {
	if !f.Explicit.areTwo() || instances.Answer.Status != 200 {
		return
	}
	own := &Probe{URL: instances.URL, Identity: "instance"}
	f.Ask(ctx, own)
	f.Facts.instanceOnly = Refused(own)
}

// RefusesStandIn says whether the token of the instance, which stands in for that of the admin, is refused on the admin surface.
func (t *Target) RefusesStandIn() bool { return t.Facts.adminRefused }

// swappedTokens is what a target does not take of whom the tokens are the other way round.
const swappedTokens = "the tokens as they were given, and takes them the other way round: the one of --token is the admin's, and the one of " +
	"--admin-token the instance's; swap them"

// Swapped says whether the target takes each of the two tokens that were given where the other one was shown, though not both of them where
// they were. own and instances are the answers to the tokens as they were given.
func (t *Target) Swapped(ctx context.Context, own, instances *Probe) bool {
	if !t.Explicit.areTwo() {
		return false
	}
	asAdmin, asInstance := &Probe{URL: own.URL, Identity: "admin"}, &Probe{URL: instances.URL, Identity: "instance"}
	t.Ask(ctx, asAdmin, asInstance)
	return asAdmin.Answer.Status == 200 && asInstance.Answer.Status == 200
}
