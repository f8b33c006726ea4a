// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
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
