// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A card of 0.3 is one headline, wherever it stands; one of 1.0 at the old place alone is none.
func TestOlderVersionIsOneHeadline(t *testing.T) {
	t.Parallel()
	const old = `{"name":"n","url":"http://h/rpc","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","capabilities":{"streaming":true}}`
	const suite = `suite: x
tests:
  - {id: T-1, test: one, must: m, steps: [{request: GetTask, params: {id: x}, expect: {outcome: processed}}]}
  - {id: T-2, test: two, must: m, applies: {claims: streaming}, steps: [{stream: SendStreamingMessage, params: {}, expect: {outcome: processed}}]}
  - {id: T-3, test: three, must: m, applies: {claims: "binding:JSONRPC"}, steps: [{request: "POST ${rpc}", json: {}, expect: {status: 200}}]}
  - {id: T-4, test: four, must: m, steps: [{request: "GET ${rest}/x", expect: {status: 200}}]}
  - {id: T-5, test: five, must: m, steps: [{request: "GET ${card_url}", expect: {status: 200, json.supportedInterfaces: {is_a: array}}}]}
  - {id: T-6, test: six, must: m, steps: [{request: "GET ${card_url}", expect: {status: 200, json.url: {absent: true}}}]}
  - {id: T-7, test: seven, must: m, steps: [{request: "GET ${card_url}", expect: {status: 200, json.description: {is_a: string}}}]}
`
	for name, row := range map[string]struct {
		places   map[string]string
		headline string
		folded   string
		want     string
	}{
		"at its place": {map[string]string{target.WellKnownCard: old},
			`the target speaks A2A 0.3, not 1.0: of its card at /.well-known/agent-card.json, protocolVersion is "0.3.0"`, "T-5 T-6",
			"T-1 skip claim:protocolVersion-1.0, T-2 skip claim:protocolVersion-1.0, T-3 skip claim:protocolVersion-1.0, T-4 skip claim:protocolVersion-1.0, T-5 fail, T-6 fail, T-7 fail"},
		"where it stood before": {map[string]string{"/.well-known/agent.json": old},
			`the target speaks A2A 0.3, not 1.0: of its card at /.well-known/agent.json, protocolVersion is "0.3.0"`, "T-5 T-6 T-7",
			"T-1 skip claim:protocolVersion-1.0, T-2 skip claim:protocolVersion-1.0, T-3 skip claim:protocolVersion-1.0, T-4 skip claim:protocolVersion-1.0, T-5 fail, T-6 fail, T-7 fail"},
		"for both, beside one of 1.0": {map[string]string{"/.well-known/agent.json": old, target.WellKnownCard: `{"name":"n","supportedInterfaces":[]}`},
			"", "", "T-1 skip claim:protocolVersion-1.0, T-2 skip claim:protocolVersion-1.0, T-3 skip claim:protocolVersion-1.0, T-4 skip claim:protocolVersion-1.0, T-5 pass, T-6 pass, T-7 fail"},
		"one of 1.0 at the old place": {map[string]string{"/.well-known/agent.json": `{"name":"n","supportedInterfaces":[{"url":"http://h/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`},
			"", "", "T-1 blocked blocked, T-2 blocked blocked, T-3 blocked blocked, T-4 skip claim:protocolVersion-1.0, T-5 fail, T-6 fail, T-7 fail"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				card, there := row.places[r.URL.Path]
				if !there {
					w.WriteHeader(404)
					return
				}
				fmt.Fprint(w, card)
			}))
			defer server.Close()
			profile, err := suites.LoadProfile(fstest.MapFS{"a2a-1.0/x.yaml": {Data: []byte(suite)}}, "a2a-1.0")
			if err != nil {
				t.Fatal(err)
			}
			run, err := Run(context.Background(), profile, Target{ExecutorURL: server.URL}, Options{Jobs: 1})
			if err != nil {
				t.Fatal(err)
			}
			run.Settle()
			var got, folded []string
			for _, result := range run.Results {
				line := result.ID + " " + string(result.Outcome)
				if result.Reason != nil {
					line += " " + result.Reason.Code
				}
				got = append(got, line)
			}
			for _, cause := range run.Causes {
				if cause.Kind == report.CauseOlderVersion {
					folded = append(folded, cause.Tests...)
					if cause.Says != row.headline {
						t.Errorf("the cause says %q, want %q", cause.Says, row.headline)
					}
				}
			}
			if got := strings.Join(got, ", "); got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
			if got := strings.Join(folded, " "); got != row.folded {
				t.Errorf("%q are folded, want %q", got, row.folded)
			}
			if headline := strings.HasPrefix(run.Because, "the target speaks A2A 0.3"); headline != (row.headline != "") || !strings.HasPrefix(run.Because, row.headline) {
				t.Errorf("the verdict is because %q, want it to begin with %q", run.Because, row.headline)
			}
			if row.headline != "" && !strings.Contains(run.Because, "docs/migrating-from-0.3.md") {
				t.Errorf("the verdict %q does not say where it is told what to change", run.Because)
			}
		})
	}
}
