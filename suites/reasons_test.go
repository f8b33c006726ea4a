// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"slices"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// unmeasuredReasons are the reasons under skip_unless and skip_when in the bundled suites that say that a requirement may apply and was
// not measured. --strict counts them; those of notForThisTarget in package report it does not.
var unmeasuredReasons = []string{
	"admin-token-refused", "announced-elsewhere", "answers-vary", "busy-machine", "context-refused", "drove-elsewhere", "fault-cannot-be-armed", "hook-refused", "keyframes-too-far-apart", "limited-before",
	"list-too-long", "no-cue:task-reply", "no-history", "refused", "version-not-needed",
	"shared-credentials", "task-ended-too-fast", "tokens-too-short", "too-few-frames", "too-little-output", "too-many-controllers",
	"too-many-observers", "unnamed-error", "reader-given-up",
	"jku-elsewhere", "no-signing-key", "no-token:instance", "signed-otherwise",
}

// TestEveryReasonIsOfOneKind: whether a new reason to skip a test is one that --strict counts is decided when it is written.
func TestEveryReasonIsOfOneKind(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, name := range suites.Profiles() {
		profile, err := suites.LoadProfile(suites.Embedded(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range profile.Tests() {
			for _, skip := range skipsOf(slices.Concat(test.Given, test.Steps)) {
				seen++
				if slices.Contains(unmeasuredReasons, skip.Reason) == report.NotForThisTarget(skip.Reason) {
					t.Errorf("%s: the reason %s has to be in one of two lists: unmeasuredReasons here, which --strict counts, or notForThisTarget in report/strict.go",
						skip.At, skip.Reason)
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("the suites have %d reasons, which cannot be all", seen)
	}
}

// skipsOf are all that can skip a test, in its steps and those inside them.
func skipsOf(steps []*suites.Step) []suites.SkipUnless {
	var all []suites.SkipUnless
	for _, s := range steps {
		all = append(all, s.SkipUnless...)
		switch do := s.Do.(type) {
		case suites.Use:
			all = append(all, skipsOf(do.Steps)...)
		case suites.Together:
			all = append(all, skipsOf(do.Inside())...)
		}
	}
	return all
}
