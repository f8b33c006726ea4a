// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"net/http"
	"slices"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// What a target takes out of a header that the operator gave, and says alone, is as secret as the header: the value of a cookie,
// a parameter, the password of Basic.
func TestWhatStandsInAHeaderIsSecret(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, line, text string
		secret           bool
	}{
		{"Cookie", "sid=9f8e7d6c5b4a39281706; theme=dark", "9f8e7d6c5b4a39281706", true},
		{"Cookie", "theme=dark; sid=9f8e7d6c5b4a39281706", "9f8e7d6c5b4a39281706", true},
		{"Cookie", `sid="s%3A9f8e7d6c5b4a.q+7"`, "s:9f8e7d6c5b4a.q+7", true},
		{"Cookie", "sid=9f8e7d6c5b4a39281706; theme=dark", "a dark theme", false},
		{"Authorization", `Digest username="x", nonce="9f8e7d6c5b", response="6629fae49393a053", qop=auth, uri="/dir/index.html"`, "6629fae49393a053", true},
		{"Authorization", `Digest username="x", response="6629fae49393a053", qop=auth, uri="/dir/index.html"`, "auth of /dir/index.html", false},
		{"Authorization", "ApiKey key=9f8e7d6c5b4a", "9f8e7d6c5b4a", true},
		{"Authorization", "Basic Ym9iOmh1bnRlcjItUGFzc3cwcmRY", "hunter2-Passw0rdX", true},
		{"Authorization", "Basic Ym9iOmh1bnRlcjItUGFzc3cwcmRY", "bob is a name", false},
		{"X-Goog", "aB3/cD5eF7gH9iJ1kL3mN5o+pQ==", "aB3/cD5eF7gH9iJ1kL3mN5o+pQ==", true},
		{"X-Access-Key", "letmein-please", "letmein-please", true},
		{"X-Functions-Key", "abcdefghijklmnopqrstuvwxyzabcd", "abcdefghijklmnopqrstuvwxyzabcd", true},
		{"X-Caller", "abcdefghijklmnopqrstuvwxyzabcd", "abcdefghijklmnopqrstuvwxyzabcd", false},
		{"X-Caller", "8264918264012", "8264918264012", true},
		{"Accept-Language", "en-US,en;q=0.9", "en-US,en;q=0.9", false},
		{"X-Date", "2026-11-24", "2026-11-24", false},
		{"X-Forwarded-Host", "agents.prod-7.example.com:8443", "agents.prod-7.example.com:8443", false},
		{"A2a-Extensions", "https://ext.example/runtime/v1", "https://ext.example/runtime/v1", false},
		{"X-Tenant", "acme", "acme", false},
	} {
		for _, config := range []target.Config{{Header: http.Header{row.name: {row.line}}}, {Hooks: map[string]target.Hook{"h": {URL: "http://h", Header: http.Header{row.name: {row.line}}}}}} {
			if got := New(nil, config).Clean(row.text) != row.text; got != row.secret {
				t.Errorf("with %s: %s, %q is taken for a secret: %v, want %v", row.name, row.line, row.text, got, row.secret)
			}
		}
	}
}

// Half of all random secrets in base64 hold a slash.
func TestSecretsWithSlashesInCommands(t *testing.T) {
	t.Parallel()
	for word, secret := range map[string]bool{
		"aB3/cD5eF7gH9iJ1kL3mN5o+pQ==": true, "/B3/cD5eF7gH9iJ1kL3mN5o+pQ==": true, "/usr/local/bin/restart-2": false, "./deploy/Restart2Everything.sh": false,
	} {
		config := target.Config{Hooks: map[string]target.Hook{"h": {Command: []string{"restart", "--password=" + word}}}}
		if got := New(nil, config).Clean(word) != word; got != secret {
			t.Errorf("%s is taken for a secret: %v, want %v", word, got, secret)
		}
	}
}

// What cannot be removed safely is said of headers too.
func TestPlainHeaders(t *testing.T) {
	t.Parallel()
	config := target.Config{Tokens: map[string]string{"instance": "a"}, Header: http.Header{"X-Api-Key": {"openly"}, "X-Tenant": {"acme"}, "Cookie": {"sid=9f8e7d6c5b4a39281706"}}}
	if got, want := Plain(config), []string{"instance", "the header X-Api-Key"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
