// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestOneDeviationCostsOneRequirement holds the neighbours of a requirement to their own business: of those that look at
// the same answers, the one that is about the deviation says so, and the others go on.
func TestOneDeviationCostsOneRequirement(t *testing.T) {
	t.Parallel()
	const fails, warns, passes, skips, blocks = report.Fail, report.Warn, report.Pass, report.Skip, report.Blocked
	for _, c := range []struct {
		deployment, faults string // by name, with spaces between
		want               map[string]report.Outcome
	}{
		{"speaking JSON-RPC", "json-rpc-is-a-page", map[string]report.Outcome{"CARD-012": warns, "ERR-006": skips}},
		{"default", "refusal-repeats-the-token", map[string]report.Outcome{"AUTH-014": fails, "ERR-012": passes}},
		{"default", "errors-show-the-credentials", map[string]report.Outcome{"AUTH-014": fails, "ERR-012": passes}},
		{"credentials that nobody asks for", "errors-show-the-credentials", map[string]report.Outcome{"AUTH-014": skips, "ERR-012": fails}},
		{"default", "no-problem-has-a-code", map[string]report.Outcome{"ERR-002": fails, "ERR-007": passes}},
		{"default", "no-problem-has-a-title", map[string]report.Outcome{"ERR-002": fails, "ERR-007": passes}},
		{"default", "unknown-instance-without-code", map[string]report.Outcome{"ERR-002": passes, "ERR-007": fails}},
		{"default", "refusals-with-status-400-inside", map[string]report.Outcome{"AUTH-004": passes, "ERR-003": fails}},
		{"default", "refusal-is-a-bare-object", map[string]report.Outcome{"AUTH-004": fails, "ERR-003": passes}},
		{"default", "malformed-json-as-plain-text", map[string]report.Outcome{"ERR-008": fails, "PUSH-010": passes}},
		{"default", "list-is-a-window", map[string]report.Outcome{"TASK-015": fails, "TASK-016": blocks, "TASK-017": blocks}},
		{"default", "every-send-says-whether-it-is-a-replay", map[string]report.Outcome{"IDEM-004": fails, "EXT-009": passes}},
		{"default", "cache-without-activation", map[string]report.Outcome{"IDEM-004": passes, "EXT-009": fails}},
		{"durable", "replay-with-status-200", map[string]report.Outcome{"IDEM-005": fails, "IDEM-028": passes}},
		{"durable", "replay-shows-the-task-now", map[string]report.Outcome{"IDEM-006": fails, "IDEM-028": passes}},
		{"durable", "replay-not-marked", map[string]report.Outcome{"IDEM-007": fails, "IDEM-028": passes}},
		{"durable", "replays-after-restart-have-status-200", map[string]report.Outcome{"IDEM-005": passes, "IDEM-028": fails}},
		{"default", "prompt-conflict-answers-404", map[string]report.Outcome{"HITL-011": passes, "HITL-012": fails}},
		{"default", "second-answer-answers-404", map[string]report.Outcome{"HITL-011": fails, "HITL-012": passes}},
		{"default", "any-tenant-accepted", map[string]report.Outcome{"TEN-004": fails, "TEN-005": skips}},
		{"default", "tenant-with-slashes-accepted", map[string]report.Outcome{"TEN-004": fails, "TEN-005": passes}},
		{"default", "runtime-metadata-on-send-only", map[string]report.Outcome{"RUN-010": fails, "RUN-012": passes}},
		{"default", "replay-with-status-200", map[string]report.Outcome{"IDEM-005": fails, "IDEM-015": fails, "TASK-033": passes}},
		{"default", "runtime-metadata-from-the-client", map[string]report.Outcome{"RUN-009": passes, "RUN-014": fails}},
		// An executor that insists on the required extensions takes every message that names them.
		{"default", "required-extension-not-named", map[string]report.Outcome{"EXT-010": fails, "EXT-001": passes, "EXT-003": passes, "EXT-007": passes, "OBS-003": passes, "RUN-009": passes, "RUN-011": passes, "RUN-012": passes, "RUN-013": passes, "RUN-014": passes, "TASK-027": passes}},
		{"default", "errors-as-json-rpc-with-text-codes", map[string]report.Outcome{"ERR-006": fails, "HITL-012": passes, "HITL-013": passes, "IDEM-017": passes, "TEN-005": passes}},
		{"default", "stream-refusal-is-an-event", map[string]report.Outcome{"SSE-013": fails, "SSE-014": passes}},
		{"default", "unknown-tenants-refused tenant-with-slashes-accepted", map[string]report.Outcome{"TEN-004": fails, "TEN-005": passes, "TEN-011": fails}},
		// What is never said, or said in another form, is for the requirement about it; those that look on go on.
		{"default", "stream-without-data-prefix", map[string]report.Outcome{"SSE-004": fails, "TASK-006": passes}},
		{"default", "metrics-below-the-agents", map[string]report.Outcome{"SURF-004": fails, "TASK-033": passes}},
		{"default", "configs-of-unknown-tasks-are-a-page", map[string]report.Outcome{"ERR-001": fails, "PUSH-008": passes, "TASK-012": passes}},
		{"default", "unknown-configs-to-delete-are-a-page", map[string]report.Outcome{"ERR-001": fails, "PUSH-007": passes, "PUSH-009": passes}},
		{"default", "unknown-objects-are-a-page", map[string]report.Outcome{"ADM-014": passes, "ERR-001": fails}},
		{"default", "unknown-instance-on-the-admin-surface-is-plain-text", map[string]report.Outcome{"ADM-006": fails, "ERR-001": passes}},
		{"default", "observers-get-two-objects-in-a-frame", map[string]report.Outcome{"PTY-033": fails, "PTX-035": passes, "PTX-054": passes, "PTY-026": passes}},
		{"default", "observer-upgraded", map[string]report.Outcome{"PTX-012": fails, "PTY-090": passes, "PTY-091": passes, "PTY-092": passes}},
		// Two at once are two failures.
		{"default", "one-key-for-all-instances private-key-published", map[string]report.Outcome{"CARD-025": fails, "CARD-030": warns}},
		{"default", "ids-of-streamed-messages-repeat stream-stays-open-after-the-end", map[string]report.Outcome{"SSE-010": fails, "SSE-020": fails}},
		{"default", "instance-read-is-another-one", map[string]report.Outcome{"ADM-004": passes, "ADM-005": fails}},
	} {
		t.Run(c.faults+", "+c.deployment, func(t *testing.T) {
			t.Parallel()
			profile, err := suites.LoadProfile(suites.Embedded(), "agentic-sandbox-v2")
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(setups, func(s setup) bool { return s.name == c.deployment })
			if at < 0 {
				t.Fatalf("there is no deployment %q", c.deployment)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			chosen := func(test *suites.Test) bool { return slices.Contains(slices.Collect(maps.Keys(c.want)), test.ID) }
			looksWrong(t, func() string {
				run, err := (&trials{profile: profile, proof: sandbox}).play(ctx, setups[at].deployment(), strings.Fields(c.faults), chosen, nil)
				if err != nil {
					return err.Error()
				}
				got := map[string]report.Outcome{}
				for i := range run.Results {
					if _, asked := c.want[run.Results[i].ID]; asked {
						got[run.Results[i].ID] = run.Results[i].Outcome
					}
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					return "(-want +got):\n" + diff
				}
				return ""
			})
		})
	}
}
