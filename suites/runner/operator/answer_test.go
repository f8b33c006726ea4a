// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

func TestTheProvisionHook(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value         any
		seconds, name string // of the result; no name: it is refused
	}{
		{map[string]any{"body": map[string]any{"runtime": "qemu"}}, "300", "conformance-"},
		{map[string]any{"runtime": "qemu", "name": "mine"}, "300", "mine-"},
		{map[string]any{"body": map[string]any{"runtime": "qemu", "name": strings.Repeat("n", 63)}, "seconds": json.Number("90")}, "90", strings.Repeat("n", 40) + "-"},
		{map[string]any{"body": map[string]any{}, "seconds": "soon"}, "", ""},
		{map[string]any{"body": map[string]any{}, "seconds": json.Number("0")}, "", ""},
		{"a text", "", ""},
	} {
		result, err := (&Operator{}).provision(test.value)
		name, _ := readers.Member(readers.Member(result, "body"), "name").(string)
		if (err != nil) != (test.name == "") || !strings.HasPrefix(name, test.name) || len(name) > 63 || err == nil && fmt.Sprint(readers.Member(result, "seconds")) != test.seconds {
			t.Errorf("%v gives %v, %v", test.value, result, err)
		}
	}
}
