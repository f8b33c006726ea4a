// SPDX-License-Identifier: Apache-2.0

package assertions

import "testing"

// TestAlternativesOfOtherBindings: a finding is about those alternatives that the exchange could have fitted.
func TestAlternativesOfOtherBindings(t *testing.T) {
	t.Parallel()
	const wanted = `{"any_of": [{".status": 404, ".sent.over": "HTTP+JSON"}, {".sent.over": "GRPC", ".code": 5}, {".status": 401}]}`
	for over, want := range map[string]string{
		"HTTP+JSON": ".status is 500, want 404 or 401",
		"JSONRPC":   ".status is 500, want 401",
	} {
		got := map[string]any{"status": Number(500), "sent": map[string]any{"over": over}}
		err := compiledValue(t, wanted).Judge(got)
		if err == nil || err.Error() != want {
			t.Errorf("over %s: %v, want %s", over, err, want)
		}
	}
}

// TestAlternativesOfOtherTargets: what the operator has announced is no finding about the target.
func TestAlternativesOfOtherTargets(t *testing.T) {
	t.Parallel()
	const wanted = `{"any_of": [{".announced.shared": true, ".count": {"at_least": 5}}, {".count": 5}]}`
	got := map[string]any{"count": Number(10), "announced": map[string]any{"shared": false}}
	const want = ".count is 10, want 5"
	if err := compiledValue(t, wanted).Judge(got); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
