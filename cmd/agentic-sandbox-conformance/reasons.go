// SPDX-License-Identifier: Apache-2.0

package main

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

// reasonCodes are the codes of the reasons for which a test of the profile can be skipped, sorted.
func reasonCodes(profile *suites.Profile) []string {
	codes := slices.Clone(runReasons)
	for _, t := range profile.Tests() {
		for _, claim := range t.Applies.Claims {
			codes = append(codes, "claim:"+claim)
		}
		for _, claim := range t.Applies.Lacks {
			codes = append(codes, "declared:"+claim)
		}
		for _, claim := range bindingClaims(t) {
			codes = append(codes, "claim:"+claim)
		}
		codes = append(codes, grpcReasons(t)...)
		if t.Applies.Reserved != "" {
			codes = append(codes, "reserved-"+t.Applies.Reserved)
		}
		for _, need := range slices.Concat(t.Needs, t.Wants, lending(t)) {
			if strings.Contains(need, ":") {
				codes = append(codes, "no-"+need)
			}
		}
		for s := range everyStep(t) {
			for _, skip := range s.SkipUnless {
				codes = append(codes, skip.Reason)
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// grpcReasons are the reasons for which an operation is not sent over gRPC: the build, and what protobuf cannot say.
func grpcReasons(t *suites.Test) []string {
	if !t.Operates || len(t.Over) > 0 && !slices.Contains(t.Over, "GRPC") && !slices.Contains(t.Over, suites.Pairs) {
		return nil
	}
	return []string{"no-grpc", "no-grpc-form"}
}

// bindingClaims are the claims that a test is skipped for because of the bindings that its operations are sent over.
func bindingClaims(t *suites.Test) []string {
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
