// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, condition string
		want            []string // nil: it looks at the value as a whole
	}{
		{"members", `{".status": 200, ".request.method": "GET"}`, []string{"request.method", "status"}},
		{"alternatives", `{"any_of": [{".status": 404}, {"not": {".json.error": {"present": true}}}], "all_of": [{".took": {"present": true}}]}`, []string{"json.error", "status", "took"}},
		{"what is equal as a whole", `{"equals": {"a": 1}}`, nil},
		{"an alternative that looks at the whole", `{"any_of": [{".status": 404}, {"present": true}]}`, nil},
		{"what is compared", `{"any_of": [{"same": ["a.b", "c"]}, {"times_increase": ["header.Date", "d"]}]}`, []string{"a.b", "c", "d", "header.Date"}},
		{"an element that is compared", `{"same": ["[0]", "[1]"]}`, nil},
		{"elements", `{".[0]": 1}`, nil},
		{"conditions on each element", `{"each": {".a": 1}}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			places, known := compiledValue(t, tt.condition).Places()
			var got []string
			for _, place := range places {
				got = append(got, place.String())
			}
			slices.Sort(got)
			if known != (tt.want != nil) || known && !cmp.Equal(tt.want, got) {
				t.Errorf("%v, %v, want %v", got, known, tt.want)
			}
		})
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	conditions := []string{
		`{"equals": 1}`, `{"equals": "1"}`, `{"equals": {"a": [1]}}`, `{"equals": {"a": [2]}}`, `{"present": true}`, `{"absent": true}`,
		`{".a": {"present": true}}`, `{".b": {"present": true}}`, `{".a": {"present": true}, ".b": 1}`, `{"not": {"equals": 1}}`, `{"any_of": [1, 2]}`,
		`{"any_of": [1, 3]}`, `{"matches": "a"}`, `{"select": {"where": {".a": 1}, "want": {"length": 1}}}`, `{"select": {"where": {".a": 2}, "want": {"length": 1}}}`,
	}
	for i, a := range conditions {
		for j, b := range conditions {
			if same := compiledValue(t, a).Same(compiledValue(t, " "+b)); same != (i == j) {
				t.Errorf("%s and %s are the same: %v", a, b, same)
			}
		}
	}
}
