// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"net/http"
	"net/http/httptest"
	"testing"

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
	greeter := profiles.Profile{Name: "greeter", Finds: profiles.AServer, Judges: "a greeter", Address: "the address of the greeter"}
	d, err := Diagnose(t.Context(), greeter, target.Config{ExecutorURL: server.URL + "/greeter"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	shows(t, d, report.Passed, "ok tcp: connected to 127.0.0.1:", "ok http: HTTP/1.1", "ok clock: agrees with ours", "note idle: not measured")
}
