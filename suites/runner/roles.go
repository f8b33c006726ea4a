// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// instanceTokenHook says that the instance has a token of its own, without admin rights.
const instanceTokenHook = "instance-token"

// twoTokens says whether the operator gave one token for the instance and another one for the admin surface.
func (s *site) twoTokens() bool {
	instance, admin := s.explicit["instance"], s.explicit["admin"]
	return instance != "" && admin != "" && instance != admin
}

// lacksInstanceToken says why nothing can be said of a token of the instance; nil when something can. Two tokens that
// merely differ may have the same rights (ruling AMB-41), so the operator states that one has fewer, or the target has
// shown it.
func (s *site) lacksInstanceToken() *report.Reason {
	reason := func(detail string) *report.Reason {
		return &report.Reason{Code: "no-hook:" + instanceTokenHook, Detail: detail}
	}
	known := lendable[instanceTokenHook]
	switch {
	case !s.twoTokens():
		return reason("needs a token that opens the instance only; give both --token and --admin-token, and state in the configuration file: hooks: {" +
			instanceTokenHook + ": " + known.entry + "}, " + known.what)
	case s.facts.instanceOnly, s.target.Hooks[instanceTokenHook].Value == true:
		return nil
	}
	return reason("the tokens of --token and --admin-token differ, which does not say that they have different rights; state it in the configuration file: hooks: {" +
		instanceTokenHook + ": " + known.entry + "}, " + known.what)
}

// tellRoles finds out whether the token of the instance is refused where the admin's is not: then it has another role.
func (f *preflight) tellRoles(ctx context.Context, instances *probe) {
	if !f.twoTokens() || instances.answer.Status != 200 {
		return
	}
	own := &probe{url: instances.url, identity: "instance"}
	f.ask(ctx, own)
	f.facts.instanceOnly = refused(own)
}
