// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A finding is late where what was waited for did not come before the time was up, and not where it came and was wrong.
func TestFindingsThatAreLate(t *testing.T) {
	t.Parallel()
	task := func(state string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"id":"t","kind":"task","status":{"state":%q}}`, state)
		}
	}
	stream := func(end bool) http.HandlerFunc {
		return func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"a\":1}\n\n")
			w.(http.Flusher).Flush()
			if !end {
				<-q.Context().Done()
			}
		}
	}
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /hangs": func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() },
		"GET /stalls": func(w http.ResponseWriter, q *http.Request) {
			w.WriteHeader(201)
			w.(http.Flusher).Flush()
			<-q.Context().Done()
		},
		"GET /refuses": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
		"GET /resets":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"GET /works":   task("working"), "GET /failed": task("failed"), "GET /open": stream(false), "GET /ended": stream(true),
	}}
	// What is not late has long limits, so that a busy machine makes none of it late.
	const poll, until = ", every: 10ms, until: {task.state: completed}", ", until: {events: {length: 2}}"
	const soon, long = ", within: 100ms", ", within: 2s"
	rows := []struct {
		step string
		late bool
	}{
		{`{request: "GET ${api}/hangs", within: 100ms, expect: {status: 200}}`, true},
		{`{request: "GET ${api}/hangs", within: 100ms, expect: {json.id: t}}`, true},
		{`{request: "GET ${api}/stalls", within: 100ms, expect: {json.id: t}}`, true},
		{`{request: "GET ${api}/stalls"` + long + `, expect: {status: 200}}`, false},
		{`{request: "GET ${api}/refuses", expect: {status: 200}}`, false},
		{`{request: "GET ${api}/resets", expect: {status: 200}}`, false},
		{`{poll: "GET ${api}/works"` + poll + soon + `}`, true},
		{`{poll: "GET ${api}/failed"` + poll + long + `}`, false},
		{`{poll: "GET ${api}/refuses"` + poll + long + `}`, false},
		{`{stream: "GET ${api}/open"` + until + soon + `}`, true},
		{`{stream: "GET ${api}/ended"` + until + long + `}`, false},
		{`{stream: "GET ${api}/hangs"` + until + soon + `}`, true},
		{`{listen: hook}, {await: hook, within: 50ms}`, true},
	}
	tests := ""
	for i, row := range rows {
		tests += fmt.Sprintf("  - {id: T-%03d, test: a%d, must: m, source: s, steps: [%s]}\n", i+1, i+1, row.step)
	}
	out := runAll(t, loaded(t, tests), Target{ExecutorURL: f.start(t)}, Options{Jobs: 4, Timeout: 5 * time.Second})
	for i, row := range rows {
		r := &out.Results[i]
		if r.Outcome != report.Fail || len(r.Findings) != 1 || r.Findings[0].Late != row.late || r.Late() != row.late {
			t.Errorf("%s: %s %+v %+v, late is to be %v", row.step, r.Outcome, r.Findings, r.Reason, row.late)
		}
	}
}
