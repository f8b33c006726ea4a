// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// plainAlgorithms are those whose signatures can be checked.
var plainAlgorithms = []any{"EdDSA", "Ed25519", "ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}

// Ways in which a signature can fit a card, beside its forms.
const (
	deviating = "deviating" // the text that was signed is not that of RFC 8785
	partial   = "partial"   // members of the card were left out
)

// A signatureFit is how a signature fits a card.
type signatureFit struct {
	form    *cardForm
	how     string   // of the form's name, deviating and partial
	writing *writing // deviating
	left    []string // partial: the places that were left out
}

// String continues "it fits".
func (f *signatureFit) String() string {
	switch f.how {
	case deviating:
		return f.form.String() + " with " + f.writing.String()
	case partial:
		return f.form.String() + " without " + strings.Join(f.left, ", ")
	}
	return f.form.String()
}

// means says in brackets what the form is.
func (f *signatureFit) means() string { return meaningOf(f.how) }

// formMeans say of the forms of a card what a signer leaves out.
var formMeans = map[string]string{
	"A": "what is REQUIRED or explicitly set is kept", "B": "all that is empty is left out", "C": "the card as it came", "D": "all default values are left out",
}

func meaningOf(form string) string {
	if formMeans[form] == "" {
		return ""
	}
	return " (" + formMeans[form] + ")"
}

// A checkable signature names a key that is there, and an algorithm that is known.
type checkable struct {
	cardSignature
	alg  any
	keys []any // public, as the libraries take them
}

// check says why a signature cannot be checked.
func (s *cardSignature) check(keys []any) (*checkable, error) {
	header, err := s.header()
	if err != nil {
		return nil, err
	}
	why := func(format string, args ...any) error {
		return &Problem{Path: s.at, Seen: fmt.Sprintf(format, args...)}
	}
	switch {
	case !slices.Contains(plainAlgorithms, header["alg"]):
		return nil, why("has alg %s, which cannot be checked", show(orMissing(header, "alg")))
	case header["crit"] != nil:
		return nil, why("has critical parameters: %s", show(header["crit"]))
	case header["b64"] != nil && header["b64"] != true:
		return nil, why("has b64 %s", show(header["b64"]))
	case s.signature == "" || checkBase64URL(s.signature) != nil:
		return nil, why("is no unpadded base64url")
	}
	candidates := withKid(keys, header["kid"])
	if _, named := header["kid"].(string); !named { // that it should be named is for another test
		for _, key := range keys {
			if object, is := key.(map[string]any); is {
				candidates = append(candidates, object)
			}
		}
	}
	if len(candidates) == 0 {
		return nil, why("names key %s, which is not there%s", show(orMissing(header, "kid")), otherKeys(keys))
	}
	c := &checkable{cardSignature: *s, alg: header["alg"]}
	for _, key := range candidates[:min(len(candidates), maxKeys)] {
		public, keyErr := publicKey(key)
		if big, is := public.(*rsa.PublicKey); is && big.N.BitLen() > longestModulus {
			keyErr = fmt.Errorf("its modulus has more than %d bits", longestModulus)
		}
		if keyErr != nil {
			err = why("names key %s, which cannot be used: %v", show(orMissing(header, "kid")), keyErr)
			continue
		}
		c.keys = append(c.keys, public)
	}
	if len(c.keys) == 0 {
		return nil, err
	}
	return c, nil
}

// covers says whether the signature is one of payload under one of its keys.
func (s *checkable) covers(payload []byte) bool {
	return slices.ContainsFunc(s.keys, func(key any) bool { return s.cardSignature.covers(payload, s.alg, key) })
}

// What a card may cost: it comes from somebody whom nobody knows.
const (
	maxSignatures  = 16        // that are looked at
	maxKeys        = 4         // of one name
	longestModulus = 16384     // in bits, of an RSA key
	longestSought  = 128 << 10 // in bytes, of a card for which it is sought what else was signed
	maxChanged     = 32 << 20  // in bytes, of all changed cards together
)

// checkables are the signatures of a card that can be checked, and why the others cannot.
func (c *plainCard) checkables(keys []any) (can []*checkable, cannot []string) {
	for i := range c.signatures {
		if i >= maxSignatures {
			return can, append(cannot, fmt.Sprintf("only the first %d of %d signatures are looked at", i, len(c.signatures)))
		}
		s, err := c.signatures[i].check(keys)
		if err != nil {
			cannot = append(cannot, err.Error())
			continue
		}
		can = append(can, s)
	}
	return can, cannot
}

// fits finds out how a signature fits the card; nil: it does not. The forms come first; only where none fits, what is
// known to go wrong is tried.
func (c *plainCard) fits(s *checkable, ways []string) *signatureFit {
	for _, form := range c.forms {
		if s.covers(form.payload) {
			return &signatureFit{form: form, how: form.name}
		}
	}
	if len(c.forms[0].payload) > longestSought {
		return nil
	}
	if f := c.deviates(s); f != nil {
		return f
	}
	if slices.Contains(ways, partial) {
		return c.lacks(s)
	}
	return nil
}

// deviates finds the writing in which a form of the card was signed.
func (c *plainCard) deviates(s *checkable) *signatureFit {
	tried := map[[sha256.Size]byte]bool{}
	for _, w := range deviations {
		for _, form := range c.forms {
			payload := w.write(form.value)
			if sum := sha256.Sum256(payload); tried[sum] {
				continue
			} else {
				tried[sum] = true
			}
			if s.covers(payload) {
				return &signatureFit{form: form, how: deviating, writing: &w}
			}
		}
	}
	return nil
}

const (
	maxSubsets = 1 << 13 // of the members of a card that are tried, each with its own verification
	maxNested  = 400     // places below them
)

// lacks finds what of the card was left out of what was signed: some of its members, or one that lies deeper.
func (c *plainCard) lacks(s *checkable) *signatureFit {
	for _, form := range c.forms {
		if form.but != "" || form.name != "A" && form.name != "C" {
			continue
		}
		object, is := form.value.(*orderedObject)
		if !is {
			continue
		}
		if left := lackingMembers(s, object); left != nil {
			return &signatureFit{form: form, how: partial, left: left}
		}
		for _, place := range nestedPlaces(object) {
			payload, err := canonicalOf(leaveOut(object, place))
			if err == nil && s.covers(payload) {
				return &signatureFit{form: form, how: partial, left: []string{"." + strings.Join(place, ".")}}
			}
		}
	}
	return nil
}

// lackingMembers tries what is left when some of the members are left out.
func lackingMembers(s *checkable, object *orderedObject) []string {
	names := writing{}.sorted(object.names)
	texts := make([][]byte, len(names))
	for i, name := range names {
		value, err := canonicalOf(object.values[name])
		if err != nil {
			return nil
		}
		texts[i] = append(append(writing{}.write(name), ':'), value...)
	}
	for set := 1; set < min(1<<min(len(names), 20), maxSubsets); set++ {
		var kept [][]byte
		var left []string
		for i, name := range names {
			if set>>i&1 == 0 {
				kept = append(kept, texts[i])
			} else {
				left = append(left, "."+name)
			}
		}
		if s.covers(slices.Concat([]byte("{"), bytes.Join(kept, []byte(",")), []byte("}"))) {
			return left
		}
	}
	return nil
}

// nestedPlaces are the members of members, by their names: those of all elements of a list are one.
func nestedPlaces(v any) [][]string {
	var all [][]string
	seen := map[string]bool{}
	var walk func(v any, path []string)
	walk = func(v any, path []string) {
		switch v := v.(type) {
		case []any:
			for _, element := range v {
				walk(element, path)
			}
		case *orderedObject:
			for _, name := range v.names {
				place := append(path[:len(path):len(path)], name)
				if key := strings.Join(place, "\x00"); !seen[key] && len(all) < maxNested {
					seen[key] = true
					if len(place) > 1 {
						all = append(all, place)
					}
					walk(v.values[name], place)
				}
			}
		}
	}
	walk(v, nil)
	return all
}

// leaveOut is a value without the members at a place.
func leaveOut(v any, place []string) any {
	switch v := v.(type) {
	case []any:
		left := make([]any, len(v))
		for i, element := range v {
			left[i] = leaveOut(element, place)
		}
		return left
	case *orderedObject:
		if len(place) == 1 {
			return v.without(place[0])
		}
		left := v.clone()
		if inner, there := v.values[place[0]]; there {
			left.values[place[0]] = leaveOut(inner, place[1:])
		}
		return left
	}
	return v
}

// misfit says as much as can be told of a signature that fits nothing.
func (c *plainCard) misfit(s *checkable) error {
	var tried []string
	for _, form := range c.forms {
		sum := sha256.Sum256(form.payload)
		tried = append(tried, fmt.Sprintf("%s (%d bytes, SHA-256 %s)", form, len(form.payload), hex.EncodeToString(sum[:])))
	}
	if len(tried) == 1 { // there is nothing in the card for forms to differ in
		return &Problem{Path: s.at, Seen: "does not fit the canonical card " + strings.TrimPrefix(tried[0], "form A ")}
	}
	return &Problem{Path: s.at, Seen: "fits no form of the card: neither " + strings.Join(tried, " nor ")}
}

// A CanonicalForm is a reading of what the signature of a card covers, for those who want to compare.
type CanonicalForm struct {
	Form    string `json:"form"`   // "form A", and what is done in another way than usual
	SHA256  string `json:"sha256"` // in hex
	Length  int    `json:"length"` // in bytes
	Payload string `json:"payload"`
}

// CheckedSignatures reads a card of a plain A2A server: its canonical forms (payloads cut after that many bytes), and how
// each of its signatures can be checked under these keys: the kid of those that can, why the others cannot. A card that
// cannot be read has none.
// Beside signatures that can be checked, those without a readable header are left out: no key would tell what they cover.
func CheckedSignatures(card any, keys []any, cut int) (forms []CanonicalForm, can, cannot []string) {
	c, err := readPlainCard(card)
	if err != nil {
		return nil, nil, []string{err.Error()}
	}
	for _, form := range c.forms {
		sum := sha256.Sum256(form.payload)
		payload := strings.ToValidUTF8(string(form.payload[:min(cut, len(form.payload))]), "\uFFFD")
		forms = append(forms, CanonicalForm{form.String(), hex.EncodeToString(sum[:]), len(form.payload), payload})
	}
	checkables, cannot := c.checkables(keys)
	for _, s := range checkables {
		can = append(can, s.at)
	}
	for i := range c.signatures {
		if _, err := c.signatures[i].header(); err != nil && len(can) > 0 {
			cannot = slices.DeleteFunc(cannot, func(said string) bool { return said == err.Error() })
		}
	}
	return forms, can, cannot
}
