// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	known := []string{"executor-url", "token", "token-file", "CARD-001", "CARD-011"}
	for _, row := range []struct{ name, wrong, want string }{
		{"two letters swapped", "executor-ulr", ` (did you mean "executor-url"?)`},
		{"a letter missing", "tokn", ` (did you mean "token"?)`},
		{"a letter too many", "tokken-file", ` (did you mean "token-file"?)`},
		{"another case", "card-001", ` (did you mean "CARD-001"?)`},
		{"of two that are equally close the first", "CARD-021", ` (did you mean "CARD-001"?)`},
		{"nothing is close", "frobnicate", ""},
		{"empty", "", ""},
		{"endless", string(make([]byte, 1<<20)), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := didYouMean(row.wrong, known); got != row.want {
				t.Errorf("didYouMean(%.20q) = %q, want %q", row.wrong, got, row.want)
			}
		})
	}
}
