// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/gowebpki/jcs"
)

// The vector of the contract for card signatures: the example key of RFC 8037.
func TestCardSignatureVector(t *testing.T) {
	t.Parallel()
	seed, err := base64.RawURLEncoding.DecodeString("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A")
	if err != nil {
		t.Fatal(err)
	}
	card := map[string]any{
		"version": "1", "name": "n", "description": "d", "signature": "not signed",
		"capabilities": map[string]any{"streaming": true, "extensions": []any{}},
	}
	form := canonical(card)
	if got, want := digest(string(form)), "6778cd548bbd31b6452a9ac0567dd0a9d7e87657fe34d64ad234e03d8be32545"; got != want {
		t.Errorf("canonical card has digest %s, want %s", got, want)
	}
	key := jose.SigningKey{Algorithm: jose.EdDSA, Key: ed25519.NewKeyFromSeed(seed)}
	got, err := sign(key, "k1", form).CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	want := "eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0" +
		".eyJjYXBhYmlsaXRpZXMiOnsiZXh0ZW5zaW9ucyI6W10sInN0cmVhbWluZyI6dHJ1ZX0sImRlc2NyaXB0aW9uIjoiZCIsIm5hbWUiOiJuIiwidmVyc2lvbiI6IjEifQ" +
		".1N6mkh1m9qvYXix7UNULjiUCrCIM0nJJHNm_j03VnzgVnNHXXrnA-Cd9p1w-zCjhdtlWyONYU8eq3UArULYWBA"
	if got != want {
		t.Errorf("signature is\n%s, want\n%s", got, want)
	}
}

func TestPayloadHashVector(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"configuration":{"blocking":false},"message":{"contextId":"ctx-1","messageId":"x","parts":[{"kind":"text","text":"hello"}],"role":"user"}}`,
		`{ "message": {"role":"user", "parts":[{"text":"h\u0065llo","kind":"text"}], "messageId":"y", "contextId":"ctx-1"}, "configuration":{"blocking":false} }`,
	} {
		v, p := parseBody([]byte(text))
		if p != nil {
			t.Fatal(p)
		}
		s, p := readSending(v.(map[string]any))
		if p != nil {
			t.Fatal(p)
		}
		got, err := payloadHash(s)
		if err != nil {
			t.Fatal(err)
		}
		if want := "8426cbd3181a5f34b6a06bc9299275a654afb2974c51524a1284bb681bb47f71"; got != want {
			t.Errorf("hash of %s is %s, want %s", text, got, want)
		}
	}
}

func TestPushSignatureVector(t *testing.T) {
	t.Parallel()
	body := `{"task_id":"t-1","status_event":{"kind":"task_status","task_id":"t-1","status":{"state":"canceled"}}}`
	got := pushSignature("push-secret-1", []byte(body), time.Unix(1767225600, 0))
	if want := "t=1767225600,v1=c2a1fea8a546f736c839f516d5ab5ffe8aea60486264ce0295cfdb0c4d81155c"; got != want {
		t.Errorf("signature is %s, want %s", got, want)
	}
}

func TestSunset(t *testing.T) {
	t.Parallel()
	for override, want := range map[string]string{
		"":                               defaultSunset,
		"Mon, 01 Jan 2029 00:00:00 GMT":  "Mon, 01 Jan 2029 00:00:00 GMT",
		"2029-01-01":                     defaultSunset,
		"Tue, 01 Jan 2029 00:00:00 GMT":  defaultSunset, // another weekday
		"Monday, 01-Jan-29 00:00:00 GMT": defaultSunset,
		"Mon, 1 Jan 2029 00:00:00 GMT":   defaultSunset,
		"Mon, 01 Jan 2029 00:00:00 UTC":  defaultSunset,
		"Thu, 31 Feb 2028 00:00:00 GMT":  defaultSunset,
	} {
		if got := sunset(override); got != want {
			t.Errorf("sunset(%q) is %q, want %q", override, got, want)
		}
	}
}

// The card is signed over what is served, whatever the order and white space it is served in.
func TestServedCardVerifies(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{PublicURL: "https://sandbox.example"})
	orders := map[string]bool{}
	forms := map[string]bool{}
	for range 8 {
		card := b.do("GET", ".well-known/agent-card.json", "")
		orders[string(card.body)] = true
		forms[verify(t, b, card)] = true
		verify(t, b, b.do("GET", "v1/extendedAgentCard", ""))
	}
	if len(orders) < 2 {
		t.Error("the card is served in the same bytes each time")
	}
	if len(forms) != 1 {
		t.Errorf("the card has %d canonical forms", len(forms))
	}
	first := b.do("GET", ".well-known/agent-card.json", "")
	if r := b.do("GET", ".well-known/agent-card.json", "", "If-None-Match", first.header.Get("ETag")); r.status != 304 || len(r.body) != 0 {
		t.Errorf("If-None-Match is answered %d with %d bytes", r.status, len(r.body))
	}
	for _, v := range first.json["supportedInterfaces"].([]any) {
		if url := v.(map[string]any)["url"].(string); !strings.HasPrefix(url, "https://sandbox.example/") && !strings.HasPrefix(url, "wss://sandbox.example/") {
			t.Errorf("interface url is %s", url)
		}
	}
}

// verify checks a card as the guide's recipe says, and returns its canonical form.
func verify(t *testing.T, b *bench, r httpAnswer) string {
	t.Helper()
	whole, err := jcs.Transform(r.body)
	if err != nil {
		t.Fatal(err)
	}
	var card map[string]json.RawMessage
	if err := json.Unmarshal(whole, &card); err != nil {
		t.Fatal(err)
	}
	var signatures []struct{ Protected, Signature string }
	if err := json.Unmarshal(card["signatures"], &signatures); err != nil || len(signatures) != 1 {
		t.Fatalf("signatures are %s", card["signatures"])
	}
	delete(card, "signatures")
	bare, err := json.Marshal(card)
	if err != nil {
		t.Fatal(err)
	}
	form, err := jcs.Transform(bare)
	if err != nil {
		t.Fatal(err)
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(b.do("GET", ".well-known/jwks.json", "").body, &set); err != nil {
		t.Fatal(err)
	}
	jws, err := jose.ParseDetached(signatures[0].Protected+".."+signatures[0].Signature, form, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jws.Verify(set.Key(jws.Signatures[0].Protected.KeyID)[0]); err != nil {
		t.Errorf("the signature does not verify: %v", err)
	}
	return string(form)
}
