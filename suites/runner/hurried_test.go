// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

const hurriedSuite = `
  - {id: T-001, test: a, should: m, source: s, steps: [{request: "GET ${api}/should", within: 1m, expect: {status: 200}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/must", expect: {status: 200}}]}
  - {id: T-003, test: c, must: m, source: s, alone: true, steps: [{request: "GET ${api}/alone", expect: {status: 404}}]}
  - {id: T-004, test: d, must: m, source: s, last: true, steps: [{request: "GET ${api}/last", expect: {status: 200}}]}
`

// TestAHurriedRunWithoutTheTime: what is most important has been measured when the time is up, and its verdicts are those of a run with
// all the time; the rest is skipped for that reason, and the run is a part of one.
func TestAHurriedRunWithoutTheTime(t *testing.T) {
	t.Parallel()
	served := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }
	hangs := func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }
	f := &fake{routes: map[string]http.HandlerFunc{"GET /should": hangs, "GET /must": served, "GET /alone": served, "GET /last": served}}
	out := runAll(t, loaded(t, hurriedSuite), Target{ExecutorURL: f.start(t)}, Options{Jobs: 1, Hurried: true, MaxTime: 3 * time.Second})
	if diff := cmp.Diff("T-001 skip time-is-up\nT-002 pass\nT-003 fail fail: status is 200, want 404\nT-004 skip time-is-up", summary(out)); diff != "" {
		t.Error(diff)
	}
	if out.Verdict != report.Failed || !slices.Contains(out.Partial, "time-is-up") {
		t.Errorf("the verdict is %s, partial %v", out.Verdict, out.Partial)
	}
}

// TestAHurriedRunWithAllTheTime: the order alone is another one, and nothing says that anything is missing.
func TestAHurriedRunWithAllTheTime(t *testing.T) {
	t.Parallel()
	for _, hurried := range []bool{false, true} {
		served := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }
		f := &fake{routes: map[string]http.HandlerFunc{"GET /should": served, "GET /must": served, "GET /alone": served, "GET /last": served}}
		out := runAll(t, loaded(t, hurriedSuite), Target{ExecutorURL: f.start(t)}, Options{Jobs: 1, Hurried: hurried})
		if got := summary(out); got != "T-001 pass\nT-002 pass\nT-003 fail fail: status is 200, want 404\nT-004 pass" || len(out.Partial) > 0 {
			t.Errorf("hurried %t: %s, partial %v", hurried, got, out.Partial)
		}
		var asked []string
		for _, line := range f.seen {
			for _, route := range []string{"/should", "/must", "/alone", "/last"} {
				if strings.HasSuffix(line, route) {
					asked = append(asked, route)
				}
			}
		}
		want := []string{"/should", "/must", "/alone", "/last"}
		if hurried {
			want = []string{"/must", "/alone", "/should", "/last"}
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("hurried %t: %s", hurried, diff)
		}
	}
}
