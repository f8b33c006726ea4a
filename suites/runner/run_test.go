// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

func TestOutcomes(t *testing.T) {
	t.Parallel()
	out := against(t, &fake{}, `
  - {id: T-001, test: holds, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
  - {id: T-002, test: breaks, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 404, header.Content-Type: text/x}}, {request: "GET ${api}/never"}]}
  - {id: T-003, test: warns, should: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 404}}]}
  - {id: T-004, test: notes, may: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 404}}]}
  - {id: T-005, test: is_deferred, must: m, source: s, applies: {since: v2.1}, steps: [{request: "GET ${api}/tasks", expect: {status: 404}}]}
  - {id: T-006, test: softened, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}, softened: [{ruling: AMB-03, to: warning, expect: {status: 201}}]}, {request: "GET ${api}/tasks", expect: {status: 200}}]}
  - {id: T-007, test: softened_to_a_note, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}, softened: [{ruling: AMB-03, to: note, expect: {status: 201}}]}]}
  - {id: T-008, test: preparation_breaks, must: m, source: s, given: [{request: "GET ${api}/tasks", expect: {status: 404}}], steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
  - {id: T-009, test: assumes, must: m, source: s, steps: [{request: "GET ${api}/tasks", assume: {status: 404}, expect: {status: 200}}]}
  - {id: T-010, test: skips, must: m, source: s, steps: [{request: "GET ${api}/tasks", skip_unless: {when-present:x: {status: 404}}, expect: {status: 200}}]}
  - {id: T-011, test: keeps_nothing, must: m, source: s, steps: [{request: "GET ${api}/tasks", keep: {x: json.nothing}}, {request: "GET ${api}/tasks/${x}", expect: {status: 200}}]}
  - {id: T-012, test: one_row_breaks, must: m, source: s, cases: [{name: a, want: 200}, {name: b, want: 404}], steps: [{request: "GET ${api}/tasks", expect: {status: "${case.want}"}}]}
  - {id: T-013, test: one_row_is_skipped, must: m, source: s, cases: [{name: a, want: 200}, {name: b, want: 404}], steps: [{request: "GET ${api}/tasks", skip_unless: {when-present:b: {status: "${case.want}"}}, expect: {status: 200}}]}
`)
	want := `T-001 pass
T-002 fail fail: status is 200, want 404 fail: header.Content-Type is "application/json", want "text/x"
T-003 warn warn: status is 200, want 404
T-004 pass pass: status is 200, want 404
T-005 pass pass: status is 200, want 404
T-006 warn warn: status is 200, want 201
T-007 pass pass: status is 200, want 201
T-008 blocked blocked
T-009 blocked blocked
T-010 skip when-present:x
T-011 blocked blocked
T-012 fail fail: status is 200, want 404
T-013 pass`
	if diff := cmp.Diff(want, summary(out)); diff != "" {
		t.Error(diff)
	}
	if out.Verdict != report.Failed || out.Summary.Fail != 2 || out.Summary.Pass != 5 {
		t.Errorf("verdict is %s, summary %+v", out.Verdict, out.Summary)
	}
	if f := result(t, out, "T-012").Findings[0]; f.Case != "b" || f.Subject != "status" || f.Observed != "is 200" || f.Expected != "404" {
		t.Errorf("finding is %+v", f)
	}
	if r := result(t, out, "T-006"); r.Findings[0].Ruling != "AMB-03" {
		t.Errorf("the ruling is not named: %+v", r.Findings)
	}
	if r := result(t, out, "T-002"); r.Repro == nil || !strings.Contains(r.Repro.Curl, "/v1/tasks") || !strings.Contains(r.Repro.Command, "--run T-002") {
		t.Errorf("repro is %+v", r.Repro)
	}
	if r := result(t, out, "T-001"); r.Evidence != nil || r.Repro != nil {
		t.Errorf("a pass has evidence: %+v", r)
	}
	if r := result(t, out, "T-002"); len(r.Evidence) != 2 || r.Evidence[1].Body != `{"tasks":[]}` {
		t.Errorf("evidence is %+v", r.Evidence)
	}
}

func TestBlocksForOneReasonShareTheirCause(t *testing.T) {
	t.Parallel()
	profile := loaded(t, `
  - {id: T-001, test: a, must: m, source: s, let: {id: "${fresh.uuid}"}, given: [{use: read}], steps: [{request: "GET ${api}/tasks"}]}
  - {id: T-002, test: b, must: m, source: s, let: {id: "${fresh.uuid}"}, given: [{use: read}], steps: [{request: "GET ${api}/tasks"}]}
shared: {read: [{request: "GET ${api}/tasks/${fresh.uuid}", expect: {text: "${fresh.uuid}"}}]}
`)
	out := runAll(t, profile, Target{ExecutorURL: (&fake{}).start(t)}, Options{})
	one, two := out.Results[0].Reason, out.Results[1].Reason
	if one == nil || two == nil || one.Cause != two.Cause || one.Cause == "" {
		t.Errorf("causes differ: %+v, %+v", one, two)
	}
	if out.Verdict != report.Incomplete {
		t.Errorf("verdict is %s", out.Verdict)
	}
}

// TestBlocksForTheSameAnswerShareTheirCauseHoweverItIsWritten: one list that lacks a task, written in two ways.
func TestBlocksForTheSameAnswerShareTheirCauseHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	profile := loaded(t, `
  - {id: T-001, test: a, must: m, source: s, given: [{use: shown}], steps: [{request: "GET ${base}"}]}
  - {id: T-002, test: b, must: m, source: s, given: [{use: shown}], steps: [{request: "GET ${base}"}]}
shared: {shown: [{request: "GET ${api}/list", expect: {text: {contains: mine}}}]}
`)
	var asked atomic.Int64
	f := &fake{routes: map[string]http.HandlerFunc{"GET /list": func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"tasks":%*s[]}`, asked.Add(1), "")
	}}}
	out := runAll(t, profile, Target{ExecutorURL: f.start(t)}, Options{Jobs: 1})
	one, two := out.Results[0].Reason, out.Results[1].Reason
	if one == nil || two == nil || one.Cause != two.Cause || one.Detail == two.Detail || !strings.Contains(one.Cause, "mine") {
		t.Errorf("causes differ, or the details do not: %+v, %+v", one, two)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var running, most int
	var order []string
	f := &fake{routes: map[string]http.HandlerFunc{}}
	meet := make(chan struct{})
	for _, name := range []string{"a", "b", "alone", "last"} {
		f.routes["GET /"+name] = func(w http.ResponseWriter, q *http.Request) {
			mu.Lock()
			running++
			most = max(most, running)
			order = append(order, name)
			if len(order) == 2 {
				close(meet)
			}
			mu.Unlock()
			select {
			case <-meet: // the first two only go on once both are there
			case <-q.Context().Done():
			}
			mu.Lock()
			running--
			mu.Unlock()
		}
	}
	out := against(t, f, `
  - {id: T-001, test: last, must: m, source: s, last: true, steps: [{request: "GET ${api}/last", expect: {status: 200}}]}
  - {id: T-002, test: alone, must: m, source: s, alone: true, steps: [{request: "GET ${api}/alone", expect: {status: 200}}]}
  - {id: T-003, test: a, must: m, source: s, steps: [{request: "GET ${api}/a", expect: {status: 200}}]}
  - {id: T-004, test: b, must: m, source: s, steps: [{request: "GET ${api}/b", expect: {status: 200}}]}
`)
	if got := summary(out); strings.Contains(got, "fail") || out.Verdict != report.Passed {
		t.Errorf("%s: %s", out.Verdict, got)
	}
	if most != 2 || order[2] != "alone" || order[3] != "last" {
		t.Errorf("at most %d at once, in the order %v", most, order)
	}
}

func TestAnInterruptedRunReportsWhatItMeasured(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{routes: map[string]http.HandlerFunc{"GET /hangs": func(w http.ResponseWriter, q *http.Request) {
		cancel()
		<-q.Context().Done()
	}}}
	profile := loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
  - {id: T-002, test: b, must: m, source: s, alone: true, steps: [{request: "GET ${api}/hangs", expect: {status: 200}}]}
  - {id: T-003, test: c, must: m, source: s, last: true, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
`)
	out, err := Run(ctx, profile, Target{ExecutorURL: f.start(t)}, fast(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("T-001 pass\nT-002 skip interrupted\nT-003 skip interrupted", summary(out)); diff != "" {
		t.Error(diff)
	}
	if out.Verdict != report.Incomplete || !cmp.Equal(out.Partial, []string{"interrupted"}) {
		t.Errorf("verdict is %s, partial %v", out.Verdict, out.Partial)
	}
}

func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"GET /hangs": func(w http.ResponseWriter, q *http.Request) { <-q.Context().Done() }}}
	profile := loaded(t, oneTest(`- {request: "GET ${api}/hangs", expect: {status: 200}}`))
	out := runAll(t, profile, Target{ExecutorURL: f.start(t)}, Options{MaxTime: 300 * time.Millisecond})
	if got := summary(out); got != "T-001 skip time-is-up" || out.Verdict != report.Incomplete {
		t.Errorf("%s: %s", out.Verdict, got)
	}
}

func TestFailFast(t *testing.T) {
	t.Parallel()
	profile := loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 404}}]}
  - {id: T-002, test: b, must: m, source: s, alone: true, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
`)
	out := runAll(t, profile, Target{ExecutorURL: (&fake{}).start(t)}, Options{FailFast: true})
	if got := out.Results[1].Reason; got == nil || got.Code != "fail-fast" || out.Verdict != report.Failed {
		t.Errorf("verdict %s, reason %+v", out.Verdict, got)
	}
}

func TestAPanicBlocksOneTestAndIsReported(t *testing.T) {
	t.Parallel()
	profile := loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
  - {id: T-003, test: c, must: m, source: s, steps: [{together: 2, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}]}
`)
	profile.Tests()[0].Steps[0].Do = nil
	profile.Tests()[2].Steps[0].Do.(suites.Together).Steps[0].Do = nil
	out, err := Run(t.Context(), profile, Target{ExecutorURL: (&fake{}).start(t)}, fast(Options{}))
	if err == nil || !strings.Contains(err.Error(), "T-001") || !strings.Contains(err.Error(), "T-003") {
		t.Errorf("error is %v", err)
	}
	if diff := cmp.Diff("T-001 blocked blocked\nT-002 pass\nT-003 blocked blocked", summary(out)); diff != "" {
		t.Error(diff)
	}
}

func TestProgressIsToldOneAtATime(t *testing.T) {
	t.Parallel()
	var tests strings.Builder
	for _, id := range []string{"T-001", "T-002", "T-003", "T-004", "T-005"} {
		tests.WriteString("  - {id: " + id + ", test: t" + id[4:] + ", must: m, source: s, steps: [{request: \"GET ${api}/tasks\", expect: {status: 200}}]}\n")
	}
	var inside atomic.Int32
	var done []int
	out := runAll(t, loaded(t, tests.String()), Target{ExecutorURL: (&fake{}).start(t)}, Options{Shuffle: true, Seed: 7, Progress: func(p Progress) {
		if inside.Add(1) != 1 {
			t.Error("progress is told at once")
		}
		if (p.Result == nil) != (p.Done == 0) || p.Total != 5 {
			t.Errorf("progress is %+v", p)
		}
		done = append(done, p.Done)
		inside.Add(-1)
	}})
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5}, done); diff != "" {
		t.Error(diff)
	}
	if out.Results[0].ID != "T-001" || out.Results[4].ID != "T-005" {
		t.Error("results are not in suite order")
	}
}

func TestANarrowedRunSaysSo(t *testing.T) {
	t.Parallel()
	profile := loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
`)
	out := runAll(t, profile, Target{ExecutorURL: (&fake{}).start(t)}, Options{Select: func(t *suites.Test) bool { return t.ID == "T-002" }})
	if summary(out) != "T-002 pass" || len(out.Partial) != 1 {
		t.Errorf("%s, partial %v", summary(out), out.Partial)
	}
}

func TestTasksAreCancelledAtTheEnd(t *testing.T) {
	t.Parallel()
	f := &fake{token: fakeToken}
	out := against(t, f, oneTest(`
- {request: "POST ${api}/messages:send", json: {message: {messageId: "${fresh.uuid}"}}, expect: {status: 202, location: {contains: /agents/}}, keep: {task: task.id}}
- {request: "GET ${api}/tasks/${task}", expect: {task.state: working}}`))
	if out.Verdict != report.Passed || f.state("task-1") != "canceled" {
		t.Errorf("verdict %s, %s, task is %s", out.Verdict, summary(out), f.state("task-1"))
	}
}

// TestAFewTestsAtOnceWhereRequestsAreLimited: each of those at work gets its turn within half a second, unless the operator says how many
// there are.
func TestAFewTestsAtOnceWhereRequestsAreLimited(t *testing.T) {
	t.Parallel()
	over, end := context.WithCancel(t.Context())
	end() // nobody waits for a seat
	for _, c := range []struct {
		what    string
		profile string
		options Options
		want    int
	}{
		{"no limit", "agentic-sandbox-v2", Options{Adapts: true}, 16},
		{"the limit of a profile", "openhands-v1", Options{Adapts: true}, 4},
		{"that of the operator in its place", "openhands-v1", Options{Adapts: true, Rate: 20}, 10},
		{"a request in two seconds", "agentic-sandbox-v2", Options{Adapts: true, Rate: 0.5}, 2},
		{"a limit that is none for 16 tests", "agentic-sandbox-v2", Options{Adapts: true, Rate: 100}, 16},
		{"a limit, and a number of tests", "openhands-v1", Options{Jobs: 12}, 12},
	} {
		r := newRun(profiles.Of(c.profile), Target{ExecutorURL: "http://127.0.0.1:1"}, c.options)
		got := 0
		for r.slots.Begin(over) != nil {
			got++
		}
		r.close()
		if got != c.want {
			t.Errorf("%s: %d tests begin at once, want %d", c.what, got, c.want)
		}
	}
}
