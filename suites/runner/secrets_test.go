// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A target that repeats whatever it was told, in every form it can think of, gets no secret into a report.
func TestNoSecretReachesTheReport(t *testing.T) {
	t.Parallel()
	tokens := map[string]string{"instance": fakeToken, "admin": fakeAdmin, "operator": `op"erator\token<é>`}
	jwk := `{"kty":"OKP","crv":"Ed25519","x":"public-part-stays","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}`
	f := &fake{token: "", routes: map[string]http.HandlerFunc{}}
	f.routes["POST /echo"] = func(w http.ResponseWriter, q *http.Request) {
		sent, _ := io.ReadAll(q.Body)
		w.Header().Set("X-Echo", q.Header.Get("Authorization"))
		w.Header().Set("Set-Cookie", "session=cookie-secret-value")
		w.Header().Set("X-Plain", "stays")
		for _, token := range tokens {
			b, _ := json.Marshal(token)
			fmt.Fprintln(w, token, string(b), strings.ReplaceAll(token, "/", `\/`), url.QueryEscape(token), url.PathEscape(token),
				base64.StdEncoding.EncodeToString([]byte(token)), base64.RawURLEncoding.EncodeToString([]byte(token)),
				base64.StdEncoding.EncodeToString([]byte("user:"+token)))
		}
		fmt.Fprintln(w, jwk, `{"password": "hidden-by-key"}`, "https://someone:pass-in-url@host/", string(sent))
	}
	out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "POST ${api}/echo?t=${token}", header: {X-Mine: "${token.operator.base64url}", Cookie: my-cookie-secret}, json: {a: "${token}", b: "${token.instance.altered}", c: "${token.operator}", d: "${token.instance.shortened}", e: "${token.instance.swapped}", f: "${token.instance.basic}"}, expect: {status: 404, text: x, header.X-Echo: y}}]}
  - {id: T-002, test: b, must: m, source: s, given: [{request: "POST ${api}/echo", as: operator, text: "${token.admin}", expect: {text: x}}], steps: [{request: "GET ${api}/tasks"}]}
  - {id: T-003, test: c, must: m, source: s, cases: [{name: row, t: "${token.admin}"}], steps: [{request: "POST ${api}/echo", text: "${case.t}", expect: {json: "${case.t}"}}]}
`), Target{ExecutorURL: strings.Replace(f.start(t), "http://", "http://someone:pass-in-url@", 1), Tokens: tokens,
		Header: http.Header{"X-Api-Key": {"operator-header-secret"}}},
		Options{Evidence: "all", RedactKeys: []string{"password"}})
	if out.Summary.Fail != 2 || out.Summary.Blocked != 1 {
		t.Fatalf("%s", summary(out))
	}
	b, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	secrets := []string{"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", "hidden-by-key", "pass-in-url", "cookie-secret", "operator-header-secret", target.Altered(fakeToken), target.Shortened(fakeToken), target.Swapped(fakeToken)}
	for _, token := range tokens {
		quoted, _ := json.Marshal(token)
		secrets = append(secrets, token, string(quoted[1:len(quoted)-1]), url.QueryEscape(token), strings.ToLower(url.QueryEscape(token)), url.PathEscape(token),
			hex.EncodeToString([]byte(token)), base64.StdEncoding.EncodeToString([]byte(token)), base64.RawURLEncoding.EncodeToString([]byte(token)))
	}
	for _, secret := range secrets {
		escaped, _ := json.Marshal(secret)
		if strings.Contains(text, secret) || strings.Contains(text, strings.Trim(string(escaped), `"`)) {
			at := strings.Index(text, secret)
			t.Errorf("%q is in the report: ...%s", secret, text[max(0, at-200):min(len(text), max(0, at)+100)])
		}
	}
	for _, plain := range []string{"public-part-stays", "X-Plain: stays", "$AGENTIC_SANDBOX_CONFORMANCE_TOKEN", "[redacted]"} {
		if !strings.Contains(text, plain) {
			t.Errorf("%q is not in the report", plain)
		}
	}
}

func TestEvidenceIsBoundedAndPrintable(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /long": func(w http.ResponseWriter, q *http.Request) {
			io.WriteString(w, strings.Repeat("0123456789abcdef", 8<<10))
		},
		"GET /binary": func(w http.ResponseWriter, q *http.Request) { w.Write([]byte("a\x1b[31m\x00\xff\u202eb")) },
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/long", expect: {status: 404}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/binary", expect: {status: 404}}]}
`)
	long := result(t, out, "T-001").Evidence[1]
	if len(long.Body) != 64<<10 || long.BodyBytes != 128<<10 || len(long.SHA256) != 64 {
		t.Errorf("body has %d bytes of %d, digest %q", len(long.Body), long.BodyBytes, long.SHA256)
	}
	if binary := result(t, out, "T-002").Evidence[1]; binary.Body != `a\x1b[31m\x00\xff\u{202e}b` || !binary.Binary {
		t.Errorf("binary is %q", binary.Body)
	}
}

func TestWhoseEvidenceIsKept(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string][2]bool{"failures": {false, true}, "all": {true, true}, "none": {false, false}} {
		out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 404}}]}
`), Target{ExecutorURL: (&fake{}).start(t)}, Options{Evidence: kind})
		got := [2]bool{len(out.Results[0].Evidence) > 0, len(out.Results[1].Evidence) > 0}
		if got != want {
			t.Errorf("%s: passing and failing tests have evidence: %v", kind, got)
		}
	}
}

func FuzzClean(f *testing.F) {
	r := newRedactor(Target{Tokens: map[string]string{"instance": fakeToken}}, []string{"password"})
	for _, s := range []string{fakeToken, `{"kty":"oct","k":"` + strings.Repeat("a", 30) + `"}`, "http://a:b@c/", `"password":"x"`, ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Contains(r.clean(s), fakeToken) {
			t.Errorf("the token is still in %q", r.clean(s))
		}
		result := report.Result{Findings: []report.Finding{{Observed: s, Problem: s}}, Reason: &report.Reason{Detail: s}}
		r.result(&result)
		if strings.Contains(fmt.Sprint(result), fakeToken) {
			t.Errorf("the token is still in %+v", result)
		}
	})
}

// A secret of which a text that was cut holds only the beginning is not shown either; nor is any other form of it.
func TestBeginningsOfSecrets(t *testing.T) {
	t.Parallel()
	const token = "tok-0123456789abcdef"
	config := Target{Tokens: map[string]string{"instance": token}}
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
		if got := Redactor(config)(row.text); got != row.want {
			t.Errorf("%s: %q becomes %q, want %q", row.name, row.text, got, row.want)
		}
	}
}

func TestWhatLooksLikeASecret(t *testing.T) {
	t.Parallel()
	config := Target{
		Header: http.Header{"X-Route": {"canary-7f3a91"}, "X-Env": {"staging"}, "Accept": {"application/json"}, "X-Auth": {"word"}},
		Hooks: map[string]Hook{
			"a": {Command: []string{"run", "--password=hunter2-and-more", "/opt/run-2024.sh", "-v"}},
			"b": {Value: map[string]any{"list": []any{map[string]any{"apiKey": "quite-long", "name": "sandbox-1"}}}},
		},
	}
	for text, secret := range map[string]bool{
		"canary-7f3a91": true, "staging": false, "application/json": false, "word": true, "hunter2-and-more": true,
		"/opt/run-2024.sh": false, "quite-long": true, "sandbox-1": false,
	} {
		if got := Redactor(config)(text) != text; got != secret {
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
