// SPDX-License-Identifier: Apache-2.0

package assertions

import "testing"

// TestAlternativesOfOtherBindings: a finding lists those alternatives that the exchange could have fitted.
func TestAlternativesOfOtherBindings(t *testing.T) {
	t.Parallel()
	const wanted = `{"any_of": [{".status": 404, ".sent.over": "HTTP+JSON"}, {".sent.over": "GRPC", ".code": 5}, {".status": 401}]}`
	for over, want := range map[string]string{
		"HTTP+JSON": "fits none of 2 alternatives: .status is 500, want 404; or .status is 500, want 401",
		"JSONRPC":   "does not fit: .status is 500, want 401",
	} {
		got := map[string]any{"status": Number(500), "sent": map[string]any{"over": over}}
		err := compiledValue(t, wanted).Judge(got)
		if err == nil || err.Error() != want {
			t.Errorf("over %s: %v, want %s", over, err, want)
		}
	}
}
