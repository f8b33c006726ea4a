// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/gowebpki/jcs"
)

const algorithmsSchema = `{"type": "array", "minItems": 1, "items": {"enum": ["EdDSA", "Ed25519", "ES256", "ES384", "ES512", ` +
	`"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]}}`

var signedByWord = Word{
	Name: "signed_by",
	Means: "is a card with a signature that verifies, under the key of this list that its kid names, over the card without " +
		"signatures in canonical form (RFC 8785); algorithms are EdDSA and Ed25519 unless others are named",
	Takes: Named,
	Args: []Arg{
		{Name: "keys", Takes: Literal, Required: true},
		{Name: "algorithms", Takes: Literal, Schema: algorithmsSchema},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		keys, err := keyList("signed_by", args["keys"])
		if err != nil {
			return err
		}
		return verifyCard(got, keys, algorithms(args))
	},
}

var verifiesWord = Word{
	Name:  "verifies",
	Means: "is a list of keys, or a key set, under which this card verifies as signed_by wants it",
	Takes: Named,
	Args: []Arg{
		{Name: "card", Takes: Literal, Required: true},
		{Name: "algorithms", Takes: Literal, Schema: algorithmsSchema},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		keys, err := keyList("", got)
		if err != nil {
			return seen(got, "a list of keys")
		}
		err = verifyCard(args["card"], keys, algorithms(args))
		var p *Problem
		if errors.As(err, &p) {
			return &Problem{Seen: "does not verify the card: " + p.Error()}
		}
		return err
	},
}

func algorithms(args NamedArgs) []any {
	if list, given := args["algorithms"].([]any); given {
		return list
	}
	return []any{"EdDSA", "Ed25519"}
}

// keyList is a list of JWKs, or the keys of a key set.
func keyList(word string, v any) ([]any, error) {
	if set, is := v.(map[string]any); is {
		v = set["keys"]
	}
	return listArgument(word, v)
}

func verifyCard(got any, keys, algorithms []any) error {
	c, err := readCard(got)
	if err != nil {
		return err
	}
	var why []string
	for _, s := range c.signatures {
		err := c.verify(&s, keys, algorithms)
		if err == nil {
			return nil
		}
		why = append(why, err.Error())
	}
	return &Problem{Seen: "is signed, but no signature verifies: " + strings.Join(why, "; ")}
}

// verify says why one signature does not verify.
func (c *card) verify(s *cardSignature, keys, algorithms []any) error {
	header, err := s.header()
	if err != nil {
		return err
	}
	if err := acceptable(header, algorithms); err != nil {
		return below(s.at+".protected", err)
	}
	if err := checkBase64URL(s.signature); err != nil || s.signature == "" {
		return &Problem{Path: s.at, Seen: "has the signature " + show(s.signature), Wanted: "unpadded base64url"}
	}
	named := withKid(keys, header["kid"])
	if len(named) == 0 {
		return &Problem{Path: s.at, Seen: "cannot be checked: no published key has the id " + show(header["kid"]) + otherKeys(keys)}
	}
	for _, key := range named {
		public, keyErr := publicKey(key)
		if keyErr != nil {
			err = &Problem{Path: s.at, Seen: fmt.Sprintf("names key %s, which cannot be used: %v", show(header["kid"]), keyErr)}
			continue
		}
		if !s.covers(c.canonical, header["alg"], public) {
			err = c.mismatch(s, header, public)
			continue
		}
		if s.covers(withOtherName(c.canonical), header["alg"], public) {
			return &Problem{Path: s.at, Seen: "verifies even after a byte of the card was changed"}
		}
		return nil
	}
	return err
}

// acceptable checks the header parameters that libraries are known to let pass.
func acceptable(header map[string]any, algorithms []any) error {
	if !slices.Contains(algorithms, header["alg"]) {
		return &Problem{Path: ".alg", Seen: "is " + show(orMissing(header, "alg")), Wanted: listed(algorithms, "or")}
	}
	if crit, there := header["crit"]; there {
		return &Problem{Path: ".crit", Seen: "is " + show(crit), Wanted: "no critical parameters"}
	}
	if b64, there := header["b64"]; there && b64 != true {
		return &Problem{Path: ".b64", Seen: "is " + show(b64), Wanted: "a payload in base64url"}
	}
	if kid, is := header["kid"].(string); !is || kid == "" {
		return &Problem{Path: ".kid", Seen: "is " + show(orMissing(header, "kid")), Wanted: "the id of a key"}
	}
	return nil
}

// covers says whether the signature is one of payload under key.
func (s *cardSignature) covers(payload []byte, alg, key any) bool {
	signature, err := base64.RawURLEncoding.DecodeString(s.signature)
	if err != nil {
		return false
	}
	if public, is := key.(ed25519.PublicKey); is {
		input := s.protected + "." + base64.RawURLEncoding.EncodeToString(payload)
		return (alg == "EdDSA" || alg == "Ed25519") && ed25519.Verify(public, []byte(input), signature)
	}
	name, _ := alg.(string)
	jws, err := jose.ParseDetached(s.protected+".."+s.signature, payload, []jose.SignatureAlgorithm{jose.SignatureAlgorithm(name)})
	if err != nil {
		return false
	}
	_, err = jws.Verify(key)
	return err == nil
}

// mismatch says as much as can be found out about a signature that does not fit the card.
func (c *card) mismatch(s *cardSignature, header map[string]any, key any) error {
	sum := sha256.Sum256(c.canonical)
	seen := fmt.Sprintf("does not fit the canonical card (%d bytes, SHA-256 %s) under key %s",
		len(c.canonical), hex.EncodeToString(sum[:]), show(header["kid"]))
	if reduced := withoutDefaults(c.canonical); s.covers(reduced, header["alg"], key) {
		return &Problem{Path: s.at, Seen: seen + "; it fits when members with default values are removed, which this contract does not do"}
	}
	if s.attached {
		if payload, err := s.attachedPayload(); err == nil && s.covers(payload, header["alg"], key) {
			return &Problem{Path: s.at, Seen: seen + "; it fits the payload it carries: " + firstDifference(payload, c.canonical)}
		}
	}
	return &Problem{Path: s.at, Seen: seen}
}

// withOtherName changes one byte of the card's name, or its last byte when it has none: the negative control.
func withOtherName(canonical []byte) []byte {
	changed := slices.Clone(canonical)
	at := len(changed) - 1
	if i := strings.Index(string(canonical), `"name":"`); i >= 0 {
		at = i + len(`"name":"`)
	}
	changed[at] ^= 1
	return changed
}

// withoutDefaults removes members with default values at every level, as other rules for signing cards do.
func withoutDefaults(canonical []byte) []byte {
	text, err := json.Marshal(dropDefaults(parsed(canonical)))
	if err != nil {
		return nil
	}
	reduced, err := jcs.Transform(text)
	if err != nil {
		return nil
	}
	return reduced
}

func dropDefaults(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, member := range v {
			if member = dropDefaults(member); !isDefault(member) {
				kept[name] = member
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = dropDefaults(v[i])
		}
		return kept
	}
	return v
}

func isDefault(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
