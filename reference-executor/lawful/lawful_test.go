// SPDX-License-Identifier: Apache-2.0

package lawful

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSeedRepeatsTheChoices(t *testing.T) {
	t.Parallel()
	one, two := New(7), New(7)
	v := map[string]any{"a": 1.0, "b": []any{true, nil, "x"}, "c": map[string]any{"d": 1.5, "e": []any{"f"}}}
	for range 5 {
		a, b := one.Encode(v), two.Encode(v)
		if string(a) != string(b) {
			t.Errorf("%s differs from %s", a, b)
		}
		var back map[string]any
		if err := json.Unmarshal(a, &back); err != nil {
			t.Fatalf("%s: %v", a, err)
		}
		if diff := cmp.Diff(v, back); diff != "" {
			t.Errorf("%s says something else (-want +got):\n%s", a, diff)
		}
	}
}
