// SPDX-License-Identifier: Apache-2.0

package target

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/a2agrpc"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// NoClaim is the reason not to judge what the card does not declare.
func NoClaim(claim string) report.Reason {
	return report.Reason{Code: "claim:" + claim, Detail: "the AgentCard does not declare " + report.ClaimInWords(claim)}
}

// NoInterface is the reason not to ask what an interface of 1.0 has to be asked.
func (a *Agent) NoInterface() *report.Reason {
	if why := a.WithheldFrom(""); why != nil {
		return why
	}
	return &report.Reason{Code: "claim:protocolVersion-1.0", Detail: "the AgentCard declares no interface that speaks A2A 1.0 over HTTP+JSON or JSONRPC"}
}

// LeavesGRPC says whether the card of a plain A2A server declares an interface over gRPC that this build leaves out.
func (a *Agent) LeavesGRPC() bool {
	return a.Profile.Plain() && !a2agrpc.Driven && a.Card.Declares("binding:"+readers.BindingGRPC)
}

// NoTransport is the reason not to send operations that cannot be sent over anything.
func (a *Agent) NoTransport(t *suites.Test) report.Reason {
	if a.LeavesGRPC() && (len(t.Over) == 0 || slices.Contains(t.Over, readers.BindingGRPC) || OverAll(t)) {
		return noGRPC
	}
	if slices.Contains(t.Over, suites.Pairs) {
		if why := a.WithheldFrom(""); why != nil {
			return *why
		}
		return NoClaim("two-bindings")
	}
	for _, binding := range t.Over {
		if why := a.WithheldFrom(binding); why != nil {
			return *why
		}
	}
	return NoClaim("binding:" + strings.Join(t.Over, " or "))
}

// Lacks says what the operator would have to configure; nil when it is there.
func (t *Target) Lacks(need string) *report.Reason {
	kind, name, _ := strings.Cut(need, ":")
	switch kind {
	case "hook":
		if name == hooks.InstanceToken {
			return t.lacksInstanceToken()
		}
		if name == hooks.ClientCert {
			if t.Config.TLS == nil || len(t.Config.TLS.Certificates) == 0 || t.Place.Plain() == "" {
				return &report.Reason{Code: "no-hook:" + name, Detail: "needs a client certificate that the target takes over TLS; give --cert and --key"}
			}
			return nil
		}
		if _, configured := t.Config.Hooks[name]; !configured && !(name == ExitProcessHook && t.Config.TypesExit()) {
			reason := t.NoHook(name)
			return &reason
		}
	case "cue":
		if _, configured := t.Config.Cues[name]; !configured {
			reason := t.NoCue(name)
			return &reason
		}
	case "token":
		switch {
		case name == "admin" && t.Facts.adminRefused:
			reason := t.noToken(name)
			reason.Detail = "the target does not take the instance token on its admin surface; " + reason.Detail
			return &reason
		case name == "admin", name == "instance":
			// None at all is what a deployment without authentication is asked with.
		case t.Token(name) == "":
			reason := t.noToken(name)
			return &reason
		}
	}
	return nil
}

// NoCue says what to write into the configuration file, so that what needs the cue can be judged.
func (t *Target) NoCue(name string) report.Reason {
	what := "a message that brings the agent to " + name
	if known, _ := t.Profile.Cue(name); known.Needs != "" {
		what = known.Needs
	}
	return report.Reason{Code: "no-cue:" + name, Detail: "needs " + what +
		fmt.Sprintf("; add it to the configuration file: cues: {%s: \"...\"}", name)}
}

func (t *Target) noToken(identity string) report.Reason {
	configure := fmt.Sprintf("add it to the configuration file: tokens: {%s: \"${%s}\"}", identity, TokenVariable(identity))
	switch identity {
	case "instance":
		configure = "give it with --token"
	case "admin":
		configure = "give it with --admin-token"
	}
	return report.Reason{Code: "no-token:" + identity, Detail: "needs the token " + identity + "; " + configure}
}
