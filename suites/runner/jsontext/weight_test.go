// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"strings"
	"testing"
)

// What small values take when they are taken apart counts where answers are kept; what executors answer counts by its length.
func TestWhatAnswersWeigh(t *testing.T) {
	t.Parallel()
	task := `{"id":"018fc0a2-7777-7aaa-bbbb-ccccddddeeee","contextId":"018fc0a2-7777-7aaa-bbbb-ccccddddffff","status":{"state":"completed","timestamp":"2026-05-01T10:00:00Z"}},`
	for _, row := range []struct {
		name, body string
		times      int
	}{
		{"a text", strings.Repeat("x", 1000), 1},
		{"a list of tasks", "[" + strings.Repeat(task, 1000) + "0]", 1},
		{"small values", "[" + strings.Repeat("0,", 200_000) + "0]", 18},
		{"empty objects", "[" + strings.Repeat("{},", 100_000) + "0]", 26},
	} {
		if got := Weight([]byte(row.body)) / len(row.body); got != row.times {
			t.Errorf("%s weighs %d times its length, want %d", row.name, got, row.times)
		}
	}
}
