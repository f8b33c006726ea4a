// SPDX-License-Identifier: Apache-2.0

package phrases

import "testing"

func TestWhatSkippedTestsLackIsSaidInWords(t *testing.T) {
	for _, row := range []struct{ code, want string }{
		{"no-hook:restart", "without the hook restart"},
		{"claim:binding:GRPC", "about an interface over GRPC, which the card does not declare"},
		{"declared:streaming", "about cards that do not declare the capability streaming"},
		{"when-present:error-info", "about what the target did not show (error info)"},
		{"slow", "slower than --max-wait allows"},
		{"reserved-v2.2", "reserved for v2.2"},
		{"no-hook", "no-hook"},
		{"slow:10s", "slow:10s"},
		{"drove-elsewhere", "as the agent did something else than the test's message asks for"},
		{"gone", "gone"},
	} {
		if got := Lacking(row.code); got != row.want {
			t.Errorf("%s is said as %q, want %q", row.code, got, row.want)
		}
	}
}
