// SPDX-License-Identifier: Apache-2.0

package needs

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// runReasons are the reasons to skip a test that the runner has for any of them.
var runReasons = []string{
	"auth-disabled", "auth-enabled", "fail-fast", "few-observers", "interrupted", "no-session", "no-tls", "other-origin", "production", "pty-dialect", "slow", "time-is-up",
	"unauthorized", "unreachable", "when-present:schema-constraint",
}

// Reasons are the codes of the reasons for which a test of the profile can be skipped, sorted.
func Reasons(profile *suites.Profile) []string {
	codes := slices.Clone(runReasons)
	for _, t := range profile.Tests() {
		for _, claim := range t.Applies.Claims {
			codes = append(codes, "claim:"+claim)
		}
		for _, claim := range t.Applies.Lacks {
			codes = append(codes, "declared:"+claim)
		}
		for _, claim := range BindingClaims(t) {
			codes = append(codes, "claim:"+claim)
		}
		codes = append(codes, GRPCReasons(t)...)
		if t.Applies.Reserved != "" {
			codes = append(codes, "reserved-"+t.Applies.Reserved)
		}
		for _, need := range slices.Concat(t.Needs, t.Wants, Of(t)) {
			if strings.Contains(need, ":") {
				codes = append(codes, "no-"+need)
			}
		}
		for s := range Steps(t) {
			for _, skip := range s.SkipUnless {
				codes = append(codes, skip.Reason)
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// GRPCReasons are the reasons for which an operation is not sent over gRPC: the build, and what protobuf cannot say.
func GRPCReasons(t *suites.Test) []string {
	if !t.Operates || len(t.Over) > 0 && !slices.Contains(t.Over, "GRPC") && !slices.Contains(t.Over, suites.Pairs) {
		return nil
	}
	return []string{"no-grpc", "no-grpc-form"}
}

// BindingClaims are the claims that a test is skipped for because of the bindings that its operations are sent over.
func BindingClaims(t *suites.Test) []string {
	if !t.Operates {
		return nil
	}
	claims := []string{"protocolVersion-1.0"}
	switch {
	case slices.Contains(t.Over, suites.Pairs):
		claims = append(claims, "two-bindings")
	case len(t.Over) > 0:
		claims = append(claims, "binding:"+strings.Join(t.Over, " or "))
	}
	return claims
}

// AnyTest are the reasons that are about the run, whatever the test.
var AnyTest = []string{"fail-fast", "interrupted", "time-is-up", "unauthorized", "unreachable"}

// ReasonsOf are the codes of the reasons for which a test can be skipped.
func ReasonsOf(t *suites.Test) []string {
	var codes []string
	add := func(when bool, code string) {
		if when {
			codes = append(codes, code)
		}
	}
	for _, claim := range t.Applies.Claims {
		add(true, "claim:"+claim)
	}
	for _, claim := range t.Applies.Lacks {
		add(true, "declared:"+claim)
	}
	for _, claim := range BindingClaims(t) {
		add(true, "claim:"+claim)
	}
	codes = append(codes, GRPCReasons(t)...)
	add(t.Applies.Reserved != "", "reserved-"+t.Applies.Reserved)
	add(t.Applies.Auth, "auth-disabled")
	add(t.Applies.NoAuth, "auth-enabled")
	add(t.Applies.Production, "production")
	add(t.Slow > 0, "slow")
	for _, need := range slices.Concat(t.Needs, t.Wants, Of(t)) {
		add(strings.Contains(need, ":"), "no-"+need)
		add(need == "session", "no-session")
	}
	for s := range Steps(t) {
		for _, skip := range s.SkipUnless {
			add(true, skip.Reason)
		}
	}
	return codes
}
