// SPDX-License-Identifier: Apache-2.0

package doctor

import (
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
