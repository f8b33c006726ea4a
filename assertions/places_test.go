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
