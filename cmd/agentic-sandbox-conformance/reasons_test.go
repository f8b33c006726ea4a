// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// unmeasuredReasons are the reasons of the bundled suites and of the runner that say that a requirement may apply and was
// not measured, or their beginnings. --strict counts them.
var unmeasuredReasons = []string{
	"no-hook:", "no-cue:", "no-token:", "no-session", "slow", "fail-fast", "interrupted", "time-is-up", "unauthorized", "unreachable", "pty-dialect",
	"admin-token-refused", "fault-cannot-be-armed", "keyframes-too-far-apart", "limited-before", "rate-limited", "refused", "shared-credentials",
	"task-ended-too-fast", "tokens-too-short", "too-few-frames", "too-little-output", "too-many-controllers", "too-many-observers",
}

// TestEveryReasonIsOfOneKind: a new reason to skip a test is decided about, before --strict meets it.
func TestEveryReasonIsOfOneKind(t *testing.T) {
	t.Parallel()
	for _, name := range suites.Profiles() {
		profile, err := loadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range reasonCodes(profile) {
			unmeasured := slices.ContainsFunc(unmeasuredReasons, func(known string) bool {
				return code == known || strings.HasSuffix(known, ":") && strings.HasPrefix(code, known)
			})
			if unmeasured == report.NotForThisTarget(code) {
				t.Errorf("the reason %s is in both lists or in none: unmeasuredReasons here, notForThisTarget in package report", code)
			}
		}
	}
}

// TestReasonCodesHoldWhatIsLent: reasons that depend on what a test needs are known by their whole name.
func TestReasonCodesHoldWhatIsLent(t *testing.T) {
	t.Parallel()
	profile, err := loadProfile(defaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	codes := reasonCodes(profile)
	for _, want := range []string{
		"no-hook:restart", "no-hook:webhook", "no-cue:completed", "no-token:admin", "no-token:operator", "claim:streaming",
		"reserved-v2.2", "slow", "no-session", "when-present:rate-limit", "task-ended-too-fast",
	} {
		if !slices.Contains(codes, want) {
			t.Errorf("%s is not among the %d reasons", want, len(codes))
		}
	}
}
