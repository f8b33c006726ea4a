// SPDX-License-Identifier: Apache-2.0

package plaintext

import "testing"

func TestNormalisedCausesAreEqual(t *testing.T) {
	t.Parallel()
	a := Normalised("GET /tasks/018fc0a2-7777-7aaa-bbbb-ccccddddeeee at 2026-01-01T00:00:00.123Z marker-abcdefghij23: status is 503")
	b := Normalised("GET /tasks/018fc0a2-8888-7aaa-bbbb-ccccddddeeee at 2026-01-02T00:00:00Z marker-zzzzzzzzzz77: status is 503")
	if a != b {
		t.Errorf("%q\n%q", a, b)
	}
}
