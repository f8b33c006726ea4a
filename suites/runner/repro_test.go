// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// The command asks what the finding is about that decided the verdict, not what an earlier warning is about.
func TestTheCommandIsThatOfTheDecisiveFinding(t *testing.T) {
	t.Parallel()
	out := runAll(t, loaded(t, `
  - id: T-001
    test: a
    must: m
    source: s
    steps:
      - request: GET ${api}/tasks?of=the-warning
        softened: [{ruling: catalog, to: warning, expect: {status: 299}}]
      - request: GET ${api}/tasks?of=the-failure
        expect: {status: 299}
`), Target{ExecutorURL: (&fake{}).start(t)}, Options{})
	r := result(t, out, "T-001")
	if r.Outcome != report.Fail || len(r.Findings) != 2 || r.Repro == nil || !strings.Contains(r.Repro.Curl, "the-failure") {
		t.Errorf("%+v, %+v", r.Findings, r.Repro)
	}
}

// An admin list in another order leads to the same instance, and the command that plays a test again names it.
func TestTheOrderOfAListChoosesNoInstance(t *testing.T) {
	t.Parallel()
	item := func(id string) string { return `{"id": "` + id + `", "operation_status": "ready"}` }
	for _, list := range []string{
		`{"items": [` + item("a1") + `, ` + item("b2") + `]}`,
		`{"items": [` + item("b2") + `, ` + item("a1") + `]}`,
		`[` + item("b2") + `, ` + item("a1") + `]`, // its shape is one requirement
	} {
		address := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if !strings.HasSuffix(q.URL.Path, "/admin/instances") {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.Write([]byte(list))
		}))
		r := newRun(profiles.Of("agentic-sandbox-v2"), Target{ExecutorURL: address}, Options{})
		if _, stop := (&target.Preflight{Agent: &r.Agent, Out: &report.Run{}}).FindInstance(t.Context()); stop != nil || r.Place.IID != "a1" {
			t.Errorf("%v: the instance is %q, want a1", list, r.Place.IID)
		}
		if got := r.repro.Rerun("T-001"); !strings.Contains(got, " --instance a1 ") {
			t.Errorf("%s names no instance", got)
		}
		r.close()
	}
}
