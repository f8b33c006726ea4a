// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

func TestSettleNeverMakesAPassOfAnything(t *testing.T) {
	t.Parallel()
	pass, fail, skip := report.Result{ID: "A-1", Outcome: report.Pass}, report.Result{ID: "A-2", Outcome: report.Fail}, report.Result{ID: "A-3", Outcome: report.Skip}
	waived := report.Result{ID: "A-4", Outcome: report.Fail, Waiver: &report.Waiver{Reason: "known"}}
	for name, row := range map[string]struct {
		run  report.Run
		want report.Verdict
	}{
		"a pass":                                 {report.Run{Verdict: report.Passed, Results: []report.Result{pass, skip}}, report.Passed},
		"a pass with a waived failure":           {report.Run{Verdict: report.Passed, Results: []report.Result{pass, waived}}, report.Passed},
		"a pass with a failure":                  {report.Run{Verdict: report.Passed, Results: []report.Result{pass, fail}}, report.Failed},
		"a pass without results":                 {report.Run{Verdict: report.Passed}, report.Incomplete},
		"a pass of skips":                        {report.Run{Verdict: report.Passed, Results: []report.Result{skip}}, report.Incomplete},
		"a pass of nothing but unknown outcomes": {report.Run{Verdict: report.Passed, Results: []report.Result{{Outcome: "PASS"}, {}}}, report.Incomplete},
		"a pass against the policy":              {report.Run{Verdict: report.Passed, Results: []report.Result{pass}, Policy: []string{"stale"}}, report.Incomplete},
		"no verdict":                             {report.Run{Results: []report.Result{pass}}, report.Incomplete},
		"a verdict of its own":                   {report.Run{Verdict: "great", Results: []report.Result{pass}}, report.Incomplete},
		"unreachable":                            {report.Run{Verdict: report.Unreachable, Results: []report.Result{skip}}, report.Unreachable},
		"unreachable after a pass":               {report.Run{Verdict: report.Unreachable, Results: []report.Result{pass}}, report.Incomplete},
		"unauthorized after a failure":           {report.Run{Verdict: report.Unauthorized, Results: []report.Result{fail}}, report.Failed},
		"interrupted after a failure":            {report.Run{Verdict: report.Incomplete, Results: []report.Result{fail}}, report.Incomplete},
		"a failure":                              {report.Run{Verdict: report.Failed, Results: []report.Result{pass}}, report.Failed},
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
	r := reporttest.EveryOutcome()
	r.Summary = report.Summary{Pass: 99}
	r.Count()
	if want := (report.Summary{Pass: 1, Fail: 1, Warn: 1, Skip: 2, Blocked: 2, Waived: 1}); r.Summary != want {
		t.Errorf("summary is %+v, want %+v", r.Summary, want)
	}
}

func TestLastLine(t *testing.T) {
	t.Parallel()
	unauthorized := reporttest.Unreachable()
	unauthorized.Verdict = report.Unauthorized
	waived := reporttest.AllPassed()
	waived.Results = append(waived.Results, reporttest.EveryOutcome().Results[7])
	for _, row := range []struct {
		run     *report.Run
		reports []string
		want    string
	}{
		{reporttest.AllPassed(), []string{"r.md"}, "CONFORMANCE-PASS passed=1 failed=0 warned=0 skipped=0 blocked=0 measured=1/1 report=r.md"},
		{waived, nil, "CONFORMANCE-PASS passed=1 failed=0 warned=0 skipped=0 blocked=0 measured=2/2 waived=1 report=none"},
		{reporttest.EveryOutcome(), []string{"a b.md", "c\nd"}, `CONFORMANCE-FAIL passed=1 failed=1 warned=1 skipped=2 blocked=2 measured=4/8 waived=1 policy=1 report="a b.md,c\nd"`},
		{reporttest.Unreachable(), []string{"-"}, "CONFORMANCE-UNREACHABLE passed=0 failed=0 warned=0 skipped=8 blocked=0 measured=0/8 report=-"},
		{unauthorized, []string{"-"}, "CONFORMANCE-UNAUTHORIZED passed=0 failed=0 warned=0 skipped=8 blocked=0 measured=0/8 report=-"},
		{reporttest.Interrupted(), []string{"-"}, "CONFORMANCE-INCOMPLETE passed=1 failed=0 warned=0 skipped=7 blocked=0 measured=1/8 partial=yes report=-"},
		{reporttest.Diagnostic(), []string{"-"}, "CONFORMANCE-PASS passed=1 failed=0 warned=0 skipped=0 blocked=0 measured=1/1 diagnostic=pty-dialect:compact report=-"},
		{reporttest.Empty(), []string{"-"}, "CONFORMANCE-INCOMPLETE passed=0 failed=0 warned=0 skipped=0 blocked=0 report=-"},
	} {
		if got := report.LastLine(row.run, row.reports); got != row.want {
			t.Errorf("last line is\n%s, want\n%s", got, row.want)
		}
	}
}

func TestOneLineIsOneVisibleLine(t *testing.T) {
	t.Parallel()
	for name, sample := range reporttest.Samples {
		if line := report.OneLine(sample()); line != show.Visible(line) || strings.ContainsAny(line, "\n\t") {
			t.Errorf("%s: %q", name, line)
		}
	}
}

// TestVerdictsOfTheProgram: a mistake of the program, and a part that passed, are no pass; what is worse stays what it is.
func TestVerdictsOfTheProgram(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		was  report.Verdict
		do   func(r *report.Run)
		want report.Verdict
	}{
		{"a mistake after a pass", report.Passed, func(r *report.Run) { r.Distrust(errors.New("x")) }, report.Incomplete},
		{"a mistake after a failure", report.Failed, func(r *report.Run) { r.Distrust(errors.New("x")) }, report.Incomplete},
		{"a mistake without a verdict", "", func(r *report.Run) { r.Distrust(errors.New("x")) }, report.Incomplete},
		{"a part that passed", report.Passed, func(r *report.Run) { r.Part("one of two") }, report.Incomplete},
		{"a part that failed", report.Failed, func(r *report.Run) { r.Part("one of two") }, report.Failed},
		{"a part that was not reached", report.Unreachable, func(r *report.Run) { r.Part("one of two") }, report.Unreachable},
	} {
		run := &report.Run{Verdict: row.was}
		if row.do(run); run.Verdict != row.want {
			t.Errorf("%s is %s, want %s", row.name, run.Verdict, row.want)
		}
	}
}
