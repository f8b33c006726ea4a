// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// Who is refused because he asks too often asks once more. Refused again, by a request or by a stream, he knows nothing of what he has asked.
func TestAskingTooOftenIsNoVerdict(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, step string
		refusals   int64
		want       report.Outcome
	}{
		{"a request", `{request: "GET ${base}/it", expect: {json.well: true}}`, 1, report.Pass},
		{"a request twice", `{request: "GET ${base}/it", expect: {json.well: true}}`, 2, report.Blocked},
		{"a stream", `{stream: "GET ${base}/it", until: {text: {contains: well}}, within: 5s, expect: {status: 200}}`, 1, report.Pass},
		{"a stream twice", `{stream: "GET ${base}/it", until: {text: {contains: well}}, within: 5s, expect: {status: 200}}`, 2, report.Blocked},
		{"a stream to its end, twice", `{stream: "GET ${base}/it", until: closed, within: 5s, expect: {status: 200}}`, 2, report.Blocked},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			mux := http.NewServeMux()
			mux.HandleFunc("GET /it", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if asked.Add(1) <= row.refusals {
					w.Header().Set("Retry-After", "0")
					w.WriteHeader(http.StatusTooManyRequests)
				}
				fmt.Fprint(w, `{"well":true}`)
			})
			profile, err := suites.LoadProfile(fstest.MapFS{"openhands-v1/pace.yaml": {Data: []byte("suite: Pace\ncontract: c\nsurface: pace\ntests:\n" + oneTest("- "+row.step))}}, "openhands-v1")
			if err != nil {
				t.Fatal(err)
			}
			out := runAll(t, profile, Target{ExecutorURL: serveHandler(t, mux)}, Options{})
			if got := result(t, out, "T-001"); got.Outcome != row.want || asked.Load() != 2 {
				t.Errorf("%s after %d requests (%+v %+v), want %s after 2", got.Outcome, asked.Load(), got.Reason, got.Findings, row.want)
			}
		})
	}
}
