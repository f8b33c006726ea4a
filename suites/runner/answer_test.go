// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What looks like JSON is none when it is not the whole answer, or no UTF-8. The status of such an answer is judged all
// the same.
func TestWhatIsNoJSON(t *testing.T) {
	t.Parallel()
	says := func(length, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if length != "" {
				w.Header().Set("Content-Length", length)
			}
			io.WriteString(w, body)
		}
	}
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /whole": says("", `{"tasks":[]}`), "GET /cut": says("100", `{"tasks":[]}`), "GET /denied": says("100", `{"error":1}`), "GET /bytes": says("", "{\"tasks\":[],\"x\":\"\xff\"}"),
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/whole", expect: {status: 200, tasks: []}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/cut", expect: {status: 200, tasks: []}}]}
  - {id: T-003, test: c, must: m, source: s, steps: [{request: "GET ${api}/bytes", expect: {status: 200, tasks: []}}]}
  - {id: T-005, test: e, must: m, source: s, steps: [{request: "GET ${api}/denied", expect: {status: 200, text: {not: {contains: secret}}}}]}
  - {id: T-004, test: d, must: m, source: s, steps: [{request: "GET ${api}/bytes", expect: {status: 200}}]}
`)
	want := `T-001 pass
T-002 fail fail: tasks is missing, want [] (the body was cut: the connection ended in the middle)
T-003 fail fail: tasks is missing, want [] (the body is not UTF-8, so it cannot be read as JSON)
T-005 fail fail: text is missing, want something without "secret" (the body was cut: the connection ended in the middle)
T-004 pass`
	if diff := cmp.Diff(want, summary(out)); diff != "" {
		t.Error(diff)
	}
}
