// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

const aKeySet = `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"k1"}]}`

// TestKeysOfACard: a card says where its keys are, and only its own host and whom the operator named are asked.
func TestKeysOfACard(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, []byte(aKeySet), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		jku    string // %own and %other stand for two servers; empty: none
		jwks   string // what the operator gave
		keys   string // what the server of the keys answers; empty: a key set
		want   string // a condition on the result
		visits int32  // to the server of the keys
	}{
		"on its own host": {jku: "%own/keys", want: `{keys: {length: 1}, checked: [".signatures[0]"], unchecked: [],
          sets: {length: 1, each: {.fetched: true, .status: 200, .named: {length: 1}, .kid: k1, .alg: EdDSA}}}`, visits: 1},
		"on another port of its host": {jku: "%other/keys", want: `{keys: {length: 1}}`, visits: 1},
		"on another host": {jku: "http://keys.invalid/keys", want: `{keys: [], checked: [], sets: {each: {.fetched: false}},
          unchecked: {length: 2, last: {contains: "http://keys.invalid/keys is on another host"}}}`},
		"on another host, whose key the operator gave": {jku: "http://keys.invalid/keys", jwks: "file",
			want: `{keys: {length: 1}, checked: [".signatures[0]"], unchecked: [], sets: {each: {.fetched: false}}}`},
		"at a path":                       {jku: "/keys", want: `{keys: [], sets: {each: {.fetched: false}}}`},
		"in a file":                       {jku: "file:///etc/passwd", want: `{keys: [], sets: {each: {.fetched: false}}}`},
		"nowhere":                         {want: `{keys: [], sets: [], unchecked: {length: 1, first: {contains: "names key \"k1\", which is not there"}}}`},
		"nowhere, and the operator's URL": {jwks: "%other/keys", want: `{keys: {length: 1}, sets: [], checked: {length: 1}}`, visits: 1},
		"no key set": {jku: "%own/keys", keys: "[]", want: `{keys: [], sets: {each: {.problem: {contains: "no JSON with an array keys"}}}}`,
			visits: 1},
		"not that key": {jku: "%own/keys", keys: `{"keys":[{"kty":"OKP","kid":"k2"}]}`, want: `{sets: {each: {.named: []}}, unchecked: {length: 1}}`,
			visits: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var visits atomic.Int32
			serveKeys := func(w http.ResponseWriter, r *http.Request) {
				visits.Add(1)
				if r.Header.Get("Authorization") != "" {
					t.Error("the credentials of the run are shown to the server of the keys")
				}
				if row.keys == "" {
					fmt.Fprint(w, aKeySet)
					return
				}
				fmt.Fprint(w, row.keys)
			}
			other := httptest.NewServer(http.HandlerFunc(serveKeys))
			t.Cleanup(other.Close)
			var own *httptest.Server
			places := func(text string) string {
				return strings.NewReplacer("%own", own.URL, "%other", other.URL).Replace(text)
			}
			own = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/keys" {
					serveKeys(w, r)
					return
				}
				header := `{"alg":"EdDSA","kid":"k1"}`
				if row.jku != "" {
					header = `{"alg":"EdDSA","kid":"k1","jku":"` + places(row.jku) + `"}`
				}
				fmt.Fprintf(w, `{"name":"n","signatures":[{"protected":%q,"signature":"AAAA"}]}`, base64.RawURLEncoding.EncodeToString([]byte(header)))
			}))
			t.Cleanup(own.Close)
			profile, err := suites.LoadProfile(fstest.MapFS{"a2a-1.0/x.yaml": {Data: []byte(`suite: x
tests:
  - id: T-1
    test: t
    must: m
    steps:
      - request: GET ${card_url}
        as: anonymous
        keep: {card: body}
      - hook: card-keys
        with: {card: "${card}"}
        expect: {result: ` + row.want + `}
`)}}, "a2a-1.0")
			if err != nil {
				t.Fatal(err)
			}
			config := Target{ExecutorURL: own.URL, Tokens: map[string]string{"instance": "a token of the run"}}
			if row.jwks == "file" {
				config.JWKS = file
			} else if row.jwks != "" {
				config.JWKS = places(row.jwks)
			}
			run, err := Run(context.Background(), profile, config, Options{Jobs: 1})
			if err != nil {
				t.Fatal(err)
			}
			if result := run.Results[0]; result.Outcome != "pass" {
				t.Errorf("%s: %v %v", result.Outcome, result.Reason, result.Findings)
			}
			if got := visits.Load(); got != row.visits {
				t.Errorf("the server of the keys was asked %d times, want %d", got, row.visits)
			}
		})
	}
}
