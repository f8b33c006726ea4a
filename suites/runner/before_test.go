// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"strings"
	"testing"
)

// A finding about a look at something says what the test had asked for before of that very thing.
func TestWhatWasAskedForBefore(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{
		"DELETE /things/1": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"DELETE /things/2": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"GET /things/1":    func(http.ResponseWriter, *http.Request) {},
		"GET /things":      func(http.ResponseWriter, *http.Request) {},
		"GET /others":      func(http.ResponseWriter, *http.Request) {},
	}}
	for _, row := range []struct{ name, steps, want string }{
		{"the thing itself", `{request: "DELETE ${api}/things/1"}, {request: "GET ${api}/things/1", expect: {status: 404}}`, "DELETE /agents/{id}/v1/things/1, answered with 204"},
		{"what it is in", `{request: "DELETE ${api}/things/1"}, {request: "GET ${api}/things", expect: {status: 404}}`, "DELETE /agents/{id}/v1/things/1, answered with 204"},
		{"another thing", `{request: "DELETE ${api}/things/1"}, {request: "GET ${api}/others", expect: {status: 404}}`, ""},
		{"what was refused", `{request: "DELETE ${api}/things/2"}, {request: "GET ${api}/things", expect: {status: 404}}`, ""},
		{"the change itself", `{request: "DELETE ${api}/things/1", expect: {status: 200}}`, ""},
		{"nothing before", `{request: "GET ${api}/things/1", expect: {status: 404}}`, ""},
	} {
		out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [`+row.steps+`]}
`)
		findings := out.Results[0].Findings
		if len(findings) != 1 {
			t.Fatalf("%s: findings are %+v", row.name, findings)
		}
		if got := findings[0].After; got != row.want {
			t.Errorf("%s: after %q, want %q", row.name, got, row.want)
		}
	}
}

// A finding says whose credentials a request carried, where its suite does not ask everything with these.
func TestWhoAsked(t *testing.T) {
	t.Parallel()
	f := &fake{token: "one", admin: "another", routes: map[string]http.HandlerFunc{"GET /things": func(http.ResponseWriter, *http.Request) {}}}
	for as, want := range map[string]string{"instance": "", "admin": "admin", "anonymous": "anonymous"} {
		out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/things", as: `+as+`, expect: {status: 404}}]}
`)
		if findings := out.Results[0].Findings; len(findings) != 1 || findings[0].As != want {
			t.Errorf("as %s: findings are %+v", as, findings)
		}
	}
}

// TestWhatWasSpoken: what no client of the binding sends is told beside the question that came behind it.
func TestWhatWasSpoken(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		of   *socket
		want string
	}{
		{&socket{}, ""}, {&socket{said: "ListTasks"}, "ListTasks"}, {&socket{made: "a hand-made frame"}, "a hand-made frame"},
		{&socket{said: "ListTasks", made: "a hand-made frame"}, "a hand-made frame and ListTasks"},
	} {
		if got := row.of.spoken(); got != row.want {
			t.Errorf("%q and %q are %q, want %q", row.of.made, row.of.said, got, row.want)
		}
	}
	for content, want := range map[string]string{`{"op": "ping"}`: "ping", `{"op": 7}`: "", `[]`: "", `not json`: "", `{"op": "ping", "x": "` + strings.Repeat("x", longestRead) + `"}`: ""} {
		if got := opOf(content); got != want {
			t.Errorf("%.40s says %q, want %q", content, got, want)
		}
	}
}
