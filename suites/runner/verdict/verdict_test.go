// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"slices"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// TestARunThatMeasuredLittleIsPartial: of a surface, at least half of what applies has to be measured.
func TestARunThatMeasuredLittleIsPartial(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		outcomes map[string]int // by outcome, or by the reason of a skip
		want     string
	}{
		"half of it":                           {map[string]int{"pass": 2, "no-session": 2}, ""},
		"less than half":                       {map[string]int{"pass": 1, "warn": 1, "no-session": 3}, "less than half was measured on pty-ws, 2 of 5"},
		"broken is measured":                   {map[string]int{"fail": 2, "no-session": 2}, ""},
		"blocked is not":                       {map[string]int{"pass": 1, "blocked": 2}, "less than half was measured on pty-ws, 1 of 3"},
		"what the target does not claim":       {map[string]int{"pass": 1, "claim:tenant": 9, "when-present:ttl": 9}, ""},
		"nothing, of which another check says": {map[string]int{"no-session": 9}, ""},
		"nothing that applies":                 {map[string]int{"claim:tenant": 9}, ""},
	} {
		var results []report.Result
		for kind, n := range row.outcomes {
			for range n {
				r := report.Result{Surface: "pty-ws", Outcome: report.Outcome(kind)}
				if !slices.Contains([]report.Outcome{report.Pass, report.Fail, report.Warn, report.Blocked}, r.Outcome) {
					r.Outcome, r.Reason = report.Skip, &report.Reason{Code: kind}
				}
				results = append(results, r)
			}
		}
		if got := thinSurfaces(results); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
