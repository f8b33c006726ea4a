// SPDX-License-Identifier: Apache-2.0

package order

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
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
		{Last: true, Watches: true, Steps: []*suites.Step{{Do: suites.Request{}}, {Do: suites.Watch{}}}},
		{Last: true, Watches: true, Steps: []*suites.Step{{Do: suites.Watch{}}, {Do: suites.Request{}}}},
		{Last: true, Steps: []*suites.Step{{Do: suites.Hook{Name: hooks.WholeRun}}, {Do: suites.Request{}}}},
	}
	p := &Planner{Profile: profiles.Of(""), Reach: func(suites.Duration) time.Duration { return 0 }, Rows: func(*suites.Test) int { return 1 }}
	got := p.Stages(tests)
	if diff := cmp.Diff(Stages{Together: []int{13, 4}, Early: []int{13}, Alone: []int{2}, Closing: []int{7}, Last: []int{5, 6, 8}, Whole: []int{9, 10, 12, 14, 15}, Risky: []int{11}, Parting: []int{1, 3, 0}}, got); diff != "" {
		t.Errorf("the stages (-want +got):\n%s", diff)
	}
}
