// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"testing"
)

// What belongs to a connection is left out of the update of a task, and nothing else is.
func TestWithoutServiceParameters(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ payload, want string }{
		"in the metadata of the delta":  {`{"task":{"id":"a"},"delta":{"metadata":{"trace_id":"x"}}}`, `{"delta":{},"task":{"id":"a"}}`},
		"in the metadata of the task":   {`{"task":{"id":"a","metadata":{"trace_id":"x","runtime.host":"h"}}}`, `{"task":{"id":"a","metadata":{"runtime.host":"h"}}}`},
		"as a whole":                    {`{"task":{"id":"a"},"metadata":{"service_parameters":{"trace_id":"x"}}}`, `{"task":{"id":"a"}}`},
		"other metadata":                {`{"task":{"metadata":{"tenant":"t"}}}`, `{"task":{"metadata":{"tenant":"t"}}}`},
		"metadata that is none":         {`{"task":{"metadata":"text"}}`, `{"task":{"metadata":"text"}}`},
		"a payload that is no update":   {`{"kind":"Output","metadata":{"trace_id":"x"}}`, `{"kind":"Output","metadata":{"trace_id":"x"}}`},
		"a payload that is no object":   {`["task"]`, `["task"]`},
		"a task that is none, as it is": {`{"task":"a","status":{"state":"working"}}`, `{"status":{"state":"working"},"task":"a"}`},
	} {
		var payload any
		if err := json.Unmarshal([]byte(row.payload), &payload); err != nil {
			t.Fatal(err)
		}
		got, _ := json.Marshal(WithoutServiceParameters(payload))
		if string(got) != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
		if before, _ := json.Marshal(payload); len(before) != len(row.payload) {
			t.Errorf("%s: the payload itself has become %s", name, before)
		}
	}
}
