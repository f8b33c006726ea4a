// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/explain"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
)

// A faultUse is what the tests of a profile make of one fault.
type faultUse struct {
	tests []string // that name it, in suite order
	marks []string // what keeps it from failing a plain run: "noted", "warned", or what it needs to show
}

// listFaultsOf prints every fault with the tests of the profile that name it, and what is particular about it.
func listFaultsOf(w io.Writer, profile *suites.Profile, faults []string) error {
	uses := faultsOf(profile)
	for _, fault := range faults {
		line := fault + "\t" + strings.Join(uses[fault].tests, ",")
		if marks := uses[fault].marks; len(marks) > 0 {
			line += "\t" + strings.Join(marks, ",")
		}
		fmt.Fprintln(w, line)
	}
	return nil
}

// faultsOf is which tests each fault breaks. The test on which it shows most, and with the least effort, decides its marks.
func faultsOf(profile *suites.Profile) map[string]faultUse {
	type showing struct {
		rank  int
		marks []string
	}
	uses, best := map[string]faultUse{}, map[string]showing{}
	for _, t := range profile.Tests() {
		for _, b := range t.BrokenBy {
			use, seen := uses[b.Fault]
			if slices.Contains(use.tests, t.ID) {
				continue
			}
			use.tests = append(use.tests, t.ID)
			uses[b.Fault] = use
			one := showing{rank: explain.Weakness(t, b), marks: conditionsOf(t)}
			if was := best[b.Fault]; !seen || cmp.Or(cmp.Compare(one.rank, was.rank), cmp.Compare(len(one.marks), len(was.marks))) < 0 {
				best[b.Fault] = one
			}
		}
	}
	for fault, use := range uses {
		if weaker := []string{"", "warned", "noted"}[best[fault].rank]; weaker != "" {
			use.marks = append(use.marks, weaker)
		}
		use.marks = append(use.marks, best[fault].marks...)
		uses[fault] = use
	}
	return uses
}

// conditionsOf is what a run needs, beside the two ordinary tokens, for a test to be judged.
func conditionsOf(t *suites.Test) []string {
	var all []string
	for _, need := range needs.Of(t) {
		if need != "token:admin" {
			all = append(all, need)
		}
	}
	if t.Applies.NoAuth {
		all = append(all, "no-auth")
	}
	if t.Applies.Production {
		all = append(all, "production")
	}
	if t.Slow > defaultMaxWait {
		all = append(all, "slow:"+t.Slow.String())
	}
	return all
}
