// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"regexp"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// shownBy are what a failure or a warning shows: the outcomes by what a fault is said to show.
var shownBy = map[report.Outcome]string{report.Fail: suites.Failure, report.Warn: suites.Warning}

// lookAlike leaves to a result that is broken those faults that look the same: a finding that decided the outcome says what the suite
// says of the fault. One requirement can be broken in opposite ways, too early and too late, and only one of them was seen. It leaves
// none where what was seen is none of them.
func lookAlike(t *suites.Test, result *report.Result) {
	shows := shownBy[result.Outcome]
	if shows == "" {
		return
	}
	var alike []string
	for _, b := range t.BrokenBy {
		says, err := regexp.Compile(b.Says)
		if err != nil || t.Shows(b) != shows {
			continue
		}
		if slices.ContainsFunc(result.Findings, func(f report.Finding) bool { return f.Severity == result.Outcome && says.MatchString(f.Sentence()) }) {
			alike = append(alike, b.Fault)
		}
	}
	result.Faults = alike
}
