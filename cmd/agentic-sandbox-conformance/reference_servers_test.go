// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/demo"
)

// A profile may be bundled before somebody has built a server for it: that is said, and nobody calls what is not there.
func TestAProfileWithoutAReferenceServerIsRefused(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		demo.PlainProfile: "there is no reference server of profile a2a-1.0; there is one of a2a-1.0, agentic-sandbox-v2, openhands-v1, sac", // as if its row were missing
		"a2a-1":           `there is no profile "a2a-1" (did you mean "a2a-1.0"?)`,
	} {
		if err := noReferenceServer(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
