// SPDX-License-Identifier: Apache-2.0

package console

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/spent"
)

func TestSpentTable(t *testing.T) {
	t.Parallel()
	got := spentTable([]spent.Stage{
		{Name: "side by side", Took: 5500 * time.Millisecond, Tests: 371, Waits: 128 * time.Second, Answers: 21 * time.Second, Rest: 1230 * time.Millisecond,
			Longest: "TASK-022", LongestTook: 5060 * time.Millisecond, Waiter: "TASK-022", LongestWait: 4940 * time.Millisecond},
		{Name: "risky", Took: 700 * time.Millisecond, Tests: 1, Answers: 100 * time.Millisecond, Rest: 600 * time.Millisecond, Longest: "ERR-011", LongestTook: 700 * time.Millisecond},
	})
	want := `where the time went  6.20s  tests  waits of the contract  answers  the rest  longest test    longest wait
  side by side       5.50s  371    128.00s                21.00s   1.23s     TASK-022 5.06s  TASK-022 4.94s
  risky              0.70s  1      0.00s                  0.10s    0.60s     ERR-011 0.70s    0.00s
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
