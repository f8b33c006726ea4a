// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"fmt"
	"slices"
	"testing"
)

func TestShrink(t *testing.T) {
	t.Parallel()
	var set []string
	for i := range 40 {
		set = append(set, fmt.Sprint(i))
	}
	for _, needed := range [][]string{{"7"}, {"0", "39"}, {"3", "4", "21"}} {
		asked := 0
		got := Shrink(set, 60, func(part []string) bool {
			asked++
			return !slices.ContainsFunc(needed, func(one string) bool { return !slices.Contains(part, one) })
		})
		if !slices.Equal(got, needed) || asked > 60 {
			t.Errorf("of a set that needs %v, %v is left after %d questions", needed, got, asked)
		}
	}
}

func TestShrinkEnds(t *testing.T) {
	t.Parallel()
	set := []string{"a", "b", "c", "d"}
	if got := Shrink(set, 100, func([]string) bool { return false }); !slices.Equal(got, set) {
		t.Errorf("where no part does it, %v is left", got)
	}
	asked := 0
	if got := Shrink(set, 1, func([]string) bool { asked++; return true }); len(got) != 2 || asked != 1 {
		t.Errorf("after one question of one, %v is left, asked %d times", got, asked)
	}
	if got := Shrink(nil, 5, func([]string) bool { return true }); len(got) != 0 {
		t.Errorf("of nothing, %v is left", got)
	}
}
