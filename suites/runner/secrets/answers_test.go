// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

func TestHandedCredentialsAreTakenOut(t *testing.T) {
	t.Parallel()
	r := New(nil)
	r.Handed("session_api_key").Exchange(&observe.Exchange{Body: []byte(
		`[{"session_api_key": "session-QP57EGKX"}, {"session_api_key" : "s\u0065ssion-2-4711"}, {"session_api_key":"none"}, {"title":"title-4711"}]`)})
	for _, row := range []struct{ name, text, want string }{
		{"in a body", `{"session_api_key": "session-QP57EGKX", "x": 1}`, `{"session_api_key": "[redacted]", "x": 1}`},
		{"in a finding", `is [{\"session_api_key\": \"session-QP57EGKX\"}]`, `is [{\"session_api_key\": \"[redacted]\"}]`},
		{"in a header", `X-Session-API-Key: session-2-4711`, `X-Session-API-Key: [redacted]`},
		{"a word", `none of it`, `none of it`},
		{"another member", `title-4711`, `title-4711`},
	} {
		if got := r.Clean(row.text); strings.TrimSpace(got) != row.want {
			t.Errorf("%s: %q is cleaned to %q, want %q", row.name, row.text, got, row.want)
		}
	}
}
