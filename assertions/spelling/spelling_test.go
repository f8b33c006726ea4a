// SPDX-License-Identifier: Apache-2.0

package spelling

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"executor-url", "token", "token-file", "CARD-001", "CARD-011", "of", "markdown"}
	for _, test := range []struct{ name, wrong, want string }{
		{"two letters swapped", "executor-ulr", "executor-url"},
		{"a letter missing", "tokn", "token"},
		{"a letter too many", "tokken-file", "token-file"},
		{"another case", "card-001", "CARD-001"},
		{"of two that are equally near the first", "CARD-021", "CARD-001"},
		{"the beginning of a name", "exec", "executor-url"},
		{"the beginning in capitals", "MARK", "markdown"},
		{"too short for a beginning", "ma", ""},
		{"nothing is near", "frobnicate", ""},
		{"empty", "", ""},
		{"endless", strings.Repeat("token", 1000), ""},
		{"no letters", "\x00\xff\x00\xff", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Nearest(test.wrong, known); got != test.want {
				t.Errorf("by %.20q %q is meant, want %q", test.wrong, got, test.want)
			}
		})
	}
}
