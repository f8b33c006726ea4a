// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"net/http"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
)

// A server behind a proxy leaves the others of its deployment alone: what is asked of one that is served afterwards does not
// pass through the proxy.
func TestAProxyStandsBeforeOneServer(t *testing.T) {
	t.Parallel()
	for _, with := range proofs {
		t.Run(with.profile, func(t *testing.T) {
			t.Parallel()
			d := with.deployments[0]
			recording := mutants.NewRecording()
			traffic := &mutants.Traffic{Recording: recording}
			behind, err := d.behind(traffic)
			if err != nil {
				t.Fatal(err)
			}
			defer traffic.Close()
			defer behind.close()
			plain, err := d.serve(nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer plain.close()
			ask := func(s subject) int {
				t.Helper()
				answer, err := http.Get(s.target().ExecutorURL + "/.well-known/agent-card.json")
				if err != nil {
					t.Fatal(err)
				}
				_ = answer.Body.Close()
				_, sites := recording.Size()
				return sites
			}
			if n := ask(plain); n != 0 {
				t.Errorf("%d places of the traffic of a server without a proxy were recorded", n)
			}
			if n := ask(behind); n == 0 {
				t.Error("nothing of what passes through the proxy was recorded")
			}
		})
	}
}
