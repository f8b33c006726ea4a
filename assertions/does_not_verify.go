// SPDX-License-Identifier: Apache-2.0

package assertions

import "fmt"

var doesNotVerifyWord = Word{
	Name: "does_not_verify",
	Means: "is a list of keys, or a key set, with at least one key that can be used and none that fits a signature of this card, " +
		"whatever its kid",
	Takes: Named,
	Args:  []Arg{{Name: "card", Takes: Literal, Required: true}},
	Judge: func(got, want any) error {
		keys, err := keyList("", got)
		if err != nil {
			return seen(got, "a list of keys")
		}
		c, err := readCard(want.(NamedArgs)["card"])
		if err != nil {
			return fmt.Errorf("does_not_verify was given a card that %v", err)
		}
		usable := false
		for i := range keys {
			key, is := keys[i].(map[string]any)
			if !is {
				continue
			}
			public, err := publicKey(key)
			if err != nil {
				continue
			}
			usable = true
			if c.signedUnder(public) {
				return &Problem{Path: elementPath(i), Seen: "is " + keyName(key) + ", under which the other card verifies", Wanted: "a key of its own"}
			}
		}
		if !usable {
			return &Problem{Seen: "has no key that can be used", Wanted: "at least one"}
		}
		return nil
	},
}

// signedUnder says whether a signature of the card is one under this key, over the canonical card or what it carries.
func (c *card) signedUnder(public any) bool {
	for _, s := range c.signatures {
		header, err := s.header()
		if err != nil {
			continue
		}
		if s.covers(c.canonical, header["alg"], public) {
			return true
		}
		if payload, err := s.attachedPayload(); s.attached && err == nil && s.covers(payload, header["alg"], public) {
			return true
		}
	}
	return false
}
