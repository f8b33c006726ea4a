// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net"
	"net/url"
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
	for _, claim := range a.Claims {
		if !r.card.declares(claim) {
			return &report.Reason{Code: "claim:" + claim, Detail: "the AgentCard does not declare " + claim}
		}
	}
	switch {
	case a.Auth && !r.facts.authEnabled:
		return &report.Reason{Code: "auth-disabled", Detail: "the target answers anonymous requests; if it should not, say --require-auth"}
	case a.NoAuth && r.facts.authEnabled:
		return &report.Reason{Code: "auth-enabled", Detail: "the target refuses anonymous requests, so this does not apply"}
	}
	if wait := scale(t.Slow, r.options.TimeFactor*r.options.HoldFactor); wait > r.options.MaxWait {
		return &report.Reason{Code: "slow", Detail: fmt.Sprintf("waits %s by its nature, longer than the %s that --max-wait allows; run it with --max-wait %s",
			wait.Round(time.Second), r.options.MaxWait, wait.Round(time.Second))}
	}
	for _, need := range t.Needs {
		if reason := r.lacks(need); reason != nil {
			return reason
		}
	}
	return nil
}

// lacks says what the operator would have to lend; nil when it is there.
func (r *run) lacks(need string) *report.Reason {
	kind, name, _ := strings.Cut(need, ":")
	switch kind {
	case "hook":
		if _, lent := r.target.Hooks[name]; !lent {
			reason := noHook(name)
			return &reason
		}
	case "cue":
		if _, lent := r.target.Cues[name]; !lent {
			reason := noCue(name)
			return &reason
		}
	case "token":
		switch {
		case name == "admin" && r.facts.adminRefused:
			reason := r.noToken(name)
			reason.Detail = "the target does not take the instance token on its admin surface; " + reason.Detail
			return &reason
		case name == "admin", name == "instance":
			// None at all is what a deployment without authentication is asked with.
		case r.token(name) == "":
			reason := r.noToken(name)
			return &reason
		}
	}
	return nil
}

func noHook(name string) report.Reason {
	snippet := fmt.Sprintf("hooks: {%s: {command: [...]}}", name)
	if name == "webhook" {
		snippet = `hooks: {webhook: {value: "http://HOST:PORT"}}, the address under which the target reaches this machine`
	}
	return report.Reason{Code: "no-hook:" + name, Detail: "needs the hook " + name + "; lend it in the configuration file: " + snippet}
}

func noCue(name string) report.Reason {
	return report.Reason{Code: "no-cue:" + name, Detail: "needs a message that brings the agent to " + name +
		fmt.Sprintf("; lend it in the configuration file: cues: {%s: \"...\"}", name)}
}

func (r *run) noToken(identity string) report.Reason {
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
