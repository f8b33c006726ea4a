// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// A server that takes no webhooks on this machine does as it should (ruling AMB-42): what is about deliveries cannot be
// seen there, and is not held against it.
func TestRefusedWebhooksFailNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a run with all waits takes seconds")
	}
	protected := card{
		declares: []string{"pushNotifications"},
		config:   func(c *plain.Config) { withoutCredentials(c); c.AllowLoopbackHooks = false },
	}
	a, err := newAgent(protected, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	options := runner.Options{Jobs: 24, MaxWait: time.Hour, HoldFactor: hold, Seed: 1}
	started := runner.Start(t.Context(), profiles.Of(anyAgent.profile), a.target(), options)
	options.Select = func(test *suites.Test) bool { return strings.HasPrefix(test.ID, "A2A-PUSH-") }
	run, err := started.Play(bundled(t, anyAgent.profile), options)
	if err != nil {
		t.Fatal(err)
	}
	// Configurations can be judged as far as they need no webhook.
	measured := map[string]bool{
		"A2A-PUSH-004": true, "A2A-PUSH-005": true, "A2A-PUSH-006": true, "A2A-PUSH-008": true, "A2A-PUSH-011": true,
		"A2A-PUSH-012": true, "A2A-PUSH-015": true, "A2A-PUSH-032": true,
	}
	for _, r := range run.Results {
		code := ""
		if r.Reason != nil {
			code = r.Reason.Code
		}
		switch {
		case code == "declared:pushNotifications": // what is about servers without
		case measured[r.ID] && r.Outcome == report.Pass && len(r.Findings) == 0:
		case !measured[r.ID] && r.Outcome == report.Skip && (code == "hook-refused" || code == "task-ended-too-fast"):
			if code == "hook-refused" && !strings.Contains(r.Reason.Detail, "takes no webhook that leads to this machine") {
				t.Errorf("%s says %q", r.ID, r.Reason.Detail)
			}
		default:
			t.Errorf("%s: %s %s %v", r.ID, r.Outcome, code, r.Findings)
		}
	}
}
