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

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
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
