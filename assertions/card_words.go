// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"fmt"
	"strconv"
)

var signatureHeaderWord = Word{
	Name:  "signature_header",
	Means: "is a signed card, and the decoded protected header of every signature fits",
	Takes: Nested,
	Judge: func(got, want any) error {
		c, err := readCard(got)
		if err != nil {
			return err
		}
		for _, s := range c.signatures {
			header, err := s.header()
			if err != nil {
				return err
			}
			if err := want.(Value).Judge(header); err != nil {
				return below(s.at+".protected", err)
			}
		}
		return nil
	},
}

var payloadAttachedWord = Word{
	Name:   "payload_attached",
	Means:  "is a signed card with a signature that carries what it signs",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		c, err := readCard(got)
		if err != nil {
			return err
		}
		for _, s := range c.signatures {
			if s.attached {
				return nil
			}
		}
		return &Problem{Seen: "carries no signed payload"}
	},
}

var payloadIsCanonicalWord = Word{
	Name: "payload_is_canonical",
	Means: "is a signed card, and every payload that a signature carries is, byte for byte, the card without its signatures " +
		"in canonical form (RFC 8785)",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		if err := payloadAttachedWord.Judge(got, true); err != nil {
			return err
		}
		c, err := readCard(got)
		if err != nil {
			return err
		}
		for _, s := range c.signatures {
			if !s.attached {
				continue
			}
			payload, err := s.attachedPayload()
			if err != nil {
				return err
			}
			if !bytes.Equal(payload, c.canonical) {
				return &Problem{Path: s.at, Seen: "carries a payload that is not the canonical card: " + firstDifference(payload, c.canonical)}
			}
		}
		return nil
	},
}

// firstDifference says where two texts part: `at offset 12 it has "...", want "..."`.
func firstDifference(got, want []byte) string {
	at := whereTheyPart(got, want)
	return fmt.Sprintf("at offset %d it has %s, want %s", at, excerpt(got, at), excerpt(want, at))
}

// whereTheyPart is the first offset at which two texts are not the same.
func whereTheyPart(got, want []byte) int {
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	return at
}

// excerpt shows 40 bytes from an offset on.
func excerpt(b []byte, at int) string {
	if at >= len(b) {
		return "its end"
	}
	return strconv.Quote(string(b[at:min(len(b), at+40)]))
}

var sameCardAsWord = Word{
	Name:  "same_card_as",
	Means: "is a card with the same canonical form (RFC 8785, without signatures) as this one",
	Takes: Literal,
	Judge: func(got, want any) error {
		wanted, err := unsigned(want)
		if err != nil {
			return fmt.Errorf("same_card_as was given %s, which %v", show(want), err)
		}
		card, err := unsigned(got)
		if err != nil {
			return err
		}
		return differentCards(card, wanted)
	},
}

var agreeOnCardWord = Word{
	Name:   "agree_on_card",
	Means:  "is a list of at least two elements that have the same card at this path: the same canonical form, without signatures",
	Takes:  Literal,
	Schema: `{"type": "string"}`,
	Check:  checkPath,
	Judge: func(got, want any) error {
		var wanted []byte // of the first, made once
		return agree("agree_on_card", got, want, func(card, first any) error {
			canonical, err := unsigned(card)
			if err != nil {
				return err
			}
			if wanted == nil {
				if wanted, err = unsigned(first); err != nil {
					return err
				}
			}
			return differentCards(canonical, wanted)
		})
	},
}

// unsigned is a card in canonical form, without its signatures.
func unsigned(got any) ([]byte, error) {
	c, err := readCard(got)
	if err != nil {
		return nil, err
	}
	return c.canonical, nil
}

// differentCards says where two cards differ. They are taken apart only when they do: a card may be long, and all that agree are
// held at once.
func differentCards(card, wanted []byte) error {
	if bytes.Equal(card, wanted) {
		return nil
	}
	return difference(parsed(card), parsed(wanted))
}
