// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/a2agrpc"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// noClaim is the reason not to judge what the card does not declare.
func noClaim(claim string) report.Reason {
	return report.Reason{Code: "claim:" + claim, Detail: "the AgentCard does not declare " + claim}
}

// noInterface is the reason not to ask what an interface of 1.0 has to be asked.
func (a *agent) noInterface() *report.Reason {
	if why := a.withheldFrom(""); why != nil {
		return why
	}
	return &report.Reason{Code: "claim:protocolVersion-1.0", Detail: "the AgentCard declares no interface that speaks A2A 1.0 over HTTP+JSON or JSONRPC"}
}

// leavesGRPC says whether the card of a plain A2A server declares an interface over gRPC that this build leaves out.
func (a *agent) leavesGRPC() bool {
	return a.facts.plain && !a2agrpc.Driven && a.card.Declares("binding:"+readers.BindingGRPC)
}

// noWay is the reason not to send operations that cannot be sent over anything.
func (a *agent) noWay(t *suites.Test) report.Reason {
	if a.leavesGRPC() && (len(t.Over) == 0 || slices.Contains(t.Over, readers.BindingGRPC) || overAll(t)) {
		return noGRPC
	}
	if slices.Contains(t.Over, suites.Pairs) {
		if why := a.withheldFrom(""); why != nil {
			return *why
		}
		return noClaim("two-bindings")
	}
	for _, binding := range t.Over {
		if why := a.withheldFrom(binding); why != nil {
			return *why
		}
	}
	return noClaim("binding:" + strings.Join(t.Over, " or "))
}

// lacks says what the operator would have to lend; nil when it is there.
func (s *site) lacks(need string) *report.Reason {
	kind, name, _ := strings.Cut(need, ":")
	switch kind {
	case "hook":
		if name == instanceTokenHook {
			return s.lacksInstanceToken()
		}
		if name == clientCertHook {
			if s.target.TLS == nil || len(s.target.TLS.Certificates) == 0 || s.place.plain() == "" {
				return &report.Reason{Code: "no-hook:" + name, Detail: "needs a client certificate that the target takes over TLS; give --cert and --key"}
			}
			return nil
		}
		if _, lent := s.target.Hooks[name]; !lent && !(name == exitProcessHook && s.target.typesExit()) {
			reason := noHook(name)
			return &reason
		}
	case "cue":
		if _, lent := s.target.Cues[name]; !lent {
			reason := noCue(name)
			return &reason
		}
	case "token":
		switch {
		case name == "admin" && s.facts.adminRefused:
			reason := s.noToken(name)
			reason.Detail = "the target does not take the instance token on its admin surface; " + reason.Detail
			return &reason
		case name == "admin", name == "instance":
			// None at all is what a deployment without authentication is asked with.
		case s.token(name) == "":
			reason := s.noToken(name)
			return &reason
		}
	}
	return nil
}

// otherCues are those that are no message.
var otherCues = map[string]string{
	"adapter-completed": "the path of a request file, as adapter-command/v1 allows it, for which the adapter exits with 0",
	"adapter-failed":    "the path of a request file, as adapter-command/v1 allows it, for which the adapter exits with another code than 0",
	"adapter-broken":    "the path of a request file, as adapter-command/v1 allows it, for which the runtime of the adapter breaks",
	"adapter-prints":    "a text that the adapter prints for the request file adapter-completed",
}

func noCue(name string) report.Reason {
	what := "a message that brings the agent to " + name
	if said := otherCues[name]; said != "" {
		what = said
	}
	return report.Reason{Code: "no-cue:" + name, Detail: "needs " + what +
		fmt.Sprintf("; lend it in the configuration file: cues: {%s: \"...\"}", name)}
}

func (s *site) noToken(identity string) report.Reason {
	lend := fmt.Sprintf("lend it in the configuration file: tokens: {%s: \"${%s}\"}", identity, tokenVariable(identity))
	switch identity {
	case "instance":
		lend = "give it with --token"
	case "admin":
		lend = "give it with --admin-token"
	}
	return report.Reason{Code: "no-token:" + identity, Detail: "needs the token " + identity + "; " + lend}
}

// isLoopback says whether a URL leads to this machine, so that what listens here can be reached from there.
func isLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost") {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}
