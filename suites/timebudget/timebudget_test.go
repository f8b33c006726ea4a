// SPDX-License-Identifier: Apache-2.0

package timebudget

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

func seconds(n int) suites.Duration { return suites.Duration{Min: time.Duration(n) * time.Second} }

// TestBudgets: the budget of a test follows from its waits, its bounds and its rows.
func TestBudgets(t *testing.T) {
	t.Parallel()
	request := func(within int) *suites.Step { return &suites.Step{Do: suites.Request{}, Within: seconds(within)} }
	silence := &suites.Step{Do: suites.Silence{For: seconds(3)}}
	for _, row := range []struct {
		name string
		test suites.Test
		rows int
		want Budget
		most time.Duration
	}{
		{"nothing is sent", suites.Test{}, 1, Budget{Rows: 1, InVain: 10 * time.Second}, 0},
		{"one answer", suites.Test{Steps: []*suites.Step{request(0)}}, 1, Budget{Rows: 1, InVain: 10 * time.Second, Bound: 10 * time.Second}, 10 * time.Second},
		{"a bound of its own", suites.Test{Steps: []*suites.Step{request(2)}}, 1, Budget{Rows: 1, InVain: 10 * time.Second, Bound: 2 * time.Second}, 2 * time.Second},
		{
			"waits, bounds and rows", suites.Test{Given: []*suites.Step{request(60)}, Steps: []*suites.Step{silence, request(0)}}, 4,
			Budget{Row: 3 * time.Second, Rows: 4, InVain: 10 * time.Second, Bound: time.Minute}, 142 * time.Second,
		},
		{
			"the same several times", suites.Test{Steps: []*suites.Step{{Do: suites.Poll{Times: 3}, Within: seconds(5)}}}, 1,
			Budget{Rows: 1, InVain: 10 * time.Second, Bound: 15 * time.Second}, 15 * time.Second,
		},
		{
			"rows at once", suites.Test{AtOnce: true, Steps: []*suites.Step{silence, request(0)}}, 4,
			Budget{Row: 3 * time.Second, Rows: 1, InVain: 10 * time.Second, Bound: 10 * time.Second}, 13 * time.Second,
		},
		{
			"within shared steps and several clients", suites.Test{Steps: []*suites.Step{
				{Do: suites.Use{Steps: []*suites.Step{{Do: suites.Poll{For: seconds(4)}}}}},
				{Do: suites.Together{Steps: []*suites.Step{request(20)}}},
			}}, 1,
			Budget{Row: 4 * time.Second, Rows: 1, InVain: 10 * time.Second, Bound: 20 * time.Second}, 24 * time.Second,
		},
	} {
		got := AsWritten(10*time.Second).Of(&row.test, row.rows)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
		if got.Most() != row.most {
			t.Errorf("%s: at most %s, want %s", row.name, got.Most(), row.most)
		}
	}
}

// TestSpent: what the contract makes a row wait is no time in vain.
func TestSpent(t *testing.T) {
	t.Parallel()
	spent := Budget{Row: 3 * time.Second, InVain: 10 * time.Second}.Spend()
	for _, row := range []struct {
		took, inVain time.Duration
		usedUp       bool
	}{
		{2 * time.Second, 0, false},
		{3 * time.Second, 0, false},
		{8 * time.Second, 5 * time.Second, false},
		{8 * time.Second, 10 * time.Second, true},
	} {
		spent.Add(row.took)
		if spent.InVain() != row.inVain || spent.UsedUp() != row.usedUp {
			t.Errorf("after %s more, %s are used up in vain (%t), want %s (%t)", row.took, spent.InVain(), spent.UsedUp(), row.inVain, row.usedUp)
		}
	}
}
