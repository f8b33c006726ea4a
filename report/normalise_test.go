// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

func TestNormaliseMakesRunsComparable(t *testing.T) {
	t.Parallel()
	first, second := reporttest.EveryOutcome(), reporttest.EveryOutcome()
	second.StartedAt = second.StartedAt.Add(time.Hour)
	second.DurationMS += 12
	second.Target.ExecutorURL = strings.ReplaceAll(second.Target.ExecutorURL, "7777", "7778")
	second.Flags[2].Value = "43"
	broken := &second.Results[1]
	broken.DurationMS++
	broken.Evidence[1].AtMS++
	broken.Evidence[0].Head = strings.ReplaceAll(broken.Evidence[0].Head, "000000000001", "000000000002")
	broken.Evidence[1].Header = strings.ReplaceAll(broken.Evidence[1].Header, "09:30:01", "10:30:02")
	broken.Evidence = append(broken.Evidence, broken.Evidence...) // it asked once more
	if diff := cmp.Diff(reporttest.Rendered(t, report.WriteJSON, first), reporttest.Rendered(t, report.WriteJSON, second)); diff == "" {
		t.Fatal("the runs do not differ before")
	}
	for i, f := range second.Flags {
		if f.Name == "executor-url" {
			second.Flags[i].Value = strings.ReplaceAll(f.Value, "7777", "7778")
		}
	}
	if diff := cmp.Diff(reporttest.Rendered(t, report.WriteJSON, report.Normalise(first)), reporttest.Rendered(t, report.WriteJSON, report.Normalise(second))); diff != "" {
		t.Errorf("the runs differ (-first +second):\n%s", diff)
	}
}

func TestNormaliseKeepsWhatMatters(t *testing.T) {
	t.Parallel()
	first, second := reporttest.EveryOutcome(), reporttest.EveryOutcome()
	second.Results[1].Findings[0].Problem = `task.state is "failed", want "canceled"`
	if cmp.Equal(reporttest.Rendered(t, report.WriteJSON, report.Normalise(first)), reporttest.Rendered(t, report.WriteJSON, report.Normalise(second))) {
		t.Error("another finding is lost")
	}
	second = reporttest.EveryOutcome()
	second.Results[0].Outcome = report.Fail
	if cmp.Equal(reporttest.Rendered(t, report.WriteJSON, report.Normalise(first)), reporttest.Rendered(t, report.WriteJSON, report.Normalise(second))) {
		t.Error("another outcome is lost")
	}
	if got := report.Normalise(first); got.Suites.Digest != first.Suites.Digest || got.Results[1].Requirement != first.Results[1].Requirement {
		t.Error("what the suites say is changed")
	}
}
