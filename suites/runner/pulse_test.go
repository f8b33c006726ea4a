// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// fewestSilent is how many tests in a row must have got no answer before the target is asked whether it is there.
const fewestSilent = 8

// silentTests are that many tests, each of which waits for an answer once.
func silentTests(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, "  - {id: T-%03d, test: a%d, must: m, source: s, steps: [{request: \"GET ${api}/hangs\", expect: {status: 200}}]}\n", i+1, i+1)
	}
	return all.String()
}

func TestATargetThatStopsAnsweringIsGone(t *testing.T) {
	t.Parallel()
	const jobs, tests = 2, 24
	hang := func(w http.ResponseWriter, q *http.Request) { <-q.Context().Done() }
	for _, test := range []struct {
		name  string
		lists int32 // how many lists of tasks are answered; the preflight asks for two
		gone  bool
	}{
		{"nothing is answered any more", 2, true},
		{"one route hangs", 1000, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			f := &fake{routes: map[string]http.HandlerFunc{"GET /hangs": hang, "GET /tasks": func(w http.ResponseWriter, q *http.Request) {
				if asked.Add(1) > test.lists {
					hang(w, q)
				}
				fmt.Fprint(w, `{"tasks":[]}`)
			}}}
			f.start(t)
			address := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if asked.Load() > test.lists {
					hang(w, q)
				}
				f.ServeHTTP(w, q)
			}))
			out := runAll(t, loaded(t, silentTests(tests)), Target{ExecutorURL: address + "/agents/" + fakeInstance},
				Options{Jobs: jobs, Timeout: 300 * time.Millisecond})
			causes := map[string]int{}
			for _, r := range out.Results {
				if r.Outcome == report.Blocked {
					causes[r.Reason.Cause]++
				}
			}
			if !test.gone {
				if out.Summary.Fail != tests || len(causes) != 0 || asked.Load() <= 2 {
					t.Errorf("%d failed, %v, asked %d times", out.Summary.Fail, causes, asked.Load())
				}
				return
			}
			if out.Summary.Fail < fewestSilent || out.Summary.Fail > fewestSilent+2*jobs+2 || out.Summary.Blocked != tests-out.Summary.Fail || len(causes) != 1 {
				t.Errorf("%d failed, blocked by %v", out.Summary.Fail, causes)
			}
			for cause := range causes {
				if !strings.HasPrefix(cause, "the target stopped answering: ") || !strings.HasSuffix(cause, "/tasks: no answer within 300ms") {
					t.Errorf("cause is %q", cause)
				}
			}
		})
	}
}

// A card that is served says nothing of the rest: when nothing else is ever answered, the rest is blocked, whatever came first,
// and what asks for the card alone is still judged.
func TestATargetThatServesOnlyItsCardIsMute(t *testing.T) {
	t.Parallel()
	const jobs, tests = 2, 24
	hang := func(w http.ResponseWriter, q *http.Request) { <-q.Context().Done() }
	f := &fake{routes: map[string]http.HandlerFunc{"GET /hangs": hang, "GET /tasks": hang, "POST /streams": hang}}
	suite := silentTests(tests)
	for i := range 6 {
		suite += fmt.Sprintf(`
  - {id: C-%d, test: c%d, must: m, source: s, steps: [{request: "GET ${base}/.well-known/agent-card.json", expect: {status: 200}}]}
  - {id: D-%d, test: d%d, must: m, source: s, steps: [{stream: "POST ${api}/streams", until: closed, within: 1s}]}
  - {id: E-%d, test: e%d, must: m, source: s, steps: [{poll: "GET ${api}/tasks", every: 1ms, within: 30s, until: {status: 200}}]}
  - {id: F-%d, test: f%d, must: m, source: s, steps: [{open: "${base}/sessions/x/attach", within: 400ms, expect: {status: 101}}]}
`, i, i, i, i, i, i, i, i)
	}
	began := time.Now()
	out := runAll(t, loaded(t, suite), Target{ExecutorURL: f.start(t) + "/agents/" + fakeInstance}, Options{Jobs: jobs, Timeout: 300 * time.Millisecond})
	causes := map[string]int{}
	for _, r := range out.Results {
		if strings.HasPrefix(r.ID, "C-") != (r.Outcome == report.Pass) {
			t.Errorf("%s is %s: %+v", r.ID, r.Outcome, r.Reason)
		}
		if r.Outcome == report.Blocked {
			causes[r.Reason.Cause]++
		}
	}
	if out.Summary.Fail != 0 || out.Summary.Blocked != len(out.Results)-6 || len(causes) != 1 || out.Verdict != report.Incomplete {
		t.Errorf("%s: %d failed, blocked by %v", out.Verdict, out.Summary.Fail, causes)
	}
	for cause := range causes {
		if !strings.HasPrefix(cause, "the target answers nothing but its documents: ") {
			t.Errorf("cause is %q", cause)
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("the run took %s: a poll went on", took)
	}
}
