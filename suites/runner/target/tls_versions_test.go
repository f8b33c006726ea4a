// SPDX-License-Identifier: Apache-2.0

package target

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// Which versions of TLS a host takes is found out by a handshake for each.
func TestTakenTLSVersions(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		least, most uint16
		want        string
	}{
		"the modern ones": {tls.VersionTLS12, tls.VersionTLS13, "[1.2 1.3] [1.0 1.1]"},
		"an old one":      {tls.VersionTLS10, tls.VersionTLS12, "[1.0 1.1 1.2] [1.3]"},
		"only the last":   {tls.VersionTLS13, tls.VersionTLS13, "[1.3] [1.0 1.1 1.2]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.TLS = &tls.Config{MinVersion: row.least, MaxVersion: row.most}
			server.StartTLS()
			defer server.Close()
			a := &Agent{}
			a.Open(profiles.Of("a2a-1.0"), Config{}, Limits{Connect: 5 * time.Second})
			defer a.Client.Close()
			a.CardURL = server.URL + WellKnownCard
			result, skip, problem := a.TakenTLSVersions(t.Context())
			if skip != nil || problem != "" {
				t.Fatal(skip, problem)
			}
			if got := fmt.Sprint(result["accepted"], " ", result["refused"]); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
	a := &Agent{}
	a.Open(profiles.Of("a2a-1.0"), Config{}, Limits{Connect: 5 * time.Second})
	defer a.Client.Close()
	a.CardURL = "http://127.0.0.1:1/x"
	if _, skip, _ := a.TakenTLSVersions(t.Context()); skip == nil || skip.Code != "no-tls" {
		t.Errorf("a card without TLS: %v, want it skipped as no-tls", skip)
	}
	a.CardURL = "https://127.0.0.1:1/x"
	if _, _, problem := a.TakenTLSVersions(t.Context()); !strings.HasPrefix(problem, "connect to 127.0.0.1:1: ") {
		t.Errorf("a host that nobody is at: %q", problem)
	}
}
