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
	"strings"
	"testing"

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
