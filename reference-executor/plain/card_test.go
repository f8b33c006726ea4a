// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
)

// get reads a URL without credentials.
func get(t *testing.T, url string, header http.Header) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

func parsed(t *testing.T, text []byte) object {
	t.Helper()
	var v object
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestCardIsKept(t *testing.T) {
	t.Parallel()
	s := start(t, Config{})
	first, body := get(t, s.CardURL(), http.Header{})
	tag := first.Header.Get("ETag")
	if tag == "" || !strings.Contains(first.Header.Get("Cache-Control"), "max-age=") {
		t.Errorf("headers %v", first.Header)
	}
	second, again := get(t, s.CardURL(), http.Header{"If-None-Match": {`"another"`}})
	if second.Header.Get("ETag") != tag || string(again) != string(body) {
		t.Error("the card changes between two requests")
	}
	third, empty := get(t, s.CardURL(), http.Header{"If-None-Match": {`"another", W/` + tag}})
	if third.StatusCode != http.StatusNotModified || len(empty) > 0 {
		t.Errorf("with its ETag: %d %q", third.StatusCode, empty)
	}
}

// verify checks the signature of a card with the key that it points to.
func verify(t *testing.T, card object) {
	t.Helper()
	entry := card["signatures"].([]any)[0].(object)
	delete(card, "signatures")
	jws, err := jose.ParseDetached(entry["protected"].(string)+".."+entry["signature"].(string), canonical(card), []jose.SignatureAlgorithm{jose.ES256, jose.EdDSA})
	if err != nil {
		t.Fatal(err)
	}
	header := jws.Signatures[0].Protected
	_, text := get(t, header.ExtraHeaders["jku"].(string), http.Header{})
	var keys jose.JSONWebKeySet
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	found := keys.Key(header.KeyID)
	if len(found) != 1 {
		t.Fatalf("%d keys have the id %s", len(found), header.KeyID)
	}
	if err := jws.DetachedVerify(canonical(card), found[0]); err != nil {
		t.Errorf("the signature: %v", err)
	}
	if header.ExtraHeaders["typ"] != "JOSE" {
		t.Errorf("typ is %v", header.ExtraHeaders["typ"])
	}
}

func TestCardsAreSigned(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) { // both kinds of keys
		s := start(t, Config{Token: "one", Seed: seed + 1})
		_, text := get(t, s.CardURL(), http.Header{})
		public := parsed(t, text)
		verify(t, public)
		cl := &client{t: t, s: s, binding: BindingREST, token: "one", version: "1.0"}
		got := cl.call("GetExtendedAgentCard", object{})
		if control := got.header.Get("Cache-Control"); !strings.HasPrefix(control, "private") {
			t.Errorf("Cache-Control of the extended card is %q", control)
		}
		extended := got.result.(object)
		verify(t, extended)
		if cmp.Equal(public["skills"], extended["skills"]) {
			t.Error("the extended card says no more than the public one")
		}
	}
}

// TestCardHasNoDefaults is why canonical need not drop any: what has its default value is left out, free forms and the
// capabilities aside, which are declared false now and then.
func TestCardHasNoDefaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		for _, c := range []Config{{Token: "one"}, {Undeclared: Declarable}, {RequiredExtension: true, Tenant: "acme", Legacy: true}} {
			c.Seed = seed + 1
			_, text := get(t, start(t, c).CardURL(), http.Header{})
			walk(parsed(t, text), func(o object) {
				for name, v := range o {
					list, isList := v.([]any)
					members, isObject := v.(object)
					if v == nil || v == "" || v == 0.0 || isList && len(list) == 0 || isObject && len(members) == 0 && name != "capabilities" && name != "params" {
						t.Errorf("member %s is %v", name, v)
					}
				}
			})
		}
	}
}

func TestCardDeclaresWhatIsSetUp(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		why  string
		c    Config
		want object // members; nil: must be absent
	}{
		{"everything", Config{Token: "one"}, object{"securityRequirements": []any{object{"schemes": object{"bearer": object{"list": []any{"agent"}}}}}}},
		{"no token", Config{}, object{"securitySchemes": nil, "securityRequirements": nil}},
		{"nothing", Config{Token: "one", Undeclared: Declarable}, object{"securitySchemes": nil, "provider": nil, "signatures": nil}},
		{"only 0.3", Config{Only03: true}, object{"supportedInterfaces": nil, "protocolVersion": "0.3.0"}},
	} {
		s := start(t, row.c)
		_, text := get(t, s.CardURL(), http.Header{})
		card := parsed(t, text)
		for name, want := range row.want {
			if diff := cmp.Diff(want, card[name]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", row.why, name, diff)
			}
		}
	}
	s := start(t, Config{Bindings: []string{BindingRPC, BindingREST}, PublicURL: "https://agent.example.org/", Tenant: "acme", Legacy: true})
	_, text := get(t, s.CardURL(), http.Header{})
	want := []any{
		object{"url": "https://agent.example.org/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "acme"},
		object{"url": "https://agent.example.org/a2a", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0", "tenant": "acme"},
		object{"url": "https://agent.example.org/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "0.3", "tenant": "acme"},
	}
	if diff := cmp.Diff(want, parsed(t, text)["supportedInterfaces"]); diff != "" {
		t.Errorf("interfaces (-want +got):\n%s", diff)
	}
}
