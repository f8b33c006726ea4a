// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"bytes"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	t.Parallel()
	r := Report{First: 7}
	r.Add(7, []string{"f", "g"}, Tally{Failed: 2, Kept: 5}, Roots{Named: 2, Unnamed: 1, Open: 9, Covered: 5}, nil)
	r.Add(8, []string{"g", "h", "i"}, Tally{Failed: 2, Blocked: 1, Masked: 3}, Roots{Named: 1, Wrong: 1, Open: 4, Covered: 2, Strange: 1}, []Unexplained{
		{Seed: 8, Violation: Violation{Kind: Unseen, Test: "B-1", Fault: "g", Outcome: "pass"}},
		{Seed: 8, Violation: Violation{Kind: Uncaused, Test: "A-1", Outcome: "fail"}},
	})
	want := "2 sets of 2 to 3 faults at once (4 different ones): 4 tests failed as they had to, 1 blocked by a failing requirement, 3 masked, 2 unexplained; reports lead with 3 roots that are there and 1 that are not, which cover 8 of 13 results, 1 of them wrongly"
	if got := r.Sentence(); got != want {
		t.Errorf("the sentence is %q, want %q", got, want)
	}
	if first := r.Sorted()[0]; first.Test != "A-1" || !strings.Contains(first.String(), "is changed (fail)") {
		t.Errorf("the first unexplained is %s", first)
	}
	var b bytes.Buffer
	r.Markdown(&b, "p")
	for _, want := range []string{"| sets played | 2 |", "| unexplained results | 2 |", "| roots that reports lead with and that are not there | 1 |", "self-test --profile p --many 2 --seed 7"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not hold %q:\n%s", want, b.String())
		}
	}
}
