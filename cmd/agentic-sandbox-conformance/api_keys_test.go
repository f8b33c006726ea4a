// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/gauntlet"
	plainserver "github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/report"
)

const theKey = "key-of-the-api-keys-test-77c1"

// behindAKey is the address of a plain A2A server that wants a key where its card says: in a header or a cookie
// of that name (A2A 1.0 section 4.5.2).
func behindAKey(t *testing.T, in, name string) string {
	t.Helper()
	const token = "token-behind-the-key-5d0a"
	front := httptest.NewUnstartedServer(nil)
	public := "http://" + front.Listener.Addr().String()
	s, err := plainserver.New(plainserver.Config{Token: token, PublicURL: public})
	if err != nil {
		t.Fatal(err)
	}
	serves(t, s)
	behind, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(&url.URL{Scheme: behind.Scheme, Host: behind.Host})
			p.Out.Host = p.In.Host
			p.Out.Header.Del("Authorization")
			p.Out.Header.Del("Accept-Encoding")
			given := p.In.Header.Get(name)
			if in == "cookie" {
				given = ""
				if c, err := p.In.Cookie(name); err == nil {
					given = c.Value
				}
			}
			if given == theKey {
				p.Out.Header.Set("Authorization", "Bearer "+token)
			}
		},
		ModifyResponse: func(answer *http.Response) error {
			if !strings.Contains(answer.Request.URL.Path, "agent-card.json") || answer.StatusCode != http.StatusOK {
				return nil
			}
			var card map[string]any
			if err := json.NewDecoder(answer.Body).Decode(&card); err != nil {
				return err
			}
			delete(card, "signatures")
			card["securitySchemes"] = map[string]any{"key": map[string]any{"apiKeySecurityScheme": map[string]any{"location": in, "name": name}}}
			card["securityRequirements"] = []any{map[string]any{"schemes": map[string]any{"key": map[string]any{"list": []any{}}}}}
			body, err := json.Marshal(card)
			answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return err
		},
		FlushInterval: -1,
	}
	front.Config.Handler = gauntlet.ReadFirst(proxy)
	front.Start()
	t.Cleanup(front.Close)
	return public
}

// A key that the operator gave, under whatever name, goes along with no request that is to be anonymous: a server that wants
// it keeps A2A-SEC-001 and A2A-SEC-005, and the report says what was left out.
func TestAnonymousRequestsCarryNoKey(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ in, name string }{{"header", "X-Goog-Api-Key"}, {"header", "X-Of-Our-Own"}, {"cookie", "sesame"}} {
		t.Run(row.in+" "+row.name, func(t *testing.T) {
			t.Parallel()
			given := row.name + ": " + theKey
			if row.in == "cookie" {
				given = "Cookie: " + row.name + "=" + theKey
			}
			folder := t.TempDir()
			code, _, stderr := said("run", "--profile", "a2a-1.0", "--executor-url", behindAKey(t, row.in, row.name), "--header", given,
				"--run", "A2A-SEC-001,A2A-SEC-005", "--report-format", "json", "--report-out", filepath.Join(folder, "report.json"))
			written, _ := os.ReadFile(filepath.Join(folder, "report.json"))
			text := string(written)
			run, err := report.ReadJSON(strings.NewReader(text))
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			if code != exitPass || run.Summary.Pass != 2 {
				t.Errorf("exit code %d, %+v\n%s", code, run.Summary, stderr)
			}
			if strings.Contains(text+stderr, theKey) {
				t.Error("the key is in the report or on standard error")
			}
			left := row.name
			if row.in == "cookie" {
				left = "Cookie"
			}
			if !strings.Contains(text, "sent without "+left) {
				t.Errorf("no note says that %s was left out", left)
			}
		})
	}
}
