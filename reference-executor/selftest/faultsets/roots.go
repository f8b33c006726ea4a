// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A Led is a root that the report of a set leads with.
type Led struct {
	Root   string
	Faults []string // that show it, as the suites say
	Tests  []string // that stand under it
}

// Roots counts what reports on sets of faults lead with.
type Roots struct {
	Named   int `json:"named"`   // roots that a report leads with, and a fault of theirs is on
	Wrong   int `json:"wrong"`   // roots that a report leads with, and none is
	Unnamed int `json:"unnamed"` // roots of which a fault is on, and the report does not lead with them
	Open    int `json:"open"`    // tests that failed, warned or were blocked
	Covered int `json:"covered"` // of them: stand under a root which a fault that is on explains
	Strange int `json:"strange"` // of them: stand under a root, and no fault of it is said to change them
}

// Add adds the counts of another set.
func (r *Roots) Add(more Roots) {
	r.Named += more.Named
	r.Wrong += more.Wrong
	r.Unnamed += more.Unnamed
	r.Open += more.Open
	r.Covered += more.Covered
	r.Strange += more.Strange
}

// JudgeRoots holds the roots that the report of a set leads with to the faults of the set: a fault of each root is on, and is
// said to change each test that stands under it. All are the roots of the suites with their faults.
func JudgeRoots(set []Fault, all map[string][]string, led []Led, results []Played) (Roots, []Violation) {
	var counts Roots
	var violations []Violation
	on := func(faults []string) []Fault {
		var some []Fault
		for _, f := range set {
			if slices.Contains(faults, f.Name) {
				some = append(some, f)
			}
		}
		return some
	}
	named := map[string]bool{}
	for _, l := range led {
		named[l.Root] = true
		faults := on(l.Faults)
		if len(faults) == 0 {
			counts.Wrong++
			counts.Strange += len(l.Tests)
			violations = append(violations, Violation{Kind: Misnamed, Test: "root-" + l.Root, Says: among(l.Tests)})
			continue
		}
		counts.Named++
		for _, id := range l.Tests {
			if slices.ContainsFunc(faults, func(f Fault) bool { return f.changes(id) }) {
				counts.Covered++
				continue
			}
			counts.Strange++
			violations = append(violations, Violation{Kind: Misplaced, Test: id, Says: "root-" + l.Root})
		}
	}
	for name, faults := range all {
		if !named[name] && len(on(faults)) > 0 {
			counts.Unnamed++
		}
	}
	for _, r := range results {
		if r.Is == report.Fail || r.Is == report.Warn || r.Is == report.Blocked {
			counts.Open++
		}
	}
	for i := range violations {
		if at := slices.IndexFunc(results, func(r Played) bool { return r.ID == violations[i].Test }); at >= 0 {
			violations[i].Outcome = results[at].Is
			violations[i].Says += ": " + results[at].Says
		}
	}
	return counts, violations
}

// changes says whether a fault is said to change a test.
func (f *Fault) changes(id string) bool {
	return slices.ContainsFunc(f.Tests, func(t Test) bool { return t.ID == id })
}

// among names a few tests.
func among(ids []string) string {
	const most = 6
	text := ""
	for i, id := range ids {
		switch {
		case i == most:
			return text + ", ..."
		case i > 0:
			text += ", "
		}
		text += id
	}
	return text
}
