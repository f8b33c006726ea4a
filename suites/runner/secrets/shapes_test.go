// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// What a test has made wrong on purpose is said in words, and never shown.
func TestCredentialsThatAreWrongOnPurpose(t *testing.T) {
	t.Parallel()
	const token, other = "tok-0123456789abcdef", "adm-fedcba9876543210"
	r := New(nil, target.Config{EnvironmentIsKnown: true, Tokens: map[string]string{"instance": token, "foreign": token, "admin": other, "observe": ""}})
	r.Learn("made-up-by-the-run-0123")
	for _, row := range []struct{ name, value, want string }{
		{"Authorization", "Bearer " + token, "Bearer [redacted]"},
		{"Authorization", "bearer " + other, "bearer [redacted: the token of admin]"},
		{"Authorization", "Bearer " + target.Altered(token), "Bearer [redacted: the token of foreign with one character altered]"},
		{"Authorization", "Bearer " + target.Swapped(other), "Bearer [redacted: the token of admin with its letters in the other case]"},
		{"Authorization", "Bearer " + target.Shortened(other), "Bearer [redacted: the token of admin without its last character]"},
		{"Authorization", "Bearer " + other + "x", "Bearer [redacted: the token of admin and one character more]"},
		{"Authorization", "Basic " + other, "Basic [redacted: the token of admin under another scheme]"},
		{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("conformance:"+other)), "Basic [redacted: the token of admin as a Basic password]"},
		{"Authorization", other, "[redacted: the token of admin without a scheme]"},
		{"Authorization", "Bearer", "Bearer [no token]"},
		{"Authorization", "Bearer ", "Bearer [no token]"},
		{"Authorization", "", "[no token]"},
		{"Authorization", "Bearer made-up-by-the-run-0123", "Bearer [redacted: none of the configured tokens]"},
		{"Authorization", "Bearer something-else-0123", "Bearer [redacted: none of the configured tokens]"},
		{"Authorization", "sesame", "[redacted]"},
		{"Cookie", other, "[redacted]"},
	} {
		got := r.Header(row.name, row.value)
		if got != row.name+": "+row.want {
			t.Errorf("%s: %s becomes %s, want %s", row.name, strings.ReplaceAll(row.value, token, "TOKEN"), got, row.want)
		}
		if again := r.Clean(got); again != got {
			t.Errorf("%s is cleaned once more to %s", got, again)
		}
	}
}
