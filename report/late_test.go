// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

func lateFinding(late bool, severity report.Outcome) report.Finding {
	return report.Finding{At: "a.yaml:1:1", Subject: "status", Observed: "is missing", Problem: "status is missing", Severity: severity, Late: late}
}

func TestLateIsAFailureOfWhichNothingElseIsKnown(t *testing.T) {
	t.Parallel()
	late, other, warned := lateFinding(true, report.Fail), lateFinding(false, report.Fail), lateFinding(false, report.Warn)
	for name, row := range map[string]struct {
		result report.Result
		want   bool
	}{
		"it did not come":                       {report.Result{Outcome: report.Fail, Findings: []report.Finding{late}}, true},
		"two did not come":                      {report.Result{Outcome: report.Fail, Findings: []report.Finding{late, late}}, true},
		"something else is wrong as well":       {report.Result{Outcome: report.Fail, Findings: []report.Finding{late, other}}, false},
		"something else is worth a warning":     {report.Result{Outcome: report.Fail, Findings: []report.Finding{warned, late}}, true},
		"it came, and was wrong":                {report.Result{Outcome: report.Fail, Findings: []report.Finding{other}}, false},
		"nothing was found":                     {report.Result{Outcome: report.Fail}, false},
		"a warning":                             {report.Result{Outcome: report.Warn, Findings: []report.Finding{lateFinding(true, report.Warn)}}, false},
		"what is waived is known":               {report.Result{Outcome: report.Fail, Waiver: &report.Waiver{}, Findings: []report.Finding{late}}, false},
		"a route that never answers anybody":    {report.Result{Outcome: report.Fail, Cause: "silent-route-0a0b0c0d", Findings: []report.Finding{late}}, false},
		"another cause, with which it is alike": {report.Result{Outcome: report.Fail, Cause: "finding-0a0b0c0d", Findings: []report.Finding{late}}, true},
	} {
		if got := row.result.Late(); got != row.want {
			t.Errorf("%s: late is %v", name, got)
		}
	}
}

// What did not come in time comes last, whatever it breaks: among the causes, and among the failures that have none in common.
func TestLateComesLast(t *testing.T) {
	t.Parallel()
	run := reporttest.OnlyLate()
	for _, id := range []string{"ADM-001", "ADM-002", "ADM-003"} {
		one := report.Result{ID: id, Outcome: report.Fail, Findings: []report.Finding{lateFinding(false, report.Fail)}}
		if one.Findings[0].Route = "GET /admin"; id == "ADM-003" {
			one.Findings[0].Observed, one.Findings[0].Problem = "is 500", "status is 500"
		}
		run.Results = append(run.Results, one)
	}
	run.Settle()
	var causes, alone []string
	for _, c := range run.SharedCauses(report.Fail) {
		causes = append(causes, strings.Join(c.Tests, " "))
	}
	for _, one := range run.Alone() {
		alone = append(alone, one.ID)
	}
	if !slices.Equal(causes, []string{"ADM-001 ADM-002", "PTX-021 PTX-027"}) || !slices.Equal(alone, []string{"ADM-003", "TASK-020"}) {
		t.Errorf("the causes are those of %q, and alone are %q", causes, alone)
	}
	if run.Late == nil || run.Late.All || !strings.HasPrefix(run.Late.Says, "3 failures are only that something did not come in time (PTX-021, PTX-027, TASK-020)") ||
		!strings.Contains(run.Late.Says, "--run PTX-021,PTX-027,TASK-020 --jobs 1") || run.Because != "3 requirements are broken" {
		t.Errorf("%+v, %q", run.Late, run.Because)
	}
}

// The verdict says that nothing else is known, once, as long as that is so.
func TestLateInTheVerdict(t *testing.T) {
	t.Parallel()
	const says = "3 requirements are broken; all that is known is that something did not come in time"
	run := reporttest.OnlyLate()
	for range 2 {
		if run.Settle(); run.Because != says || !run.Late.All || !strings.HasPrefix(run.Late.Says, "All 3 failures are only that") {
			t.Errorf("%q, %+v", run.Because, run.Late)
		}
	}
	run.Results = append(run.Results, report.Result{ID: "ADM-003", Outcome: report.Fail, Findings: []report.Finding{lateFinding(false, report.Fail)}})
	if run.Settle(); run.Because != "3 requirements are broken" || run.Late.All {
		t.Errorf("with one that is known: %q, %+v", run.Because, run.Late)
	}
	for i := range run.Results {
		run.Results[i].Findings = nil
	}
	if run.Settle(); run.Late != nil {
		t.Errorf("with none that is late: %+v", run.Late)
	}
}
