// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A claim holds where something has passed, nothing has failed, and all was measured.
func TestClaimVerdict(t *testing.T) {
	t.Parallel()
	for want, claims := range map[string][]report.Claim{
		"holds":        {{Passed: 1}, {Passed: 3, Warned: 1}},
		"in part":      {{Passed: 1, Unmeasured: 1}, {Passed: 1, Warned: 1, Unmeasured: 1}},
		"only warned":  {{Warned: 1}, {Warned: 2, Unmeasured: 1}},
		"not measured": {{}, {Unmeasured: 4}},
		"broken":       {{Failed: 1}, {Passed: 9, Failed: 1}, {Failed: 1, Warned: 1}},
	} {
		for _, c := range claims {
			if got := ClaimVerdict(&c); got != want {
				t.Errorf("%d passed, %d failed, %d warned, %d not measured: %s, want %s", c.Passed, c.Failed, c.Warned, c.Unmeasured, got, want)
			}
		}
	}
}
