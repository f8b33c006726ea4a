// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, body, want string }{
		{"a problem document", `{"title": "Refused", "detail": "timeout_seconds is missing"}`, "timeout_seconds is missing"},
		{"a problem document without detail", `{"title": "Refused"}`, "Refused"},
		{"an error of JSON-RPC, and a google.rpc.Status", `{"error": {"code": -32602, "message": "no such method"}}`, "no such method"},
		{"FastAPI", `{"detail": "Not Found"}`, "Not Found"},
		{"FastAPI, about what was sent", `{"detail": [{"msg": "Field required"}]}`, ""},
		{"OAuth", `{"error": "invalid_token", "error_description": "it has expired"}`, "it has expired"},
		{"a text", `{"error": "no"}`, "no"},
		{"more than fits", `{"message": "` + strings.Repeat("ü", 200) + `"}`, strings.Repeat("ü", 100) + "…"},
		{"lines and what could act", `{"message": "a\nb\u001b[2J"}`, `a b [2J`},
		{"no object", `[1]`, ""},
		{"no JSON", `<html>`, ""},
	} {
		if got := errorText(jsontext.Parse([]byte(row.body))); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestOtherText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		body any
		want string
	}{
		{"<html>\n<h1>Bad Request</h1>", "<html> <h1>Bad Request</h1>"},
		{" \n", ""},
		{strings.Repeat("ü", 200), strings.Repeat("ü", 100) + "…"},
		{nil, ""},
	} {
		if got := otherText(row.body); got != row.want {
			t.Errorf("%q: %q, want %q", row.body, got, row.want)
		}
	}
}
