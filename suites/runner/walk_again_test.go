// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// TestWalksBeginAnew: a list that is old for a moment is asked for again where the step says so, and is judged as it stands where it does not.
func TestWalksBeginAnew(t *testing.T) {
	t.Parallel()
	var patient, strict atomic.Int64
	stale := func(asked *atomic.Int64) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) == 1 {
				fmt.Fprint(w, `{"tasks":[{"id":"old"}]}`)
				return
			}
			fmt.Fprint(w, `{"tasks":[{"id":"new"},{"id":"old"}]}`)
		}
	}
	var never atomic.Int64
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /patient": stale(&patient),
		"GET /strict":  stale(&strict),
		"GET /refused": func(w http.ResponseWriter, _ *http.Request) { never.Add(1); w.WriteHeader(http.StatusNotFound) },
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/patient", walk: cursor, until: {"listed[*].id": {contains: new}}, again: 10s, expect: {"listed[*].id": {contains: new}}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/strict", walk: cursor, until: {"listed[*].id": {contains: new}}, expect: {"listed[*].id": {contains: new}}}]}
  - {id: T-003, test: c, must: m, source: s, steps: [{request: "GET ${api}/refused", walk: cursor, until: {"listed[*].id": {contains: new}}, again: 10s, expect: {status: 404}}]}
`)
	if got := summary(out); got != "T-001 pass\nT-002 fail fail: listed[*].id is [\"old\"], want a list that contains \"new\" (on one page, of 1)\nT-003 pass" {
		t.Error(got)
	}
	if patient.Load() != 2 || strict.Load() != 1 || never.Load() != 1 {
		t.Errorf("asked %d, %d and %d times", patient.Load(), strict.Load(), never.Load())
	}
}

// TestFindingsAreShownWithTheirAnswer: of several answers, the one that a finding is about is asked for again by its command, and counts as judged.
func TestFindingsAreShownWithTheirAnswer(t *testing.T) {
	t.Parallel()
	var polled atomic.Int64
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /pages": func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Query().Get("cursor") {
			case "":
				fmt.Fprint(w, `{"tasks":[{"id":"a"}],"next_cursor":"2"}`)
			case "2":
				fmt.Fprint(w, `{"tasks":[{"id":"b"},{"id":"wrong"}],"next_cursor":"3"}`)
			default:
				fmt.Fprint(w, `{"tasks":[{"id":"c"}]}`)
			}
		},
		"GET /polled": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"n": %d}`, polled.Add(1)%2) },
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/pages", walk: cursor, expect: {listed: {none: {.id: wrong}}}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{poll: "GET ${api}/polled", times: 3, every: 1ms, expect: {answers: {each: {.json.n: 1}}}}]}
`)
	for i, row := range []struct{ curl, judged string }{{"cursor=2", "wrong"}, {"/polled", `"n": 0`}} {
		r := &out.Results[i]
		if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Curl, row.curl) {
			t.Errorf("%s: findings %+v, want one with a command for %q", r.ID, r.Findings, row.curl)
		}
		judged := ""
		for _, e := range r.Evidence {
			if e.Judged && e.Kind == "response" {
				judged += e.Body
			}
		}
		if !strings.Contains(judged, row.judged) {
			t.Errorf("%s: the answer that counts as judged is %q, want one with %q", r.ID, judged, row.judged)
		}
	}
	if got := out.Results[0].Findings[0].Told(); !strings.Contains(got, "(1 of 4 elements, on page 2 of 3), want no such element") {
		t.Errorf("it is told as %q", got)
	}
}
