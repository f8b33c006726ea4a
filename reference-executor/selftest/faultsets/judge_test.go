// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	breaks := func(name, test string, worst report.Outcome, also ...string) Fault {
		f := Fault{Name: name, Tests: []Test{{ID: test, Named: true, Worst: worst, Must: true}}}
		for _, id := range also {
			f.Tests = append(f.Tests, Test{ID: id})
		}
		return f
	}
	elsewhere := breaks("f", "A", report.Fail)
	elsewhere.Tests[0].Must = false
	masks := []Mask{{Fault: "f", By: []string{"g"}, Tests: []string{"A"}}}
	for _, row := range []struct {
		name    string
		set     []Fault
		masks   []Mask
		results []Played
		tally   Tally
		want    []Violation
	}{
		{
			name: "a test fails by its fault", set: []Fault{breaks("f", "A", report.Fail)},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Fail}, {ID: "B", Was: report.Pass, Is: report.Pass}},
			tally:   Tally{Failed: 1, Kept: 1},
		},
		{
			name: "a test passes under its fault", set: []Fault{breaks("f", "A", report.Fail), breaks("g", "B", report.Fail)},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Pass}, {ID: "B", Was: report.Pass, Is: report.Fail}},
			tally:   Tally{Failed: 1},
			want:    []Violation{{Kind: Unseen, Test: "A", Fault: "f", Outcome: report.Pass}},
		},
		{
			name: "a test is skipped under its fault, by another one", set: []Fault{breaks("f", "A", report.Fail), breaks("g", "B", report.Fail, "A")},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Skip}, {ID: "B", Was: report.Pass, Is: report.Fail}},
			tally:   Tally{Failed: 1, Masked: 1},
		},
		{
			name: "a test is skipped under its fault, and nobody is said to do that", set: []Fault{breaks("f", "A", report.Fail), breaks("g", "B", report.Fail)},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Skip}, {ID: "B", Was: report.Pass, Is: report.Fail}},
			tally:   Tally{Failed: 1},
			want:    []Violation{{Kind: Unseen, Test: "A", Fault: "f", Outcome: report.Skip}},
		},
		{
			name: "a test only warns under a fault that fails it", set: []Fault{breaks("f", "A", report.Fail)},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Warn}},
			want:    []Violation{{Kind: Unseen, Test: "A", Fault: "f", Outcome: report.Warn}},
		},
		{
			name: "a test fails under a fault of which it is said to warn", set: []Fault{breaks("f", "A", report.Warn)},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Fail}},
			want:    []Violation{{Kind: Uncaused, Test: "A", Outcome: report.Fail}},
		},
		{
			name: "a note is no failure", set: []Fault{breaks("f", "A", report.Pass)},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Fail}},
			want:    []Violation{{Kind: Uncaused, Test: "A", Outcome: report.Fail}},
		},
		{
			name: "a mask explains a pass", set: []Fault{breaks("f", "A", report.Fail), breaks("g", "B", report.Fail)}, masks: masks,
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Pass}, {ID: "B", Was: report.Pass, Is: report.Fail}},
			tally:   Tally{Failed: 1, Masked: 1},
		},
		{
			name: "a mask whose fault is not on explains nothing", set: []Fault{breaks("f", "A", report.Fail)}, masks: masks,
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Pass}},
			want:    []Violation{{Kind: Unseen, Test: "A", Fault: "f", Outcome: report.Pass}},
		},
		{
			name: "where a fault is not proved it may show or not", set: []Fault{elsewhere},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Fail}, {ID: "A", Was: report.Pass, Is: report.Pass}},
			tally:   Tally{Beside: 1, Kept: 1},
		},
		{
			name: "a test fails by another's fault", set: []Fault{breaks("f", "A", report.Fail)},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Fail}, {ID: "B", Was: report.Pass, Is: report.Fail}},
			tally:   Tally{Failed: 1},
			want:    []Violation{{Kind: Uncaused, Test: "B", Outcome: report.Fail}},
		},
		{
			name: "what a fault is listed to change beside its own", set: []Fault{breaks("f", "A", report.Fail, "B")},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Fail}, {ID: "B", Was: report.Pass, Is: report.Fail}},
			tally:   Tally{Failed: 1, Beside: 1},
		},
		{
			name: "a block with a failing requirement in its way", set: []Fault{breaks("f", "A", report.Fail, "B"), breaks("g", "B", report.Fail)},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Fail}, {ID: "B", Was: report.Pass, Is: report.Blocked}},
			tally:   Tally{Failed: 1, Blocked: 1},
		},
		{
			name: "a block whose cause passes", set: []Fault{breaks("f", "A", report.Pass, "B")},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Pass}, {ID: "B", Was: report.Pass, Is: report.Blocked}},
			tally:   Tally{Kept: 1},
			want:    []Violation{{Kind: Unblamed, Test: "B", Outcome: report.Blocked}},
		},
		{
			name: "a block by its own fault alone", set: []Fault{breaks("f", "A", report.Fail)},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Blocked}},
			want:    []Violation{{Kind: Unblamed, Test: "A", Outcome: report.Blocked}},
		},
		{
			name: "a block that the report puts with a failure", set: []Fault{breaks("f", "A", report.Fail)},
			results: []Played{{ID: "A", Was: report.Pass, Is: report.Fail}, {ID: "B", Was: report.Pass, Is: report.Blocked, Together: []string{"A", "B"}}},
			tally:   Tally{Failed: 1, Beside: 1},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			tally, got := Judge(row.set, row.masks, row.results)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.tally, tally); diff != "" {
				t.Errorf("tally (-want +got):\n%s", diff)
			}
		})
	}
}
