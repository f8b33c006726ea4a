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
		{Last: true, Beside: true, Needs: []string{"hook:internal-fault"}},
		{Last: true, AtOnce: true, Needs: []string{"hook:restart"}},
		{Last: true, Watches: true, Needs: []string{"hook:pty-fault"}, Steps: []*suites.Step{{Do: suites.Request{}}, {Do: suites.Watch{}}}},
	}
	p := &Planner{Profile: profiles.Of(""), Reach: func(suites.Duration) time.Duration { return 0 }, Rows: func(*suites.Test) int { return 1 }}
	got := p.Stages(tests)
	if diff := cmp.Diff(Stages{Together: []int{13, 18, 4}, Early: []int{13, 18}, Alone: []int{2}, Closing: []int{7, 16}, Last: []int{6, 17}, Joint: []int{5, 8}, Whole: []int{9, 10, 12, 14, 15}, Risky: []int{11}, Parting: []int{1, 3, 0}}, got); diff != "" {
		t.Errorf("the stages (-want +got):\n%s", diff)
	}
}

// TestLanes: who needs another thing of the target is played beside, and who needs all of it is not.
func TestLanes(t *testing.T) {
	t.Parallel()
	tests := []*suites.Test{{}, {Lane: "sends"}, {Lane: "counters"}, {}, {Lane: "sends"}, {Lane: "counters"}, {Lane: "instances"}}
	lanes, rest := Lanes([]int{0, 1, 2, 3, 4, 5, 6}, tests)
	if diff := cmp.Diff(map[int][]int{1: {1, 4}, 2: {2, 5}, 6: {6}}, lanes); diff != "" {
		t.Errorf("the lanes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 3}, rest); diff != "" {
		t.Errorf("the rest (-want +got):\n%s", diff)
	}
}
