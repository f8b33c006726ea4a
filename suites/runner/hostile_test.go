// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/gauntlet"
	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// hostileTests holds one test of the card's surface and one of another: what a server without a card is judged by.
const hostileTests = `
  - {id: T-001, test: lists, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
  - {id: T-002, test: sends, must: m, source: s, steps: [{request: "POST ${api}/messages:send", json: {}, expect: {status: 202}}]}
`

// What answers, but is no executor, or does not take the credentials.
var incomplete, refusing = "could not be exercised", "the target does not take"

func TestOddServersNeverPass(t *testing.T) {
	t.Parallel()
	type row struct {
		name    string
		start   func(*testing.T) string
		verdict report.Verdict
		because string
	}
	tests := []row{
		{"closed port", func(*testing.T) string { return nobodyListens + "/agents/a" }, report.Unreachable, "connection refused"},
		{"no such host", func(*testing.T) string { return "http://nowhere.invalid/agents/a" }, report.Unreachable, "nowhere.invalid"},
		{"no URL", func(*testing.T) string { return "http://[::1" }, report.Unreachable, ""},
		{"speaks TLS", func(t *testing.T) string {
			server := httptest.NewTLSServer(http.NotFoundHandler())
			t.Cleanup(server.Close)
			return server.URL + "/agents/a"
		}, report.Unreachable, "TLS: "},
	}
	noAnswers := map[string]string{
		"accepts and never answers": "no answer within 300ms", "speaks no HTTP": "", "closes at once": "", "resets at once": "reset",
		"speaks TLS alerts": "", "speaks HTTP/2 unasked": "", "half-closes and listens": "closed without an answer", "drips a header": "",
		"an endless status line": "", "floods with headers": "", "a header without end": "", "floods with 1xx answers": "", "no answer": "no answer within 300ms",
		"a header that drips": "no answer within 300ms", "headers that are none": "", "the header of another century": "", "a reset before the answer": "reset",
		"two lengths": "", "a megabyte of headers": "headers exceeded 262144 bytes",
	}
	for _, server := range gauntlet.Servers() {
		if server.Place != gauntlet.Everywhere {
			continue
		}
		r := row{server.Name, func(t *testing.T) string {
			running, err := server.Start()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(running.Close)
			return running.URL()
		}, report.Incomplete, incomplete}
		if because, unreachable := noAnswers[server.Name]; unreachable {
			r.verdict, r.because = report.Unreachable, because
		}
		if server.Name == "401 to everything" {
			r.verdict, r.because = report.Unauthorized, refusing
		}
		tests = append(tests, r)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limit := 3 * time.Second
			if test.verdict == report.Unreachable {
				limit = 300 * time.Millisecond // what never answers is waited for this long; what does answer has time on a busy machine
			}
			out := runAll(t, loaded(t, hostileTests), Target{ExecutorURL: test.start(t)}, Options{Timeout: limit})
			if out.Verdict != test.verdict || !strings.Contains(out.Because, test.because) {
				t.Errorf("verdict is %s because %s", out.Verdict, out.Because)
			}
			if out.Summary.Pass+out.Summary.Warn+out.Summary.Fail != 0 {
				t.Errorf("something was measured: %s", summary(out))
			}
			causes := map[string]bool{}
			for _, r := range out.Results {
				causes[r.Reason.Code+r.Reason.Cause] = true
			}
			if len(causes) != 1 || len(out.Preflight) == 0 {
				t.Errorf("causes are %v, preflight %+v", causes, out.Preflight)
			}
		})
	}
}

func TestATargetThatDiesMidRunFails(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"GET /dies": func(w http.ResponseWriter, q *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		c.Close()
	}}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/dies", expect: {status: 200}}]}
  - {id: T-002, test: b, must: m, source: s, given: [{request: "GET ${api}/dies", expect: {status: 200}}], steps: [{request: "GET ${api}/tasks"}]}
  - {id: T-003, test: c, must: m, source: s, steps: [{request: "GET ${api}/dies", skip_unless: {when-present:x: {status: 200}}}]}
  - {id: T-004, test: d, must: m, source: s, steps: [{request: "GET ${api}/dies", expect: {exchange: {not: {.json: {any: {.id: x}}}}}}]}
  - {id: T-005, test: e, must: m, source: s, steps: [{request: "GET ${api}/dies", expect: {exchange: {any_of: [{.status: 400}, {.error: {present: true}}]}}}]}
  - {id: T-006, test: f, must: m, source: s, steps: [{request: "GET ${api}/dies", expect: {exchange: {any_of: [{.status: {absent: true}}, {.status: 404}]}}}]}
`)
	want := "T-001 fail fail: status is missing, want 200 (no answer: the connection was closed without an answer)\nT-002 blocked blocked\nT-003 blocked blocked\nT-004 blocked blocked\nT-005 pass\nT-006 pass"
	if got := summary(out); got != want {
		t.Errorf("got %s", got)
	}
}

func TestRedirectsStayOnTheHost(t *testing.T) {
	t.Parallel()
	var stolen atomic.Value
	stolen.Store("")
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { stolen.Store(q.Header.Get("Authorization") + "!") }))
	t.Cleanup(thief.Close)
	f := &fake{token: fakeToken, routes: map[string]http.HandlerFunc{
		"GET /there": func(w http.ResponseWriter, q *http.Request) { http.Redirect(w, q, "tasks", http.StatusFound) },
		"GET /away":  func(w http.ResponseWriter, q *http.Request) { http.Redirect(w, q, thief.URL, http.StatusFound) },
		"GET /names": func(w http.ResponseWriter, q *http.Request) { fmt.Fprintf(w, `{"url":%q}`, thief.URL) },
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/there", redirects: 2, expect: {status: 200, json: {tasks: []}}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/away", redirects: 2, expect: {status: 302}}]}
  - {id: T-003, test: c, must: m, source: s, steps: [{request: "GET ${api}/there", expect: {status: 302}}]}
  - {id: T-004, test: d, must: m, source: s, given: [{request: "GET ${api}/names", keep: {url: json.url}}], steps: [{request: "GET ${url}", expect: {status: 200}}]}
`)
	if out.Verdict != report.Passed {
		t.Error(summary(out))
	}
	if stolen.Load() != "!" {
		t.Errorf("another host was shown %q", stolen.Load())
	}
}
