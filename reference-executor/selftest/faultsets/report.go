// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Report is what sets of faults established. Its zero value but for First is a report of none.
type Report struct {
	First       uint64        `json:"first"` // seed
	Sets        int           `json:"sets"`
	Smallest    int           `json:"smallest"` // set
	Largest     int           `json:"largest"`  // set
	Faults      int           `json:"faults"`   // different ones
	Tally       Tally         `json:"tally"`
	Roots       Roots         `json:"roots"`
	Unexplained []Unexplained `json:"unexplained"`

	drawn map[string]bool
}

// An Unexplained is a violation, and how it is seen again.
type Unexplained struct {
	Seed       uint64 `json:"seed"`
	Deployment string `json:"deployment"`
	Violation
	Faults []string `json:"faults"` // of the set, as few as still make it
}

// Add adds what one set established.
func (r *Report) Add(seed uint64, set []string, tally Tally, roots Roots, found []Unexplained) {
	if r.drawn == nil {
		r.drawn = map[string]bool{}
	}
	for _, name := range set {
		r.drawn[name] = true
	}
	if r.Sets == 0 || len(set) < r.Smallest {
		r.Smallest = len(set)
	}
	r.Sets++
	r.Largest, r.Faults = max(r.Largest, len(set)), len(r.drawn)
	r.Tally.Add(tally)
	r.Roots.Add(roots)
	r.Unexplained = append(r.Unexplained, found...)
}

// Sorted are the unexplained results by test and seed.
func (r *Report) Sorted() []Unexplained {
	slices.SortFunc(r.Unexplained, func(a, b Unexplained) int {
		return cmp.Or(strings.Compare(a.Test, b.Test), cmp.Compare(a.Seed, b.Seed))
	})
	return r.Unexplained
}

// Sentence is the part of the closing sentence about sets.
func (r *Report) Sentence() string {
	return fmt.Sprintf("%d sets of %d to %d faults at once (%d different ones): %d tests failed as they had to, %d blocked by a failing requirement, %d masked, %d unexplained; reports lead with %d roots that are there and %d that are not, which cover %d of %d results, %d of them wrongly",
		r.Sets, r.Smallest, r.Largest, r.Faults, r.Tally.Failed, r.Tally.Blocked, r.Tally.Masked, len(r.Unexplained), r.Roots.Named, r.Roots.Wrong, r.Roots.Covered+r.Roots.Strange, r.Roots.Open, r.Roots.Strange)
}

// Markdown writes the section of the kill matrix about sets.
func (r *Report) Markdown(w io.Writer, profile string) {
	fmt.Fprintf(w, "## Many faults at once\n\n")
	fmt.Fprintf(w, "| | |\n|---|---|\n")
	for _, row := range []struct {
		what  string
		count int
	}{
		{"sets played", r.Sets},
		{"faults in the smallest set", r.Smallest},
		{"faults in the largest set", r.Largest},
		{"different faults", r.Faults},
		{"tests that failed as they had to", r.Tally.Failed},
		{"tests that a fault changes beside its own", r.Tally.Beside},
		{"tests blocked by a failing requirement", r.Tally.Blocked},
		{"tests that do not see their fault as another hides it", r.Tally.Masked},
		{"tests that no fault was to change, and none did", r.Tally.Kept},
		{"tests that failed, warned or were blocked, whatever the reason", r.Roots.Open},
		{"of them under a root that is there", r.Roots.Covered},
		{"of them under a root that does not explain them", r.Roots.Strange},
		{"roots that reports lead with and that are there", r.Roots.Named},
		{"roots that reports lead with and that are not there", r.Roots.Wrong},
		{"roots that are there and that reports do not name, as fewer than two results are theirs alone", r.Roots.Unnamed},
		{"unexplained results", len(r.Unexplained)},
	} {
		fmt.Fprintf(w, "| %s | %d |\n", row.what, row.count)
	}
	fmt.Fprintf(w, "\nAgain: `agentic-sandbox-conformance self-test --profile %s --many %d --seed %d`.\n\n", profile, r.Sets, r.First)
}
