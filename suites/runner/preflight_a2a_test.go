// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// TestACardMayBeSomewhereElse: a card is found behind at most three redirects on the origin where it was looked for.
func TestACardMayBeSomewhereElse(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"name":"n"}`) }))
	t.Cleanup(elsewhere.Close)
	for name, row := range map[string]struct {
		redirects int
		away      bool
		want      string
	}{
		"where it was looked for":     {want: "T-1 pass"},
		"behind three redirects":      {redirects: 3, want: "T-1 pass"},
		"behind four redirects":       {redirects: 4, want: "T-1 fail: status is 302, want 200"},
		"on another host or port":     {redirects: 1, away: true, want: "T-1 skip"}, // nothing here speaks A2A: TestWrongURLs
		"where a claim depends on it": {redirects: 2, want: "T-1 pass"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				step, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/card/"))
				if step < row.redirects {
					to := "/card/" + strconv.Itoa(step+1)
					if row.away {
						to = elsewhere.URL
					}
					http.Redirect(w, r, to, http.StatusFound)
					return
				}
				fmt.Fprint(w, `{"name":"n","provider":{"url":"u"}}`)
			}))
			t.Cleanup(server.Close)
			claims := ""
			if strings.Contains(name, "claim") {
				claims = "\n    applies: {claims: [provider]}"
			}
			profile, err := suites.LoadProfile(fstest.MapFS{"a2a-1.0/x.yaml": {Data: []byte(`suite: x
tests:
  - id: T-1
    test: t
    must: m` + claims + `
    steps:
      - request: GET ${card_url}
        as: anonymous
        redirects: 3
        expect: {status: 200}
`)}}, "a2a-1.0")
			if err != nil {
				t.Fatal(err)
			}
			run, err := Run(context.Background(), profile, Target{ExecutorURL: server.URL}, Options{Jobs: 1})
			if err != nil {
				t.Fatal(err)
			}
			got := run.Results[0].ID + " " + string(run.Results[0].Outcome)
			for _, finding := range run.Results[0].Findings {
				got += ": " + finding.Problem
			}
			if got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

// TestACardOfTheOriginIsTold: that the agent of the origin is judged is told where the URL leads to nothing of it.
func TestACardOfTheOriginIsTold(t *testing.T) {
	t.Parallel()
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != target.WellKnownCard && r.URL.Path != "/home"+target.WellKnownCard {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"name":"n","supportedInterfaces":[{"url":"%s/a2a/v1","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`, server.URL)
	}))
	t.Cleanup(server.Close)
	profile, err := suites.LoadProfile(fstest.MapFS{"a2a-1.0/x.yaml": {Data: []byte(`suite: x
tests:
  - {id: T-1, test: t, must: m, steps: [{request: "GET ${card_url}", as: anonymous, expect: {status: 200}}]}
`)}}, "a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	for path, told := range map[string]bool{"": false, "/": false, "/home": false, "/a2a/v1": false, "/a2a": false, "/a2a/v1/tasks": false, "/a2": true, "/agents/other": true} {
		run, err := Run(context.Background(), profile, Target{ExecutorURL: server.URL + path}, Options{Jobs: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, f := range run.Preflight {
			got = got || strings.Contains(f.Problem, "no card was found below "+server.URL+path+", and no interface is there")
		}
		if got != told || run.Results[0].Outcome != report.Pass {
			t.Errorf("%q: told is %t, want %t; the outcome is %s", path, got, told, run.Results[0].Outcome)
		}
	}
}

// TestAnExtensionWithoutNameIsDeclared: that its uri is missing is for a test of declared extensions to say.
func TestAnExtensionWithoutNameIsDeclared(t *testing.T) {
	t.Parallel()
	if c := readers.ReadCard([]byte(`{"capabilities":{"extensions":[{"description":"no uri"}]}}`)); !c.Declares("extensions") {
		t.Error("a card with an extension without uri declares none")
	}
	if c := readers.ReadCard([]byte(`{"capabilities":{"extensions":[]}}`)); c.Declares("extensions") {
		t.Error("a card with an empty list declares extensions")
	}
}
