// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestFaultsShowInTheLaterLayout is rule 2 for what is asked at another path in the layout of 2026: tests have their homes in the layout of the
// contract, so that the self-test tries no fault there.
func TestFaultsShowInTheLaterLayout(t *testing.T) {
	t.Parallel()
	at := slices.IndexFunc(openHands.deployments, func(d deployment) bool { return d.name == "layout of 2026" })
	if at < 0 {
		t.Fatal("no deployment has the layout of 2026")
	}
	for _, c := range []struct{ fault, test string }{
		{"events-are-only-acknowledged", "OHV1-EVT-003"},
		{"events-of-everybody-are-listed", "OHV1-PRIV-013"},
		{"kind-filter-is-ignored", "OHV1-FILT-006"},
		{"kind-filter-undeclared", "OHV1-OAS-008"},
		{"event-pages-skip-one", "OHV1-PAGE-010"},
		{"body-before-key", "OHV1-WH-007"},
		{"empty-lists-are-refused", "OHV1-WH-005"},
		{"no-event-count", "OHV1-ROUTE-010"},
		{"no-event-post", "OHV1-ROUTE-019"},
		{"undocumented-event-batch", "OHV1-ROUTE-011"},
		{"undocumented-conversation-update", "OHV1-ROUTE-018"},
	} {
		t.Run(c.fault+", "+c.test, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			p := &trials{profile: bundled(t, openHands.profile), proof: openHands}
			for _, faults := range [][]string{nil, {c.fault}} {
				want := report.Pass
				if faults != nil {
					want = report.Fail
				}
				looksWrong(t, func() string {
					run, err := p.play(ctx, openHands.deployments[at], faults, func(test *suites.Test) bool { return test.ID == c.test }, nil)
					if err != nil {
						return err.Error()
					}
					for i := range run.Results {
						if r := run.Results[i]; r.ID == c.test && r.Outcome != want {
							return fmt.Sprintf("%s with %v is %s (%s), want %s", c.test, faults, r.Outcome, reason(r), want)
						}
					}
					return ""
				})
			}
		})
	}
}
