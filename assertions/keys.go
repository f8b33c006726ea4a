// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

var keyResolvedInWord = Word{
	Name: "key_resolved_in",
	Means: "is a card, and the kid in the protected header of every signature is that of exactly one key of this list, and alg and " +
		"kid, where the unprotected header repeats them, are the same there",
	Takes: Literal,
	Judge: func(got, want any) error {
		keys, err := keyList("key_resolved_in", want)
		if err != nil {
			return err
		}
		c, err := readCard(got)
		if err != nil {
			return err
		}
		for _, s := range c.signatures {
			header, err := s.header()
			if err != nil {
				return err
			}
			if err := resolved(&s, header, keys); err != nil {
				return err
			}
		}
		return nil
	},
}

func resolved(s *cardSignature, header map[string]any, keys []any) error {
	at := s.at + ".protected.kid"
	kid, is := header["kid"].(string)
	if !is || kid == "" {
		return &Problem{Path: at, Seen: "is " + show(orMissing(header, "kid")), Wanted: "the id of a key"}
	}
	for _, name := range []string{"alg", "kid"} {
		if repeated, there := s.loose[name]; there && !equal(repeated, orMissing(header, name)) {
			return &Problem{Path: s.at + ".header." + name, Seen: "is " + show(repeated),
				Wanted: show(orMissing(header, name)) + " as in the protected header"}
		}
	}
	switch n := len(withKid(keys, kid)); n {
	case 1:
		return nil
	case 0:
		return &Problem{Path: at, Seen: "is " + show(kid) + ", but no published key has that id" + otherKeys(keys)}
	default:
		return &Problem{Path: at, Seen: fmt.Sprintf("is %s, the id of %d published keys", show(kid), n), Wanted: "of one"}
	}
}

var signingKeyWord = Word{
	Name:  "signing_key",
	Means: "is a list of keys, or a key set, with the key that each signature of this card names, and that key fits",
	Takes: Named,
	Args: []Arg{
		{Name: "of", Takes: Literal, Required: true},
		{Name: "is", Takes: Nested, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		keys, err := keyList("", got)
		if err != nil {
			return seen(got, "a list of keys")
		}
		c, err := readCard(args["of"])
		if err != nil {
			return fmt.Errorf("signing_key was given a card that %v", err)
		}
		for _, s := range c.signatures {
			header, err := s.header()
			if err != nil {
				return fmt.Errorf("signing_key was given a card that %v", err)
			}
			named := withKid(keys, header["kid"])
			if len(named) == 0 {
				return &Problem{Seen: "has no key with the id " + show(header["kid"]) + otherKeys(keys)}
			}
			for _, key := range named {
				if err := args["is"].(Value).Judge(key); err != nil {
					return below(elementPath(indexOf(keys, key)), err)
				}
			}
		}
		return nil
	},
}

var publicKeysOnlyWord = Word{
	Name:   "public_keys_only",
	Means:  "is JSON without the private part of a key: no object with kty has d, p, q, dp, dq, qi, oth or k, and no text says PRIVATE KEY",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		if body, is := got.(Body); is {
			got = body.JSON
		}
		switch got.(type) {
		case map[string]any, []any:
			return privatePart(got)
		}
		return seen(got, "a JSON object or list")
	},
}

var privateMembers = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}

func privatePart(v any) error {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "PRIVATE KEY") {
			return &Problem{Seen: "holds a PRIVATE KEY in PEM form", Wanted: "public keys only"}
		}
	case []any:
		for i := range v {
			if err := privatePart(v[i]); err != nil {
				return below(elementPath(i), err)
			}
		}
	case map[string]any:
		if _, isKey := v["kty"]; isKey {
			for _, name := range privateMembers {
				if _, there := v[name]; there {
					return &Problem{Seen: fmt.Sprintf("is %s with its private member %s", keyName(v), name), Wanted: "public keys only"}
				}
			}
		}
		for _, name := range sortedKeys(v) {
			if err := privatePart(v[name]); err != nil {
				return below(memberPath(name), err)
			}
		}
	}
	return nil
}

func keyName(key map[string]any) string {
	if kid, there := key["kid"]; there {
		return "key " + show(kid)
	}
	return "a key without kid"
}

// withKid returns the keys that have an id.
func withKid(keys []any, kid any) []map[string]any {
	var found []map[string]any
	for _, k := range keys {
		key, is := k.(map[string]any)
		if text, isText := key["kid"].(string); is && isText && text == kid {
			found = append(found, key)
		}
	}
	return found
}

func indexOf(keys []any, key map[string]any) int {
	for i := range keys {
		if equal(keys[i], key) {
			return i
		}
	}
	return 0
}

// otherKeys ends a sentence about a key that is not there.
func otherKeys(keys []any) string {
	var ids []any
	for _, k := range keys {
		if key, is := k.(map[string]any); is {
			ids = append(ids, orMissing(key, "kid"))
		}
	}
	if len(ids) == 0 {
		return ", nor is there any other"
	}
	return ", only " + listed(ids, "and")
}

// publicKey decodes one JWK by itself: a set is refused as a whole for a single key of an unknown kind. Its private part is
// left out, which public_keys_only looks at, and which need not belong to the rest.
func publicKey(key map[string]any) (any, error) {
	if use, there := key["use"]; there && use != "sig" {
		return nil, fmt.Errorf("its use is %s, not \"sig\"", show(use))
	}
	public := maps.Clone(key)
	for _, name := range privateMembers {
		if name != "k" { // of a shared secret it is all
			delete(public, name)
		}
	}
	// In another base64 it is the same key; that it is in base64url is judged of the key set.
	if x, is := public["x"].(string); is {
		public["x"] = strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(x, "="))
	}
	text, err := json.Marshal(public)
	if err != nil {
		return nil, err
	}
	var jwk jose.JSONWebKey
	if err := jwk.UnmarshalJSON(text); err != nil {
		// The library's text can quote the key, and a key that should be public may not be.
		return nil, errors.New("it is not a valid JWK")
	}
	if decoded := jwk.Public(); decoded.Valid() {
		return decoded.Key, nil
	}
	return nil, errors.New("it has no public part")
}
