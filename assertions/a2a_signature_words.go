// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
)

var verifiesA2AWord = Word{
	Name: "verifies_a2a",
	Means: "is a list of keys, and under the one that it names a signature of this A2A card (or with every: each one whose key is " +
		"there) verifies over the card without signatures in one of these forms, A, B, C or D (all four unless named): A keeps what is " +
		"REQUIRED or explicitly set, B drops all that is empty, C is the card as it came, D drops all default values; deviating is a " +
		"form that is written in another way than RFC 8785 wants, partial one that lacks members of the card",
	Takes: Named,
	Args: []Arg{
		{Name: "card", Takes: Literal, Required: true},
		{Name: "as", Takes: Literal, Schema: `{"type": "array", "minItems": 1, "items": {"enum": ["A", "B", "C", "D", "deviating", "partial"]}}`},
		{Name: "every", Takes: Literal, Schema: justTrue},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		keys, err := keyList("", got)
		if err != nil {
			return seen(got, "a list of keys")
		}
		ways := []string{"A", "B", "C", "D"}
		if list, given := args["as"].([]any); given {
			ways = nil
			for _, way := range list {
				ways = append(ways, fmt.Sprint(way))
			}
		}
		return verifiesA2A(args["card"], keys, ways, args["every"] == true)
	},
}

func verifiesA2A(card any, keys []any, ways []string, every bool) error {
	c, err := readPlainCard(card)
	if err != nil {
		return aboutCard(err)
	}
	can, cannot := c.checkables(keys)
	if len(can) == 0 {
		return &Problem{Seen: "cannot verify the card: " + strings.Join(cannot, "; ")}
	}
	var why []string
	for _, s := range can {
		f := c.fits(s, ways)
		switch {
		case f != nil && slices.Contains(ways, f.how) && !every:
			return nil
		case f == nil:
			err = c.misfit(s)
		case !slices.Contains(ways, f.how):
			err = &Problem{Path: s.at, Seen: "fits " + f.String() + f.means(), Wanted: wantedWays(ways)}
			if f.how == deviating {
				err = &Problem{Path: s.at, Seen: "fits " + f.String(), Wanted: "the card as RFC 8785 writes it"}
			}
		default:
			continue
		}
		if every {
			return aboutCard(err)
		}
		why = append(why, err.Error())
	}
	if len(why) == 0 {
		return nil
	}
	if len(why)+len(cannot) == 1 {
		return aboutCard(err)
	}
	return &Problem{Seen: "does not verify the card: " + strings.Join(slices.Concat(why, cannot), "; ")}
}

// aboutCard makes a sentence about keys of one about the card.
func aboutCard(err error) error {
	var p *Problem
	if errors.As(err, &p) {
		wanted := p.Wanted
		said := *p
		said.Wanted = ""
		return &Problem{Seen: "does not verify the card: " + said.Error(), Wanted: wanted}
	}
	return err
}

func wantedWays(ways []string) string {
	forms := []any{}
	for _, way := range ways {
		forms = append(forms, way)
	}
	text := "form " + strings.ReplaceAll(listed(forms, "or"), `"`, "")
	if len(ways) == 1 {
		text += meaningOf(ways[0])
	}
	return text
}

var coversA2AWord = Word{
	Name: "covers_a2a",
	Means: "is a list of keys under which a signature of this A2A card verifies as verifies_a2a wants it, and no longer once any one " +
		"member that the protocol knows (or with unknown: any member at all) was changed or left out, but for default values that the " +
		"form does not have",
	Takes: Named,
	Args: []Arg{
		{Name: "card", Takes: Literal, Required: true},
		{Name: "unknown", Takes: Literal, Schema: justTrue},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		keys, err := keyList("", got)
		if err != nil {
			return seen(got, "a list of keys")
		}
		c, err := readPlainCard(args["card"])
		if err != nil {
			return aboutCard(err)
		}
		can, cannot := c.checkables(keys)
		if len(can) == 0 {
			return &Problem{Seen: "cannot verify the card: " + strings.Join(cannot, "; ")}
		}
		for _, s := range can {
			f := c.fits(s, []string{partial})
			switch {
			case f == nil:
				err = c.misfit(s)
			case f.how == partial:
				err = &Problem{Path: s.at, Seen: "covers the card only without " + strings.Join(f.left, ", ")}
			default:
				if err = c.covered(s, f, args["unknown"] == true); err == nil {
					return nil
				}
			}
		}
		var p *Problem
		if errors.As(err, &p) {
			return &Problem{Seen: "does not cover the card: " + p.Error()}
		}
		return err
	},
}

// covered changes the card in one place after the other, and says where the signature does not notice.
func (c *plainCard) covered(s *checkable, f *signatureFit, unknown bool) error {
	for i, m := range mutations(c.members) {
		if i*len(f.form.payload) > maxChanged {
			break
		}
		payload, err := canonicalOf(f.form.reduce(m.card()))
		if err != nil {
			return err
		}
		if string(payload) != string(f.form.payload) {
			if s.covers(payload) {
				return &Problem{Path: s.at, Seen: "verifies all the same with " + m.what}
			}
			continue
		}
		if m.isDefault || !m.known && !unknown {
			continue
		}
		return &Problem{Path: s.at, Seen: "verifies all the same with " + m.what}
	}
	return nil
}

var signatureEntryWord = Word{
	Name: "signature_entry",
	Means: "is an entry of the signatures of an A2A card: with a signature as long as its alg demands (length), an unprotected header, " +
		"if any, that is an object and repeats no protected member (header), or critical parameters, if any, that are extensions and " +
		"are there (crit)",
	Takes:  Literal,
	Schema: `{"enum": ["length", "header", "crit"]}`,
	Judge: func(got, want any) error {
		entry, is := got.(map[string]any)
		if !is {
			return seen(got, "an object")
		}
		s := cardSignature{}
		s.protected, _ = entry["protected"].(string)
		protected, err := s.header()
		if err != nil {
			return err
		}
		switch want {
		case "length":
			return signatureLength(orMissing(entry, "signature"), protected["alg"])
		case "header":
			return headersApart(entry, protected)
		}
		return criticalParameters(protected)
	},
}

// signatureLengths in bytes, by algorithm (RFC 7518 section 3, RFC 8037, RFC 8812, RFC 9864). EdDSA is of either curve.
var signatureLengths = map[string][]int{
	"ES256": {64}, "ES256K": {64}, "ES384": {96}, "ES512": {132}, "EdDSA": {64, 114}, "Ed25519": {64}, "Ed448": {114},
}

// leastRSA is that of a modulus of 1024 bits. Which it must be only the key says.
const leastRSA = 128

func signatureLength(got, alg any) error {
	text, is := got.(string)
	if !is {
		return below(".signature", seen(got, "unpadded base64url"))
	}
	if err := checkBase64URL(text); err != nil || text == "" {
		return below(".signature", seen(got, "unpadded base64url"))
	}
	signature, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	name, _ := alg.(string)
	lengths := signatureLengths[name]
	if slices.Contains(lengths, len(signature)) {
		return nil
	}
	if isRSA := strings.HasPrefix(name, "RS") || strings.HasPrefix(name, "PS"); isRSA && len(signature) >= leastRSA || !isRSA && lengths == nil {
		return nil
	} else if isRSA {
		return &Problem{Path: ".signature", Seen: fmt.Sprintf("has %s", count(len(signature), "byte")), Wanted: "as many as the modulus of the key for " + name}
	}
	seen := "has " + count(len(signature), "byte")
	if len(signature) > 2 && signature[0] == 0x30 && int(signature[1])+2 == len(signature) || len(signature) > 3 && signature[0] == 0x30 && signature[1] == 0x81 {
		seen = "is an ASN.1 DER sequence of " + count(len(signature), "byte")
	}
	return &Problem{Path: ".signature", Seen: seen, Wanted: fmt.Sprintf("the %d bytes of %s", lengths[0], name)}
}

func headersApart(entry, protected map[string]any) error {
	loose, there := entry["header"]
	if !there {
		return nil
	}
	members, is := loose.(map[string]any)
	if !is {
		return below(".header", seen(loose, "an object"))
	}
	for _, name := range sortedKeys(members) {
		if _, twice := protected[name]; twice {
			return &Problem{Path: ".header" + memberPath(name), Seen: "is " + show(members[name]), Wanted: "nothing there: the protected header has it"}
		}
	}
	return nil
}

// headerParameters are those that RFC 7515 defines, which nothing makes critical (section 4.1.11).
var headerParameters = []any{"alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit"}

func criticalParameters(protected map[string]any) error {
	crit, there := protected["crit"]
	if !there {
		return nil
	}
	list, is := crit.([]any)
	if !is || len(list) == 0 {
		return below(".protected.crit", seen(crit, "names of parameters, or no crit at all"))
	}
	for i, name := range list {
		at := ".protected.crit" + elementPath(i)
		text, is := name.(string)
		switch _, there := protected[text]; {
		case !is || text == "":
			return below(at, seen(name, "the name of a parameter"))
		case slices.Contains(headerParameters, name):
			return below(at, seen(name, "no parameter of RFC 7515 itself"))
		case !there:
			return below(at, seen(name, "a parameter that is in the header"))
		}
	}
	return nil
}
