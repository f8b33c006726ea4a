// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// fourRows plays a test of four rows against a target that answers at /x as told, and says how often it was asked there. inVain is
// how long the test may wait in vain.
func fourRows(t *testing.T, inVain time.Duration, steps string, answers http.HandlerFunc) (result report.Result, asked int64) {
	t.Helper()
	var requests atomic.Int64
	f := &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, q *http.Request) {
		requests.Add(1)
		answers(w, q)
	}}}
	profile := loaded(t, `
  - id: T-001
    test: a
    must: m
    source: s
    cases: [{name: first}, {name: second}, {name: third}, {name: fourth}]
`+steps)
	out := runAll(t, profile, Target{ExecutorURL: f.start(t)}, Options{Timeout: inVain})
	return out.Results[0], requests.Load()
}

// TestPreparationBetweenSteps: what goes wrong in a step that prepares blocks the test, and the step behind it judges again.
func TestPreparationBetweenSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, prepared, judged string
		want                   report.Outcome
	}{
		{"it comes off", "200", "200", report.Pass},
		{"it does not", "201", "200", report.Blocked},
		{"it does, and what is judged does not", "200", "201", report.Fail},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result, _ := fourRows(t, 0, `    steps:
      - {request: "GET ${api}/x", expect: {status: 200}}
      - {request: "GET ${api}/x", prepares: true, expect: {status: `+c.prepared+`}}
      - {request: "GET ${api}/x", expect: {status: `+c.judged+`}}`, func(http.ResponseWriter, *http.Request) {})
			if result.Outcome != c.want {
				t.Errorf("it is %s, want %s", result.Outcome, c.want)
			}
		})
	}
}

// TestABreakBesideABlock: a row that could not be exercised changes nothing where another one shows the worst there is.
func TestABreakBesideABlock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, level, judged string
		want                report.Outcome
	}{
		{"of an obligation", "must", "expect: {status: 204}", report.Fail},
		{"of a recommendation", "should", "expect: {status: 204}", report.Warn},
		{"of a permission", "may", "expect: {status: 204}", report.Blocked},
		{"of an obligation that a ruling softens", "must", "softened: [{ruling: A01, to: warning, expect: {status: 204}}]", report.Blocked},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{routes: map[string]http.HandlerFunc{"GET /x": func(http.ResponseWriter, *http.Request) {}}}
			profile := loaded(t, `
  - id: T-001
    test: a
    `+c.level+`: m
    source: s
    at_once: true
    cases: [{name: broken, there: 200}, {name: blocked, there: 201}]
    steps: [{request: "GET ${api}/x", assume: {status: "${case.there}"}, `+c.judged+`}]
`)
			out := runAll(t, profile, Target{ExecutorURL: f.start(t)}, Options{})
			if got := out.Results[0].Outcome; got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
		})
	}
}

// never answers nothing as long as the client waits.
func never(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }

// TestRowsAfterAFailureInVain: when a row has failed and used up the time of the test, the others cannot change the verdict.
func TestRowsAfterAFailureInVain(t *testing.T) {
	t.Parallel()
	result, asked := fourRows(t, 100*time.Millisecond, `    steps: [{request: "GET ${api}/x", within: 300ms, expect: {status: 200}}]`, never)
	if result.Outcome != report.Fail || asked != 1 {
		t.Errorf("it is %s after %d requests, want a failure after one", result.Outcome, asked)
	}
	notes := strings.Join(result.Notes, "\n")
	if !strings.Contains(notes, "3 of 4 cases were left out") || !strings.Contains(notes, "second; third; fourth") {
		t.Errorf("the notes do not say what was left out: %q", notes)
	}
}

// TestRowsAfterABlockInVain: when a row was blocked, the others may still fail. They are played at once.
func TestRowsAfterABlockInVain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	others := make(chan struct{})
	result, _ := fourRows(t, 100*time.Millisecond, `    given: [{request: "GET ${api}/x", within: 3s, expect: {status: 200}}]
    steps: [{request: "GET ${api}/tasks", expect: {status: 404}}]`, func(w http.ResponseWriter, q *http.Request) {
		n := asked.Add(1)
		if n == 1 { // the first row cannot be prepared
			never(w, q)
			return
		}
		if n == 4 {
			close(others)
		}
		select {
		case <-others: // until all others are there
		case <-q.Context().Done():
		}
	})
	if result.Outcome != report.Fail || asked.Load() != 4 {
		t.Errorf("it is %s after %d requests, want a failure of the three others, at once", result.Outcome, asked.Load())
	}
}

// TestRowsOfASlowTarget: whoever answers in time loses nothing by being slow.
func TestRowsOfASlowTarget(t *testing.T) {
	t.Parallel()
	result, asked := fourRows(t, 100*time.Millisecond, `    steps: [{request: "GET ${api}/x", within: 10s, expect: {status: 200}}]`, func(_ http.ResponseWriter, q *http.Request) {
		select { // a slow server
		case <-time.After(120 * time.Millisecond):
		case <-q.Context().Done():
		}
	})
	if result.Outcome != report.Pass || asked != 4 || len(result.Notes) > 0 {
		t.Errorf("it is %s after %d requests, with the notes %q", result.Outcome, asked, result.Notes)
	}
}

// TestRowsThatFailAtOnce: a failure that costs no time keeps no other case from being told of.
func TestRowsThatFailAtOnce(t *testing.T) {
	t.Parallel()
	result, asked := fourRows(t, time.Minute, `    steps: [{request: "GET ${api}/x", within: 10s, expect: {status: 404}}]`, func(http.ResponseWriter, *http.Request) {})
	if result.Outcome != report.Fail || asked != 4 || len(result.Findings) != 4 {
		t.Errorf("it is %s after %d requests, with %d findings", result.Outcome, asked, len(result.Findings))
	}
}

// TestRowsSayOnceWhatAllOfThemSay: what ends each row early is one thing to know.
func TestRowsSayOnceWhatAllOfThemSay(t *testing.T) {
	t.Parallel()
	result, _ := fourRows(t, 0, `    steps: [{request: "GET ${api}/x", expect: {status: 200}}, {hook: command-id, optional: true, expect: {result: {command_id: x}}}]`,
		func(http.ResponseWriter, *http.Request) {})
	if result.Outcome != report.Pass || len(result.Notes) != 1 {
		t.Errorf("it is %s with the notes %q, want a pass with one note", result.Outcome, result.Notes)
	}
}
