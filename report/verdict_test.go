// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

func TestSettleNeverMakesAPassOfAnything(t *testing.T) {
	t.Parallel()
	pass, fail, skip := Result{ID: "A-1", Outcome: Pass}, Result{ID: "A-2", Outcome: Fail}, Result{ID: "A-3", Outcome: Skip}
	waived := Result{ID: "A-4", Outcome: Fail, Waiver: &Waiver{Reason: "known"}}
	for name, row := range map[string]struct {
		run  Run
		want Verdict
	}{
		"a pass":                                 {Run{Verdict: Passed, Results: []Result{pass, skip}}, Passed},
		"a pass with a waived failure":           {Run{Verdict: Passed, Results: []Result{pass, waived}}, Passed},
		"a pass with a failure":                  {Run{Verdict: Passed, Results: []Result{pass, fail}}, Failed},
		"a pass without results":                 {Run{Verdict: Passed}, Incomplete},
		"a pass of skips":                        {Run{Verdict: Passed, Results: []Result{skip}}, Incomplete},
		"a pass of nothing but unknown outcomes": {Run{Verdict: Passed, Results: []Result{{Outcome: "PASS"}, {}}}, Incomplete},
		"a pass against the policy":              {Run{Verdict: Passed, Results: []Result{pass}, Policy: []string{"stale"}}, Incomplete},
		"no verdict":                             {Run{Results: []Result{pass}}, Incomplete},
		"a verdict of its own":                   {Run{Verdict: "great", Results: []Result{pass}}, Incomplete},
		"unreachable":                            {Run{Verdict: Unreachable, Results: []Result{skip}}, Unreachable},
		"unreachable after a pass":               {Run{Verdict: Unreachable, Results: []Result{pass}}, Incomplete},
		"unauthorized after a failure":           {Run{Verdict: Unauthorized, Results: []Result{fail}}, Failed},
		"interrupted after a failure":            {Run{Verdict: Incomplete, Results: []Result{fail}}, Incomplete},
		"a failure":                              {Run{Verdict: Failed, Results: []Result{pass}}, Failed},
	} {
		row.run.Settle()
		if row.run.Verdict != row.want || row.run.Because == "" {
			t.Errorf("%s is %q because %q, want %q", name, row.run.Verdict, row.run.Because, row.want)
		}
		if got := row.run.Summary.Total(); got != len(row.run.Results) {
			t.Errorf("%s: the summary counts %d of %d", name, got, len(row.run.Results))
		}
	}
}

func TestCountCountsWaivedFailuresOnce(t *testing.T) {
	t.Parallel()
	r := everyOutcome()
	r.Summary = Summary{Pass: 99}
	r.Count()
	if want := (Summary{Pass: 1, Fail: 1, Warn: 1, Skip: 2, Blocked: 2, Waived: 1}); r.Summary != want {
		t.Errorf("summary is %+v, want %+v", r.Summary, want)
	}
}

func TestLastLine(t *testing.T) {
	t.Parallel()
	unauthorized := unreachable()
	unauthorized.Verdict = Unauthorized
	waived := allPassed()
	waived.Results = append(waived.Results, everyOutcome().Results[7])
	for _, row := range []struct {
		run     *Run
		reports []string
		want    string
	}{
		{allPassed(), []string{"r.md"}, "CONFORMANCE-PASS passed=1 failed=0 warned=0 skipped=0 blocked=0 report=r.md"},
		{waived, nil, "CONFORMANCE-PASS passed=1 failed=0 warned=0 skipped=0 blocked=0 waived=1 report=none"},
		{everyOutcome(), []string{"a b.md", "c\nd"}, `CONFORMANCE-FAIL passed=1 failed=1 warned=1 skipped=2 blocked=2 waived=1 policy=1 report="a b.md,c\nd"`},
		{unreachable(), []string{"-"}, "CONFORMANCE-UNREACHABLE passed=0 failed=0 warned=0 skipped=8 blocked=0 report=-"},
		{unauthorized, []string{"-"}, "CONFORMANCE-UNAUTHORIZED passed=0 failed=0 warned=0 skipped=8 blocked=0 report=-"},
		{interrupted(), []string{"-"}, "CONFORMANCE-INCOMPLETE passed=1 failed=0 warned=0 skipped=7 blocked=0 partial=yes report=-"},
		{diagnostic(), []string{"-"}, "CONFORMANCE-PASS passed=1 failed=0 warned=0 skipped=0 blocked=0 diagnostic=pty-dialect:compact report=-"},
		{empty(), []string{"-"}, "CONFORMANCE-INCOMPLETE passed=0 failed=0 warned=0 skipped=0 blocked=0 report=-"},
	} {
		if got := LastLine(row.run, row.reports); got != row.want {
			t.Errorf("last line is\n%s, want\n%s", got, row.want)
		}
	}
}

func TestOneLineIsOneVisibleLine(t *testing.T) {
	t.Parallel()
	for name, sample := range samples {
		if line := OneLine(sample()); line != show.Visible(line) || strings.ContainsAny(line, "\n\t") {
			t.Errorf("%s: %q", name, line)
		}
	}
}
