// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// conclude gives the verdict, with the sentence that says why.
func (r *run) conclude(ctx context.Context, out *report.Run, tests []*suites.Test) {
	out.Count()
	cut := r.cutShort(ctx, out)
	if cut != "" {
		out.Partial = append(out.Partial, cut)
	}
	if out.Verdict != "" {
		return // unreachable, unauthorized: the preflight has said it
	}
	blocked := 0
	for i := range out.Results {
		if out.Results[i].Outcome == report.Blocked && strings.HasPrefix(out.Results[i].Level, "MUST") {
			blocked++
		}
	}
	unmeasured := unmeasuredSurfaces(out.Results)
	s := out.Summary
	switch {
	case s.Fail > 0:
		out.Verdict, out.Because = report.Failed, counted(s.Fail, "requirement is broken", "requirements are broken")
	case cut != "":
		out.Verdict, out.Because = report.Incomplete, "the run ended before everything was measured: "+cut
	case len(out.Results) == 0:
		out.Verdict, out.Because = report.Incomplete, "no test was selected"
	case blocked > 0:
		out.Verdict, out.Because = report.Incomplete, counted(blocked, "requirement applies but could not be exercised", "requirements apply but could not be exercised")
	case len(unmeasured) > 0:
		out.Verdict, out.Because = report.Incomplete, "nothing was measured on "+strings.Join(unmeasured, ", ")
	case s.Pass+s.Warn == 0:
		out.Verdict, out.Because = report.Incomplete, "nothing was measured"
	default:
		out.Verdict = report.Passed
		out.Because = "every MUST that was measured holds: " + counted(s.Pass, "test passed", "tests passed")
		if s.Warn > 0 {
			out.Because += ", " + counted(s.Warn, "with a warning", "with warnings")
		}
		if s.Skip > 0 {
			out.Because += ", " + counted(s.Skip, "skipped", "skipped")
		}
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// cutShort says why the run ended early; "" when it did not.
func (r *run) cutShort(ctx context.Context, out *report.Run) string {
	code := ""
	for i := range out.Results {
		if reason := out.Results[i].Reason; reason != nil && endsRun(reason.Code) {
			code = reason.Code
			break
		}
	}
	if reason := ended(ctx); reason != nil && code == "" && out.Summary.Skip+out.Summary.Blocked == len(out.Results) {
		code = reason.Code
	}
	return code
}

// notForThisTarget are the reasons to skip a test that say that it does not apply, rather than that it could not be
// measured. A surface that is skipped for such reasons alone, like that of an extension which the card does not declare,
// leaves no gap.
var notForThisTarget = []string{"claim:", "auth-enabled", "auth-disabled", "production", "reserved-", "when-present:"}

// unmeasuredSurfaces are those on which nothing was measured, though something applies.
func unmeasuredSurfaces(results []report.Result) []string {
	measured, applies := map[string]bool{}, map[string]bool{}
	for i := range results {
		result := &results[i]
		switch result.Outcome {
		case report.Pass, report.Fail, report.Warn:
			measured[result.Surface] = true
		}
		if result.Reason == nil || !slices.ContainsFunc(notForThisTarget, func(prefix string) bool { return strings.HasPrefix(result.Reason.Code, prefix) }) {
			applies[result.Surface] = true
		}
	}
	var missing []string
	for i := range results {
		surface := results[i].Surface
		if applies[surface] && !measured[surface] && !slices.Contains(missing, surface) {
			missing = append(missing, surface)
		}
	}
	return missing
}
