// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/greeter"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// TestDiagnoseAServer: of a target that is taken as it is, nothing is asked that only executors have.
func TestDiagnoseAServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/greeter" {
			t.Errorf("%s was asked for", q.URL.Path)
		}
	}))
	defer server.Close()
	d, err := Diagnose(t.Context(), greeter.Row, target.Config{ExecutorURL: server.URL + "/greeter"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	shows(t, d, report.Passed, "ok tcp: connected to 127.0.0.1:", "ok http: HTTP/1.1", "ok clock: agrees with ours", "note idle: not measured")
}

// TestWhoIsLetInAtAServer: where the profile of a server says what is asked first, that shows whether the token is taken.
func TestWhoIsLetInAtAServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case q.URL.Path == "/greeter/greetings" && q.Header.Get("Authorization") != "Bearer right":
			w.WriteHeader(http.StatusUnauthorized)
		case q.URL.Path != "/greeter" && q.URL.Path != "/greeter/greetings":
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	for _, c := range []struct {
		looksAt, token string
		verdict        report.Verdict
		want           string
	}{
		{"greetings", "right", report.Passed, "ok credentials: status is 200, without one 401"},
		{"greetings", "wrong", report.Unauthorized, "fail credentials: is it the token of this deployment"},
		{"greetings", "", report.Unauthorized, "fail credentials: give a token"},
		{"elsewhere", "right", report.Failed, "fail credentials: is this a greeter?"},
	} {
		row := greeter.Row
		row.LooksAt, row.Doubt = c.looksAt, "is this a greeter?"
		config := target.Config{ExecutorURL: server.URL + "/greeter"}
		if c.token != "" {
			config.Tokens = map[string]string{"instance": c.token}
		}
		d, err := Diagnose(t.Context(), row, config, Options{})
		if err != nil {
			t.Fatal(err)
		}
		shows(t, d, c.verdict, c.want)
	}
}

// TestTheMarkOfAServer: where the card of a profile has a mark, it is looked for.
func TestTheMarkOfAServer(t *testing.T) {
	t.Parallel()
	row := greeter.Row
	row.Mark, row.Doubt = "x-greeter", "is this a greeter?"
	for card, want := range map[string]string{
		`{"x-greeter":{}}`: "ok card: it names x-greeter",
		`{"x-other":{}}`:   "warn card: it names nothing of x-greeter",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path != "/greeter/.well-known/agent-card.json" {
				t.Errorf("%s was asked for", q.URL.Path)
			}
			io.WriteString(w, card)
		}))
		d, err := Diagnose(t.Context(), row, target.Config{ExecutorURL: server.URL + "/greeter"}, Options{})
		server.Close()
		if err != nil {
			t.Fatal(err)
		}
		shows(t, d, report.Passed, want)
	}
}

// TestTheCueForLongWork: what keeps the agent of a profile at work is asked for by the name that its row has.
func TestTheCueForLongWork(t *testing.T) {
	t.Parallel()
	row := greeter.Row
	row.Finds, row.Speaks, row.LongWork = profiles.AnAgent, profiles.Of("a2a-1.0").Speaks, "farewell"
	for name, c := range map[string]struct {
		ward *agentWard
		want string
	}{
		"it has ended":    {&agentWard{card: restWard, finished: true}, `note stream: cues: {farewell: "..."}`},
		"a message alone": {&agentWard{card: rpcWard, direct: true}, `warn stream: cues: {farewell: "..."}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.ward.canceled = make(chan struct{})
			server := httptest.NewServer(c.ward)
			t.Cleanup(server.Close)
			c.ward.address = server.URL
			d, err := Diagnose(t.Context(), row, target.Config{ExecutorURL: server.URL}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			shows(t, d, report.Passed, c.want)
		})
	}
}
