// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestFaultsDoNotHideEachOther is rule 8 for sets that once let a test pass, or skip itself, in spite of a fault that it
// names: one fault kept what shows the other one from being looked at.
func TestFaultsDoNotHideEachOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		faults, test string // the test, and behind it those that are played beside it
		want         report.Outcome
	}{
		{"list-of-open-tasks-only send-never-waits", "A2A-REST-045", report.Fail},
		{"url-is-an-object send-never-waits", "A2A-REST-074", report.Fail},
		{"invalid-answer-is-a-bad-gateway a2a-media-type-is-not-read", "A2A-ERR-017", report.Warn},
		{"version-header-not-in-capitals missing-version-is-the-current", "A2A-VER-011", report.Fail},
		{"extended-card-with-the-public-signatures entry-without-a-protected-header", "A2A-SIG-016", report.Fail},
		{"send-answers-a-bare-task extension-metadata-in-every-answer", "A2A-EXT-007", report.Warn},
		{"refused-stream-is-an-event error-as-problem-document", "A2A-SEC-010", report.Pass},
		{"refused-stream-is-an-event error-as-problem-document", "A2A-SEC-001", report.Pass},
		{"push-posts-the-bare-task", "A2A-MIG-009 A2A-PUSH-024", report.Pass},
	} {
		t.Run(c.faults+", "+c.test, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			ids := strings.Fields(c.test)
			chosen := func(test *suites.Test) bool { return slices.Contains(ids, test.ID) }
			p := &trials{profile: bundled(t, anyAgent.profile), proof: anyAgent}
			looksWrong(t, func() string {
				run, err := p.play(ctx, anyAgent.deployments[0], strings.Fields(c.faults), chosen, nil)
				if err != nil {
					return err.Error()
				}
				for i := range run.Results {
					if r := run.Results[i]; r.ID == ids[0] && r.Outcome != c.want {
						return fmt.Sprintf("%s is %s (%s), want %s", ids[0], r.Outcome, reason(r), c.want)
					}
				}
				return ""
			})
		})
	}
}

// looksWrong fails a test for what two plays in a row say is wrong. As in the self-test, one play is not believed: on a busy
// machine an answer can be too late for once.
func looksWrong(t *testing.T, play func() string) {
	t.Helper()
	first := play()
	if first == "" {
		return
	}
	if second := play(); second != "" {
		t.Error(second)
		return
	}
	t.Logf("seen once, and not when looked at again: %s", first)
}
