// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// judgedOlder plays the whole profile against a server of 0.3.
func judgedOlder(t *testing.T, target runner.Target) *report.Run {
	t.Helper()
	profile, err := suites.LoadProfile(suites.Embedded(), anyAgent.profile)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	run, err := runner.Run(ctx, profile, target, runner.Options{HoldFactor: hold})
	if err != nil {
		t.Fatal(err)
	}
	run.Settle()
	return run
}

// oneHeadline holds that a server of 0.3 is told so once: in the verdict, and over everything that fails because of it.
func oneHeadline(t *testing.T, run *report.Run, says string) {
	t.Helper()
	if run.Verdict != report.Failed || !strings.HasPrefix(run.Because, says+"; declare the interfaces of 1.0 in supportedInterfaces ") ||
		!strings.Contains(run.Because, "docs/migrating-from-0.3.md") {
		t.Errorf("the verdict is %s because %q, want a failure that begins with %q and says what to change", run.Verdict, run.Because, says)
	}
	if len(run.Preflight) != 1 || !strings.HasPrefix(run.Preflight[0].Problem, says) {
		t.Errorf("before the tests it found %v, want that the target speaks 0.3", run.Preflight)
	}
	skipped, folded := 0, ""
	for _, c := range run.Causes {
		if c.Kind == report.CauseOlderVersion {
			folded = c.ID
			if c.Says != says || !strings.Contains(c.Fix, "docs/migrating-from-0.3.md") {
				t.Errorf("the cause says %q and %q", c.Says, c.Fix)
			}
		}
	}
	for i := range run.Results {
		result := &run.Results[i]
		switch result.Outcome {
		case report.Fail, report.Warn, report.Blocked:
			if folded == "" || result.Cause != folded {
				t.Errorf("%s (%s) is %s: %v %v, want it under the cause that the target speaks 0.3", result.ID, result.Name, result.Outcome, result.Reason, result.Findings)
			}
		case report.Skip:
			if result.Reason.Code == "claim:protocolVersion-1.0" {
				skipped++
			}
		case report.Pass:
			if !strings.HasPrefix(result.ID, "A2A-CARD-") && !strings.HasPrefix(result.ID, "A2A-MIG-") {
				t.Errorf("%s (%s) passes, want only what the card shows", result.ID, result.Name)
			}
		}
	}
	if skipped < 60 {
		t.Errorf("%d tests are skipped because there is no interface of 1.0, want 60 at least", skipped)
	}
}

// The reference server of 0.3 alone keeps its card at both places.
func TestTheReferenceServerOf03IsOneHeadline(t *testing.T) {
	t.Parallel()
	a, err := newAgent(card{config: func(c *plain.Config) { withoutCredentials(c); c.Only03 = true }}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	oneHeadline(t, judgedOlder(t, a.target()),
		`the target speaks A2A 0.3, not 1.0: of its card at /.well-known/agent-card.json, protocolVersion is "0.3.0"`)
}

// A card as others write it, with credentials and several transports, at the place of 0.3 or at that of 0.2; what else is
// asked of the server it does not know.
func TestAServerOf03IsOneHeadline(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/card-0.3.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"/.well-known/agent-card.json", "/.well-known/agent.json"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != place || r.Method != http.MethodGet {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Cache-Control", "max-age=300")
				w.Header().Set("ETag", `"1"`)
				if strings.Contains(r.Header.Get("If-None-Match"), `"1"`) {
					w.WriteHeader(http.StatusNotModified)
					return
				}
				_, _ = w.Write(text)
			}))
			defer server.Close()
			oneHeadline(t, judgedOlder(t, runner.Target{ExecutorURL: server.URL, Cues: plain.Cues()}),
				`the target speaks A2A 0.3, not 1.0: of its card at `+place+`, protocolVersion is "0.3.0"`)
		})
	}
}
