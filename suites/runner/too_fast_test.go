// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
)

// A task that had ended before the test could look at it is begun once more: on a busy machine that may have been the harness's fault.
func TestATaskThatEndedTooFastIsBegunAgain(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		states []string // of the tasks, one after the other; the last one holds for all that follow
		want   string
		asked  int
	}{
		{"in time", []string{"working"}, "T-001 pass", 1},
		{"too late once", []string{"done", "working"}, "T-001 pass", 2},
		{"too late, and then wrong", []string{"done", "lost"}, "T-001 fail", 2},
		{"an agent that is always faster", []string{"done"}, "T-001 skip task-ended-too-fast", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			f := &fake{routes: map[string]http.HandlerFunc{"GET /task": func(w http.ResponseWriter, _ *http.Request) {
				n := int(asked.Add(1))
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"state": %q}`, row.states[min(n, len(row.states))-1])
			}}}
			config := Target{ExecutorURL: f.start(t), Tokens: map[string]string{"instance": f.token, "admin": f.admin}}
			run := runAll(t, loaded(t, `
  - id: T-001
    test: a
    must: m
    source: s
    steps:
      - {request: "GET ${api}/task", skip_when: {task-ended-too-fast: {json.state: done}}, expect: {json.state: working}}
`), config, Options{})
			got := fmt.Sprintf("%s %s", run.Results[0].ID, run.Results[0].Outcome)
			if reason := run.Results[0].Reason; reason != nil {
				got += " " + reason.Code
			}
			if got != row.want || int(asked.Load()) != row.asked {
				t.Errorf("%s after %d tasks, want %s after %d", got, asked.Load(), row.want, row.asked)
			}
		})
	}
}
