// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A root is right where a fault of it is on, and a test stands under it rightly where that fault changes the test.
func TestRootsAreHeldToTheFaultsThatAreOn(t *testing.T) {
	t.Parallel()
	set := []Fault{
		{Name: "ignores-ids", Tests: []Test{{ID: "T-1", Named: true}, {ID: "T-2"}}},
		{Name: "late", Tests: []Test{{ID: "T-3", Named: true}}},
	}
	all := map[string][]string{"ids": {"ignores-ids"}, "slow": {"late", "later"}, "gone": {"absent"}}
	failed := func(id string) Played { return Played{ID: id, Was: report.Pass, Is: report.Fail, Says: "no"} }
	results := []Played{failed("T-1"), failed("T-2"), failed("T-3"), {ID: "T-4", Was: report.Pass, Is: report.Pass}}
	for name, c := range map[string]struct {
		led   []Led
		roots Roots
		says  []string
	}{
		"nothing leads":              {nil, Roots{Unnamed: 2, Open: 3}, nil},
		"a root with its own tests":  {[]Led{{"ids", all["ids"], []string{"T-1", "T-2"}}}, Roots{Named: 1, Unnamed: 1, Open: 3, Covered: 2}, nil},
		"a root with another's test": {[]Led{{"ids", all["ids"], []string{"T-1", "T-3"}}}, Roots{Named: 1, Unnamed: 1, Open: 3, Covered: 1, Strange: 1}, []string{"T-3 stands under a root of which no fault that is on is said to change it: root-ids: no"}},
		"a root of which nothing is on": {[]Led{{"gone", all["gone"], []string{"T-1", "T-3"}}}, Roots{Wrong: 1, Unnamed: 2, Open: 3, Strange: 2},
			[]string{"the report leads with root-gone, of which no fault is on: T-1, T-3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			roots, violations := JudgeRoots(set, all, c.led, results)
			if diff := cmp.Diff(c.roots, roots); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			var says []string
			for _, v := range violations {
				says = append(says, v.String())
			}
			if diff := cmp.Diff(c.says, says); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
