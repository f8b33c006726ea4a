// SPDX-License-Identifier: Apache-2.0

package assertions

import "testing"

func TestMixedConditionsStandInBrackets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		parts   []string
		between string
		want    string
	}{
		{[]string{`op "Error" and code 1`, `closed.code 4400`}, " or ", `(op "Error" and code 1) or closed.code 4400`},
		{[]string{`op "Error" and code 1`}, " or ", `op "Error" and code 1`},
		{[]string{`"a" or "b"`, `"c"`}, " or ", `"a" or "b" or "c"`},
		{[]string{`"a" or "b"`, `at least 3`}, " and ", `("a" or "b") and at least 3`},
		{[]string{`"one and two"`, `"three \" and four"`}, " or ", `"one and two" or "three \" and four"`},
		{[]string{`(a and b)`, `c`}, " or ", `(a and b) or c`},
		{[]string{`id "x" in upper or lower case`, `something that contains "y"`}, " and ", `id "x" in upper or lower case and something that contains "y"`},
	} {
		if got := joined(row.parts, row.between); got != row.want {
			t.Errorf("%q by %q: %s, want %s", row.parts, row.between, got, row.want)
		}
	}
}
