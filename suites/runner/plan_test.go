// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// TestStages: what leaves the target other than it was comes behind everything that could still be measured.
func TestStages(t *testing.T) {
	t.Parallel()
	tests := []*suites.Test{
		{Last: true, Needs: []string{"hook:shutdown"}},
		{Last: true, Needs: []string{"hook:rate-limit", "token:observe"}},
		{Alone: true},
		{Last: true, Needs: []string{"hook:runtime-down"}},
		{},
		{Last: true, Needs: []string{"hook:restart"}},
		{Last: true},
		{Last: true, Operates: true, Needs: []string{"cue:completed"}},
		{Last: true, Operates: true, Needs: []string{"hook:restart"}},
		{Last: true, Watches: true, Operates: true},
		{Last: true, Watches: true, Needs: []string{"hook:session"}},
		{Last: true, Alone: true},
		{Last: true, Alone: true, Watches: true},
	}
	together, alone, closing, last, watching, risky, leaving := stages(profiles.Of(""), tests)
	if diff := cmp.Diff([][]int{{4}, {2}, {7}, {5, 6, 8}, {9, 10, 12}, {11}, {1, 3, 0}}, [][]int{together, alone, closing, last, watching, risky, leaving}); diff != "" {
		t.Errorf("the stages (-want +got):\n%s", diff)
	}
}
