// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// instanceTokenHook says that the instance has a token of its own, without admin rights.
const instanceTokenHook = "instance-token"

// twoTokens says whether the operator gave one token for the instance and another one for the admin surface.
func (r *run) twoTokens() bool {
	instance, admin := r.explicit["instance"], r.explicit["admin"]
	return instance != "" && admin != "" && instance != admin
}

// lacksInstanceToken says why nothing can be said of a token of the instance; nil when something can. Two tokens that
// merely differ may have the same rights (ruling AMB-41), so the operator states that one has fewer, or the target has
// shown it.
func (r *run) lacksInstanceToken() *report.Reason {
	reason := func(detail string) *report.Reason {
		return &report.Reason{Code: "no-hook:" + instanceTokenHook, Detail: detail}
	}
	known := lendable[instanceTokenHook]
	switch {
	case !r.twoTokens():
		return reason("needs a token that opens the instance only; give both --token and --admin-token, and state in the configuration file: hooks: {" +
			instanceTokenHook + ": " + known.entry + "}, " + known.what)
	case r.facts.instanceOnly, r.target.Hooks[instanceTokenHook].Value == true:
		return nil
	}
	return reason("the tokens of --token and --admin-token differ, which does not say that they have different rights; state it in the configuration file: hooks: {" +
		instanceTokenHook + ": " + known.entry + "}, " + known.what)
}

// tellRoles finds out whether the token of the instance is refused where the admin's is not: then it has another role.
func (r *run) tellRoles(ctx context.Context, instances *probe) {
	if !r.twoTokens() || instances.answer.Status != 200 {
		return
	}
	own := &probe{url: instances.url, identity: "instance"}
	r.ask(ctx, own)
	r.facts.instanceOnly = refused(own)
}
