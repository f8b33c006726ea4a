// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// ofOpenHands plays one step of the profile openhands-v1 against a handler.
func ofOpenHands(t *testing.T, step string, target Target, mux http.Handler) report.Result {
	t.Helper()
	profile, err := suites.LoadProfile(fstest.MapFS{"openhands-v1/paths.yaml": {Data: []byte("suite: Paths\ncontract: c\nsurface: paths\ntests:\n" + oneTest("- "+step))}}, "openhands-v1")
	if err != nil {
		t.Fatal(err)
	}
	target.ExecutorURL = serveHandler(t, mux)
	return result(t, runAll(t, profile, target, Options{}), "T-001")
}

// Who serves a path with a slash at its end alone leads there everybody who asks for it; that is followed, unless a request is to be sent as it
// is written, and no other redirect is.
func TestASlashAtTheEndIsFollowed(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/things/{$}", func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"method":%q,"id":%q}`, q.Method, q.URL.Query().Get("id"))
	})
	mux.HandleFunc("/things", func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Location", "/things/?"+q.URL.RawQuery)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Location", "/things/")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	for name, step := range map[string]string{
		"with its query":        `{request: "GET ${base}/things?id=7", expect: {status: 200, json: {method: GET, id: "7"}}}`,
		"with its method":       `{request: "POST ${base}/things", json: {}, expect: {status: 200, json.method: POST}}`,
		"as it is written":      `{request: "GET ${base}/things?id=7", raw: true, expect: {status: 307}}`,
		"to another path":       `{request: "GET ${base}/moved", expect: {status: 307}}`,
		"where that is allowed": `{request: "GET ${base}/moved", redirects: 1, expect: {status: 200}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ofOpenHands(t, step, Target{}, mux); got.Outcome != report.Pass {
				t.Errorf("%s (%+v %+v), want a pass", got.Outcome, got.Reason, got.Findings)
			}
		})
	}
}

// Where the operator declares the layout of 2026, events are asked for below the conversation that the test names, or else below the newest one.
func TestEventsOfTheLaterLayout(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, items, step string
		want              report.Outcome
	}{
		{"of the conversation of the filter", `{"id":"newest"}`, `{request: "GET ${base}/api/v1/events/search?conversation_id__eq=own&limit=2", expect: {json: {of: own, query: limit=2}}}`, report.Pass},
		{"of the newest conversation", `{"id":"newest"}`, `{request: "GET ${base}/api/v1/events/search", expect: {json: {of: newest, query: ""}}}`, report.Pass},
		{"where there is no conversation", ``, `{request: "GET ${base}/api/v1/events/search", expect: {json.of: newest}}`, report.Skip},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			mux.HandleFunc("GET /api/v1/app-conversations/search", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"items":[%s],"next_page_id":null}`, row.items)
			})
			mux.HandleFunc("GET /api/v1/conversation/{of}/events/search", func(w http.ResponseWriter, q *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"of":%q,"query":%q}`, q.PathValue("of"), q.URL.RawQuery)
			})
			got := ofOpenHands(t, row.step, Target{Hooks: map[string]Hook{"v1-layout": {Value: "2026"}}}, mux)
			if got.Outcome != row.want {
				t.Errorf("%s (%+v %+v), want %s", got.Outcome, got.Reason, got.Findings, row.want)
			}
		})
	}
}
