// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
)

// The fixtures were made by others: they show that canonical form and signatures are those that everybody else has.
func fixture(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../fixtures/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCanonicalForm(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"structure", "sorting"} {
		got, err := jcs.Transform(fixture(t, "jcs/"+name+".in.json"))
		if want := string(fixture(t, "jcs/"+name+".out.json")); err != nil || string(got) != want {
			t.Errorf("%s is %s (%v), want %s", name, got, err, want)
		}
	}
	for line := range strings.Lines(string(fixture(t, "jcs/numbers.txt"))) {
		var bits uint64
		var want string
		if _, err := fmt.Sscanf(line, "%x %s", &bits, &want); err != nil {
			t.Fatal(err)
		}
		number := strconv.FormatFloat(math.Float64frombits(bits), 'e', -1, 64)
		if got, err := jcs.Transform([]byte(number)); err != nil || string(got) != want {
			t.Errorf("%x is %s (%v), want %s", bits, got, err, want)
		}
	}
}

func TestHashOfAPayload(t *testing.T) {
	t.Parallel()
	var body any
	decoder := json.NewDecoder(bytes.NewReader(fixture(t, "idempotency/body.json")))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		t.Fatal(err)
	}
	args := NamedArgs{"of": body, "without": []any{"message.messageId"}}
	hash := strings.TrimSpace(string(fixture(t, "idempotency/sha256.txt")))
	if err := jcsSHA256Word.Judge(hash, args); err != nil {
		t.Error(err)
	}
	delete(args, "without")
	if err := jcsSHA256Word.Judge(hash, args); err == nil {
		t.Error("the hash with the messageId is taken")
	}
	for _, name := range []string{"structure", "sorting"} {
		decoder := json.NewDecoder(bytes.NewReader(fixture(t, "jcs/"+name+".in.json")))
		decoder.UseNumber()
		if err := decoder.Decode(&body); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(fixture(t, "jcs/"+name+".out.json"))
		if err := jcsSHA256Word.Judge(hex.EncodeToString(sum[:]), NamedArgs{"of": body}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSignatureOfRFC8037(t *testing.T) {
	t.Parallel()
	var jwk map[string]any
	if err := json.Unmarshal(fixture(t, "jws/rfc8037-a2.jwk"), &jwk); err != nil {
		t.Fatal(err)
	}
	key, err := publicKey(jwk)
	if err != nil {
		t.Fatal(err)
	}
	if _, is := key.(ed25519.PublicKey); !is {
		t.Fatalf("the key is %T", key)
	}
	jwk["d"] = "AAAA" // who publishes a private part deviates, and the key is the same
	if _, err := publicKey(jwk); err != nil {
		t.Errorf("the key with another private part: %v", err)
	}
	var s cardSignature
	if err := s.compact(string(fixture(t, "jws/rfc8037-a4.jws"))); err != nil {
		t.Fatal(err)
	}
	payload, err := s.attachedPayload()
	if err != nil || string(payload) != "Example of Ed25519 signing" {
		t.Errorf("the payload is %q (%v)", payload, err)
	}
	if !s.covers(payload, "EdDSA", key) {
		t.Error("the signature does not verify")
	}
	if s.covers([]byte("Example of Ed25519 signinG"), "EdDSA", key) {
		t.Error("the signature verifies over another payload")
	}
}

func TestCanonicalCard(t *testing.T) {
	t.Parallel()
	want := string(fixture(t, "card/canonical.json"))
	for _, name := range []string{"attached", "detached-compact", "detached-members", "top-level"} {
		c, err := readCard(body(fixture(t, "card/"+name+".json")))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if string(c.canonical) != want {
			t.Errorf("%s: the canonical form is %s, want %s", name, c.canonical, want)
		}
	}
}

func TestEventStreamsOfTheStandard(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"stock":       `["YHOO\n+2\n10"]`,
		"four-blocks": `["first event","second event"]`,
		"empty-data":  `["\n"]`, // and an empty one, which the contract leaves out
		"space":       `["test","test"]`,
		"named":       `["73857293","2153","113411"]`,
	}
	for name, want := range tests {
		var r EventReader
		events, _ := r.Feed(fixture(t, "sse/"+name+".txt"))
		data := make([]string, len(events))
		for i, e := range events {
			data[i] = e.Data
		}
		if got, _ := json.Marshal(data); string(got) != want {
			t.Errorf("%s: the data is %s, want %s", name, got, want)
		}
	}
}
