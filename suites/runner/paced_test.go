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

// Who is refused because he asks too often asks again, and more slowly. Refused again and again, by a request or by a stream, he knows nothing of
// what he has asked.
func TestAskingTooOftenIsNoVerdict(t *testing.T) {
	t.Parallel()
	const always = 1000
	for _, row := range []struct {
		name, step string
		refusals   int64
		want       report.Outcome
	}{
		{"a request", `{request: "GET ${base}/it", expect: {json.well: true}}`, 1, report.Pass},
		{"a request twice", `{request: "GET ${base}/it", expect: {json.well: true}}`, 2, report.Pass},
		{"a request always", `{request: "GET ${base}/it", expect: {json.well: true}}`, always, report.Blocked},
		{"a stream", `{stream: "GET ${base}/it", until: {text: {contains: well}}, within: 5s, expect: {status: 200}}`, 1, report.Pass},
		{"a stream twice", `{stream: "GET ${base}/it", until: {text: {contains: well}}, within: 5s, expect: {status: 200}}`, 2, report.Pass},
		{"a stream always", `{stream: "GET ${base}/it", until: {text: {contains: well}}, within: 5s, expect: {status: 200}}`, always, report.Blocked},
		{"a stream to its end, always", `{stream: "GET ${base}/it", until: closed, within: 5s, expect: {status: 200}}`, always, report.Blocked},
		{"a terminal twice", `{open: "${base}/it", expect: {status: 204}}`, 2, report.Pass},
		{"a terminal always", `{open: "${base}/it", expect: {status: 204}}`, always, report.Blocked},
		{"a terminal of which the refusal is judged", `{open: "${base}/it", unpaced: true, expect: {status: 429}}`, 0, report.Pass},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			mux := http.NewServeMux()
			mux.HandleFunc("GET /it", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				switch n := asked.Add(1); {
				case n <= row.refusals || row.refusals == 0:
					w.Header().Set("Retry-After", "0")
					w.WriteHeader(http.StatusTooManyRequests)
				case r.Header.Get("Upgrade") != "":
					w.WriteHeader(http.StatusNoContent)
					return
				}
				fmt.Fprint(w, `{"well":true}`)
			})
			profile, err := suites.LoadProfile(fstest.MapFS{"openhands-v1/pace.yaml": {Data: []byte("suite: Pace\ncontract: c\nsurface: pace\ntests:\n" + oneTest("- "+row.step))}}, "openhands-v1")
			if err != nil {
				t.Fatal(err)
			}
			out := runAll(t, profile, Target{ExecutorURL: serveHandler(t, mux)}, Options{})
			if got := result(t, out, "T-001"); got.Outcome != row.want || asked.Load() != row.refusals+1 && (row.refusals != always || asked.Load() > 15) {
				t.Errorf("%s after %d requests (%+v %+v), want %s", got.Outcome, asked.Load(), got.Reason, got.Findings, row.want)
			}
		})
	}
}
