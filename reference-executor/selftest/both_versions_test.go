// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// A server of both versions may answer who names no version with the card of 0.3 and the interfaces of 1.0 in it. That it
// announces the extended card at the place of 0.3 is told by the requirements on that place, and not once more as an
// operation that is not declared.
func TestACardOfBothVersions(t *testing.T) {
	t.Parallel()
	a, err := newAgent(card{declares: secured, config: func(c *plain.Config) { c.Legacy = true }}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	target := a.target()
	response, err := http.Get(target.ExecutorURL + "/.well-known/agent-card.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var shown map[string]any
	if err := json.NewDecoder(response.Body).Decode(&shown); err != nil {
		t.Fatal(err)
	}
	delete(shown["capabilities"].(map[string]any), "extendedAgentCard")
	shown["supportsAuthenticatedExtendedCard"] = true
	shown["url"], shown["preferredTransport"], shown["protocolVersion"] = target.ExecutorURL+"/rpc", "JSONRPC", "0.3"
	text, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	}))
	defer server.Close()
	target.ExecutorURL = server.URL

	want := map[string]report.Outcome{
		"A2A-CARD-045": report.Skip, "A2A-MIG-014": report.Fail, "A2A-MIG-015": report.Fail,
		"A2A-MIG-022": report.Warn, "A2A-MIG-023": report.Warn, "A2A-MIG-025": report.Warn,
	}
	profile, err := suites.LoadProfile(suites.Embedded(), anyAgent.profile)
	if err != nil {
		t.Fatal(err)
	}
	run, err := runner.Run(t.Context(), profile, target, runner.Options{HoldFactor: hold, Select: func(test *suites.Test) bool { return want[test.ID] != "" }})
	if err != nil {
		t.Fatal(err)
	}
	run.Settle()
	if len(run.Results) != len(want) {
		t.Fatalf("%d tests were played, want %d", len(run.Results), len(want))
	}
	for i := range run.Results {
		result := &run.Results[i]
		if result.Outcome != want[result.ID] {
			t.Errorf("%s is %s (%v, %v), want %s", result.ID, result.Outcome, result.Reason, result.Findings, want[result.ID])
		}
	}
	at := slices.IndexFunc(run.Results, func(r report.Result) bool { return r.ID == "A2A-CARD-045" })
	if reason := run.Results[at].Reason; reason == nil || reason.Code != "announced-elsewhere" {
		t.Errorf("A2A-CARD-045 is skipped because %v, want announced-elsewhere", reason)
	}
}
