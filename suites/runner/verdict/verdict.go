// SPDX-License-Identifier: Apache-2.0

// Package verdict gathers what a run comes to, once its tests have been played: what the verdict depends on besides the results, which
// package report decides; what became of the claims of the card, and what several failures may have in common.
package verdict

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// Conclude has the report give its verdict, by all that is known of how the run went. hooks says which hooks have failed, and dialect
// what a dialect of terminals has kept from being judged; empty: none was met.
func Conclude(ctx context.Context, a *target.Agent, out *report.Run, hooks []string, dialect string) {
	out.Count()
	end := report.Ending{Unasked: a.Facts.Unasked, Cut: cutShort(ctx, out), Broken: dialect, Hooks: hooks, About: a.Facts.Foreign}
	if end.Cut != "" {
		out.Partial = append(out.Partial, end.Cut)
	}
	if end.Unasked.Verdict == "" {
		end.Unmeasured = partly(a, out, end.Cut != "")
	}
	if a.Profile.Plain() && a.Card == nil && a.Facts.CardFinding != nil {
		end.First = append(end.First, a.Facts.CardFinding.Problem)
	}
	if a.Facts.Older != "" {
		end.First = append(end.First, a.Facts.Older)
	}
	out.Conclude(end)
}

// partly says in the report what makes it a partial one, and returns the surfaces on which nothing was measured that should have been.
func partly(a *target.Agent, out *report.Run, cut bool) []string {
	unmeasured, closed := unmeasuredSurfaces(out.Results)
	if a.LeavesGRPC() {
		out.Partial = append(out.Partial, "GRPC is declared, which this build does not drive")
		if len(a.Endpoints) > 0 { // what is judged over another binding; a build is for the operator to choose
			unmeasured = slices.DeleteFunc(unmeasured, func(surface string) bool { return surface == "a2a-grpc" })
		}
	}
	for _, surface := range closed {
		out.Partial = append(out.Partial, "no token for "+surface)
	}
	if !cut { // what was left out is said already
		if thin := thinSurfaces(out.Results); thin != "" {
			out.Partial = append(out.Partial, thin)
		}
	}
	return unmeasured
}

// cutShort says why the run ended early; "" when it did not.
func cutShort(ctx context.Context, out *report.Run) string {
	code := ""
	for i := range out.Results {
		if reason := out.Results[i].Reason; reason != nil && EndsRun(reason.Code) {
			code = reason.Code
			break
		}
	}
	if reason := target.Ended(ctx); reason != nil && code == "" && out.Summary.Skip+out.Summary.Blocked == len(out.Results) {
		code = reason.Code
	}
	return code
}

// notForThisTarget are the reasons to skip a test that say that it does not apply, rather than that it could not be
// measured. A surface that is skipped for such reasons alone, like that of an extension which the card does not declare,
// leaves no gap.
var notForThisTarget = []string{"claim:", "declared:", "auth-enabled", "auth-disabled", "production", "reserved-", "when-present:", "pty-dialect"}

// unmeasuredSurfaces are those on which nothing was measured, though something applies. Those for which the operator gave
// no token at all are told apart: to leave a surface out is for the operator to decide, but the run is then a partial one.
func unmeasuredSurfaces(results []report.Result) (missing, closed []string) {
	measured, applies, open, locked := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range results {
		result := &results[i]
		switch result.Outcome {
		case report.Pass, report.Fail, report.Warn:
			measured[result.Surface] = true
		}
		if result.Reason == nil || !slices.ContainsFunc(notForThisTarget, func(prefix string) bool { return strings.HasPrefix(result.Reason.Code, prefix) }) {
			applies[result.Surface] = true
		}
		switch {
		case result.Reason != nil && strings.HasPrefix(result.Reason.Code, "no-token:"):
			locked[result.Surface] = true
		case result.Reason == nil || !strings.HasPrefix(result.Reason.Code, "no-"): // the others lack more than a token
			open[result.Surface] = true
		}
	}
	for i := range results {
		surface := results[i].Surface
		if !applies[surface] || measured[surface] || slices.Contains(missing, surface) || slices.Contains(closed, surface) {
			continue
		}
		if locked[surface] && !open[surface] {
			closed = append(closed, surface)
		} else {
			missing = append(missing, surface)
		}
	}
	return missing, closed
}

// leastShare is how much of what applies on a surface has to be measured, in percent, for a run to be more than partial.
const leastShare = 50

// thinSurfaces says on which surfaces less than leastShare was measured of what applies: "less than half was measured on pty-ws, 2
// of 130"; empty where there are none. Where nothing was, unmeasuredSurfaces says so.
func thinSurfaces(results []report.Result) string {
	var order, thin []string
	measured, applies := map[string]int{}, map[string]int{}
	for i := range results {
		r := &results[i]
		switch {
		case r.Outcome == report.Pass || r.Outcome == report.Fail || r.Outcome == report.Warn:
			measured[r.Surface]++
		case r.Reason != nil && report.NotForThisTarget(r.Reason.Code):
			continue
		}
		if applies[r.Surface] == 0 {
			order = append(order, r.Surface)
		}
		applies[r.Surface]++
	}
	for _, surface := range order {
		if m, all := measured[surface], applies[surface]; m > 0 && 100*m < leastShare*all {
			thin = append(thin, fmt.Sprintf("%s, %d of %d", surface, m, all))
		}
	}
	switch more := len(thin) - 3; {
	case len(thin) == 0:
		return ""
	case more > 0:
		thin = append(thin[:3], show.Plural(more, "more surface", "more surfaces"))
	}
	return "less than half was measured on " + strings.Join(thin, "; ")
}

// EndsRun says whether a reason is about the run, not about the test.
func EndsRun(code string) bool {
	return code == "interrupted" || code == "time-is-up" || code == "fail-fast"
}
