// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"slices"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

func TestRulingsOfWhatIsBroken(t *testing.T) {
	t.Parallel()
	all := []report.Ruling{
		{ID: "R-1"}, {ID: "R-2"}, {ID: "R-3"}, {ID: "R-4"},
	}
	run := &report.Run{Results: []report.Result{
		{ID: "A-1", Outcome: report.Fail, Findings: []report.Finding{{Severity: report.Fail}, {Severity: report.Warn, Ruling: "R-1"}}},
		{ID: "A-2", Outcome: report.Pass, Findings: []report.Finding{{Severity: report.Pass, Ruling: "R-2"}}},
		{ID: "A-3", Outcome: report.Warn, Findings: []report.Finding{{Severity: report.Warn, Ruling: "R-3"}}},
	}}
	report.KeepRulings(run, all)
	ids := func(of []report.Ruling) (all []string) {
		for _, r := range of {
			all = append(all, r.ID)
		}
		return all
	}
	for _, row := range []struct {
		what string
		got  []report.Ruling
		want []string
	}{
		{"of the run", run.Rulings, []string{"R-1", "R-3"}},
		{"beside another finding", report.RulingsOn(run, &run.Results[0]), []string{"R-1"}},
		{"that a finding names", report.RulingsOn(run, &run.Results[2]), []string{"R-3"}},
	} {
		if got := ids(row.got); !slices.Equal(got, row.want) {
			t.Errorf("the rulings %s are %v, want %v", row.what, got, row.want)
		}
	}
}
