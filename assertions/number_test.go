// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"testing"
)

// A whole number is one however it is written.
func TestWhole(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		v     any
		want  int64
		whole bool
	}{
		{"digits", json.Number("42"), 42, true},
		{"a fraction of zero, as servers write that count in floats", json.Number("42.0"), 42, true},
		{"an exponent", json.Number("4.2e1"), 42, true},
		{"below zero", json.Number("-7.00"), -7, true},
		{"a fraction", json.Number("4.2"), 0, false},
		{"more than 64 bits", json.Number("9223372036854775808"), 0, false},
		{"an exponent that would take the machine", json.Number("1e999999999"), 0, false},
		{"a text", "42", 0, false},
		{"nothing", nil, 0, false},
	} {
		if n, whole := Whole(row.v); n != row.want || whole != row.whole {
			t.Errorf("%s: %v is %d, %t, want %d, %t", row.name, row.v, n, whole, row.want, row.whole)
		}
	}
}
