// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A Late is what a run says of the failures of which nothing is known but that something which was waited for did not come before the
// time was up. A target that does not do it at all looks like that, and so does one that is slow, or shares a busy machine. They
// are failures like others; what else is broken is to be mended first. It is always computed from the results.
type Late struct {
	Tests []string `json:"tests"` // ids, in suite order
	All   bool     `json:"all"`   // the run has no other failures
	Says  string   `json:"says"`  // how many there are, and how to find out which kind they are
}

// lateNamed is how many ids stand in the sentences of a Late.
const lateNamed = 20

// onlyLate is said of a run whose failures are all of them late, behind its verdict.
const onlyLate = "; all that is known is that something did not come in time"

// Late says whether the result is a failure of which nothing is known but that something did not come in time. A route that never
// answers anybody is more than that: it is a cause.
func (r *Result) Late() bool {
	if r.Outcome != Fail || r.Waived() || strings.HasPrefix(r.Cause, CauseSilentRoute+"-") {
		return false
	}
	late := false
	for i := range r.Findings {
		if r.Findings[i].Severity == Fail {
			if !r.Findings[i].Late {
				return false
			}
			late = true
		}
	}
	return late
}

// Alone are the failures that share their cause with nothing, in suite order, those behind the others that are [Result.Late].
func (r *Run) Alone() []*Result {
	var alone []*Result
	for i := range r.Results {
		if one := &r.Results[i]; one.Outcome == Fail && !one.Waived() && one.Cause == "" {
			alone = append(alone, one)
		}
	}
	LateLast(alone)
	return alone
}

// LateLast puts the results that are [Result.Late] behind the others.
func LateLast(results []*Result) {
	slices.SortStableFunc(results, func(a, b *Result) int { return ahead(!a.Late(), !b.Late()) })
}

// ahead orders what is so before what is not.
func ahead(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// findLate computes what the run says of failures that are late, and says it behind the verdict where there are no others.
func (r *Run) findLate() {
	r.Late = nil
	r.Because = strings.TrimSuffix(r.Because, onlyLate)
	var late Late
	for i := range r.Results {
		if r.Results[i].Late() {
			late.Tests = append(late.Tests, r.Results[i].ID)
		}
	}
	n := len(late.Tests)
	if n == 0 {
		return
	}
	late.All = n == r.Summary.Fail
	late.Says = fmt.Sprintf("%s that something did not come in time (%s). A target that is slow, or a machine that is busy, fails in the same way: "+
		"run %s again alone (--run %s --jobs 1), or give every wait more time (--time-factor 3); what fails then as well is to be mended",
		lateCount(n, late.All), show.FirstOf(late.Tests, lateNamed), map[bool]string{true: "it", false: "them"}[n == 1], strings.Join(late.Tests[:min(n, lateNamed)], ","))
	r.Late = &late
	if late.All && r.Verdict == Failed {
		r.Because = strings.TrimSuffix(r.Because, ".") + onlyLate
	}
}

// lateCount is how many failures are late, up to what is said of them: "3 failures are only", "All 3 failures are only", "The only failure is".
func lateCount(n int, all bool) string {
	switch {
	case all && n == 1:
		return "The only failure is"
	case all && n == 2:
		return "Both failures are only"
	case all:
		return fmt.Sprintf("All %d failures are only", n)
	}
	return show.Plural(n, "failure is only", "failures are only")
}
