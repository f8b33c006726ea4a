// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

func FuzzClean(f *testing.F) {
	const token = "tok/en+instance-0123456789"
	r := New([]string{"password"}, target.Config{Tokens: map[string]string{"instance": token}})
	for _, s := range []string{token, `{"kty":"oct","k":"` + strings.Repeat("a", 30) + `"}`, "http://a:b@c/", `"password":"x"`, ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Contains(r.Clean(s), token) {
			t.Errorf("the token is still in %q", r.Clean(s))
		}
		result := report.Result{Findings: []report.Finding{{Observed: s, Problem: s}}, Reason: &report.Reason{Detail: s}}
		r.Result(&result)
		if strings.Contains(fmt.Sprint(result), token) {
			t.Errorf("the token is still in %+v", result)
		}
	})
}

// A secret of which a text that was cut holds only the beginning is not shown either; nor is any other form of it.
func TestBeginningsOfSecrets(t *testing.T) {
	t.Parallel()
	const token = "tok-0123456789abcdef"
	config := target.Config{Tokens: map[string]string{"instance": token}}
	for _, row := range []struct{ name, text, want string }{
		{"whole", "a tok-0123456789abcdef b", "a [redacted] b"},
		{"cut with dots", `it begins with "tok-0123456..."`, `it begins with "[redacted]..."`},
		{"cut at the end", "a tok-012345", "a [redacted]"},
		{"cut before a quote", `"tok-0123456789ab" (cut, 20 bytes)`, `"[redacted]" (cut, 20 bytes)`},
		{"cut with an ellipsis", "tok-01234567…", "[redacted]…"},
		{"too little of it", "a tok-012", "a tok-012"},
		{"another word that begins like it", "tok-0123456 stays", "tok-0123456 stays"},
		{"twice", "tok-0123456... tok-01234567", "[redacted]... [redacted]"},
		{"in base64, cut", "dG9rLTAxMjM0NTY3...", "[redacted]..."},
		{"as a text in JSON in JSON", `"\\u0074\\u006f"`, `"\\u0074\\u006f"`},
		{"in percents", "%74%6F%6B%2D%30%31%32%33%34%35%36%37%38%39%61%62%63%64%65%66", "[redacted]"},
	} {
		if got := New(nil, config).Clean(row.text); got != row.want {
			t.Errorf("%s: %q becomes %q, want %q", row.name, row.text, got, row.want)
		}
	}
}

func TestWhatLooksLikeASecret(t *testing.T) {
	t.Parallel()
	config := target.Config{
		Header: http.Header{"X-Route": {"canary-7f3a91"}, "X-Env": {"staging"}, "Accept": {"application/json"}, "X-Auth": {"word"}},
		Hooks: map[string]target.Hook{
			"a": {Command: []string{"run", "--password=hunter2-and-more", "/opt/run-2024.sh", "-v"}},
			"b": {Value: map[string]any{"list": []any{map[string]any{"apiKey": "quite-long", "name": "sandbox-1"}}}},
		},
	}
	for text, secret := range map[string]bool{
		"canary-7f3a91": true, "staging": false, "application/json": false, "word": true, "hunter2-and-more": true,
		"/opt/run-2024.sh": false, "quite-long": true, "sandbox-1": false,
	} {
		if got := New(nil, config).Clean(text) != text; got != secret {
			t.Errorf("%s is taken for a secret: %v, want %v", text, got, secret)
		}
	}
	for _, row := range []struct{ env, want string }{
		{"HTTP_PROXY=http://a:b%40c-d@proxy:3128", "b@c-d"}, {"https_proxy=a:pa@ss@proxy", "pa@ss"}, {"HTTP_PROXY=http://proxy:3128", ""},
	} {
		name, value, _ := strings.Cut(row.env, "=")
		secrets := ofProxies(func(n string) string {
			if n == name {
				return value
			}
			return ""
		})
		if row.want == "" && len(secrets) > 0 || row.want != "" && !slices.Contains(secrets, row.want) {
			t.Errorf("%s holds %q, want %q", row.env, secrets, row.want)
		}
	}
	for _, token := range []string{"/aB3cD5eF7gH9iJ1kL3mN5o+pQ=", "9f8e7d6c5b4a39281706:zz"} {
		if got := inEnvironment([]string{"MY_API_TOKEN=" + token}); !slices.Equal(got, []string{token}) {
			t.Errorf("of a variable that holds %s, the secrets are %q", token, got)
		}
	}
	if got := inEnvironment([]string{"GIT_AUTHOR_NAME=Somebody Else 1234567", "API_TOKEN=0123456789abcdef0", "SSH_AUTH_SOCK=/run/ssh-12345678901", "PATH=0123456789abcdef0", "AUTH_HOST=auth-7.prod.example.com:8443", "TOKEN_URL=https://auth.example/token/v2"}); len(got) != 1 {
		t.Errorf("secrets of the environment are %q", got)
	}
}
