// SPDX-License-Identifier: Apache-2.0

package needs

import (
	"slices"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestReasonCodesHoldWhatIsConfigured: reasons that depend on what a test needs are known by their whole name.
func TestReasonCodesHoldWhatIsConfigured(t *testing.T) {
	t.Parallel()
	profile, err := suites.LoadProfile(suites.Embedded(), "agentic-sandbox-v2")
	if err != nil {
		t.Fatal(err)
	}
	codes := Reasons(profile)
	for _, want := range []string{
		"no-hook:restart", "no-hook:webhook", "no-cue:completed", "no-token:admin", "no-token:operator", "claim:streaming",
		"reserved-v2.2", "slow", "no-session", "when-present:rate-limit", "task-ended-too-fast",
	} {
		if !slices.Contains(codes, want) {
			t.Errorf("%s is not among the %d reasons", want, len(codes))
		}
	}
}
