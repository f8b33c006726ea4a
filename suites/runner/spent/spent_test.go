// SPDX-License-Identifier: Apache-2.0

package spent

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestStages: what tests do side by side counts for each of them; a test whose clients wait side by side waits once.
func TestStages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var a Account
		a.Begin("side by side")
		one, two := new(Test), new(Test)
		client, other := one.Waits(), one.Waits()
		time.Sleep(time.Second)
		nobody := one.Asks() // it waits anyway
		client()
		time.Sleep(time.Second)
		other()
		nobody()
		answered := two.Asks()
		time.Sleep(3 * time.Second)
		answered()
		a.Played("T-1", 2500*time.Millisecond, one)
		a.Played("T-2", 5*time.Second, two)
		a.Begin("empty")
		a.Begin("last")
		time.Sleep(time.Second)
		a.Played("T-3", time.Second, new(Test))
		want := []Stage{
			{Name: "side by side", Took: 5 * time.Second, Tests: 2, Waits: 2 * time.Second, Answers: 3 * time.Second, Rest: 2500 * time.Millisecond,
				Longest: "T-2", LongestTook: 5 * time.Second, Waiter: "T-1", LongestWait: 2 * time.Second},
			{Name: "last", Took: time.Second, Tests: 1, Rest: time.Second, Longest: "T-3", LongestTook: time.Second},
		}
		if diff := cmp.Diff(want, a.Stages()); diff != "" {
			t.Errorf("the stages (-want +got):\n%s", diff)
		}
	})
}

// TestNobodyAsks: a test whose time nobody asks for notes nothing.
func TestNobodyAsks(t *testing.T) {
	t.Parallel()
	test := Of(t.Context())
	test.Waits()()
	test.Asks()()
}
