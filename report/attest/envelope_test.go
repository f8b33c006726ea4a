// SPDX-License-Identifier: Apache-2.0

package attest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
)

// TestPreAuthEncoding has the vectors of the DSSE specification and of its reference implementations.
func TestPreAuthEncoding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, payload, want string }{
		{"", "", "DSSEv1 0  0 "},
		{"http://example.com/HelloWorld", "hello world", "DSSEv1 29 http://example.com/HelloWorld 11 hello world"},
		{"http://example.com/HelloWorld", "ಠ", "DSSEv1 29 http://example.com/HelloWorld 3 ಠ"},
		{"ಠ", "x", "DSSEv1 3 ಠ 1 x"},
	} {
		if got := string(preAuthEncoding(c.kind, []byte(c.payload))); got != c.want {
			t.Errorf("PAE(%q, %q) is %q, want %q", c.kind, c.payload, got, c.want)
		}
	}
}

// TestSignatureOfTheSpecification: the signature of protocol.md (ECDSA P-256) holds over our encoding of its payload.
func TestSignatureOfTheSpecification(t *testing.T) {
	t.Parallel()
	number := func(text string) *big.Int {
		n, ok := new(big.Int).SetString(text, 10)
		if !ok {
			t.Fatal(text)
		}
		return n
	}
	point := append([]byte{4}, number("46950820868899156662930047687818585632848591499744589407958293238635476079160").FillBytes(make([]byte, 32))...)
	point = append(point, number("5640078356564379163099075877009565129882514886557779369047442380624545832820").FillBytes(make([]byte, 32))...)
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := decode("A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA==")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(preAuthEncoding("http://example.com/HelloWorld", []byte("hello world")))
	r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])
	if !ecdsa.Verify(key, sum[:], r, s) {
		t.Error("the signature does not hold")
	}
}

// TestDecode: both alphabets, with and without padding, are lawful; anything else is not base64.
func TestDecode(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 3, 63, 64, 65} {
		want := bytes.Repeat([]byte{0xfb, 0xff, 0xbe}, 22)[:n]
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			if got, err := decode(encoding.EncodeToString(want)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is %x, want %x: %v", encoding.EncodeToString(want), got, want, err)
			}
		}
	}
	for text, what := range map[string]string{
		"-_+/":      "both alphabets",
		"AAA\nA":    "a line break",
		"AAAA\r\n":  "a line break at the end",
		"AA AA":     "a blank",
		"AB==":      "bits that belong to no byte",
		"AB":        "the same without padding",
		"AA=":       "half of the padding",
		"AAA==":     "too much padding",
		"AAAA====":  "padding alone",
		"AA==AA==":  "padding in the middle",
		"A":         "a character that makes no byte",
		"=":         "nothing but padding",
		"AAAA\x00":  "a control character",
		"AAAAéAAAA": "a letter of no alphabet",
	} {
		if got, err := decode(text); err == nil {
			t.Errorf("%s: %q is taken for %x", what, text, got)
		}
	}
}

func TestParseEnvelope(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, says string }{
		"empty":                {"", "it is no JSON"},
		"blanks":               {" \n", "it is no JSON"},
		"cut":                  {`{"payload":"e30=",`, "1:19: it is no JSON: unexpected EOF"},
		"not UTF-8":            {"{\"payload\":\"\xff\"}", "it is not UTF-8"},
		"another JSON":         {`{"verdict":"pass"}`, "payloadType or payload is missing; want a DSSE envelope"},
		"a list":               {`[]`, "cannot unmarshal array"},
		"no signature":         {`{"payloadType":"a","payload":"e30=","signatures":[]}`, "there is no signature"},
		"two payloads":         {"{\"payload\":\"e30=\",\n\"payloadType\":\"a\",\"payload\":\"e31=\"}", `2:19: the member "payload" appears twice`},
		"two signatures' sigs": {`{"payload":"e30=","payloadType":"a","signatures":[{"sig":"","Sig":""}]}`, `the member "Sig" appears twice`},
		"a long s":             {`{"sig":1,"ſig":2}`, "appears twice"},
		"two lines":            {"{\"payload\":\"e30=\"}\n{\"payload\":\"e30=\"}\n", "2:1: there is text after the JSON value"},
		"deep":                 {strings.Repeat("[", 200), "nested deeper than 100"},
		"many signatures":      {`{"payload":"e30=","payloadType":"a","signatures":[{}` + strings.Repeat(",{}", 100) + `]}`, "there are 101 signatures"},
		"long":                 {strings.Repeat(" ", MaxEnvelope+1), "longer than 16 MiB"},
	} {
		if _, err := ParseEnvelope([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: says %v, want %q", name, err, c.says)
		}
	}
}

// TestOneGoodSignatureIsEnough: the others may be of other keys, of other kinds, or unreadable.
func TestOneGoodSignatureIsEnough(t *testing.T) {
	t.Parallel()
	text, err := seal("a/b", []byte("payload"), testKey)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ParseEnvelope(text)
	if err != nil {
		t.Fatal(err)
	}
	good := e.Signatures[0]
	good.KeyID = "a hint that nobody signs"
	e.Signatures = []Signature{{Sig: "%"}, {Sig: ""}, {Sig: base64.StdEncoding.EncodeToString(make([]byte, 64))}, good}
	if payload, err := e.Verify(public(testKey)); err != nil || string(payload) != "payload" {
		t.Errorf("payload is %q: %v", payload, err)
	}
	e.Signatures = e.Signatures[:3]
	_, err = e.Verify(public(testKey))
	if err == nil || !strings.Contains(err.Error(), "none of 3 signatures") || !strings.Contains(err.Error(), "signatures[0].sig: illegal base64") {
		t.Errorf("says %v", err)
	}
	e.Signatures = []Signature{good}
	e.Payload = base64.StdEncoding.EncodeToString([]byte("Payload"))
	if _, err := e.Verify(public(testKey)); err == nil || !strings.Contains(err.Error(), "not made with this key over these bytes") {
		t.Errorf("says %v", err)
	}
}

// FuzzEnvelope: no bytes make the reader panic, and nothing is believed that the key has not signed.
func FuzzEnvelope(f *testing.F) {
	f.Add(fixture(f, "elsewhere.intoto.json"))
	sealed, err := seal(PayloadType, []byte(`{"_type":"`+StatementType+`"}`), testKey)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Add([]byte(`{"payloadType":"a","payload":"e30","signatures":[{"sig":"-_"}]}`))
	key, err := ParsePublicKey(fixture(f, "elsewhere.pem"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := ParseEnvelope(text)
		if err != nil {
			return
		}
		for _, key := range []ed25519.PublicKey{key, public(testKey)} {
			payload, err := e.Verify(key)
			if err != nil {
				continue
			}
			// Nobody can sign but us, so this is what was signed, in another dress.
			if _, err := ParseStatement(e.PayloadType, payload); err == nil && !json.Valid(payload) {
				t.Errorf("a statement that is no JSON: %q", payload)
			}
		}
		if payload, err := decode(e.Payload); err == nil {
			if s, err := ParseStatement(PayloadType, payload); err == nil {
				_, _ = s.Agrees([]byte(`{"schema":"agentic-sandbox-conformance/report/v1","verdict":"pass","results":[]}`))
			}
		}
	})
}
