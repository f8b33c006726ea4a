// SPDX-License-Identifier: Apache-2.0

package plain

import "encoding/base64"

// cardCallerFaults break what known callers are shown of the card, and keep it for everybody else.
var cardCallerFaults = map[string]func(*behaviour){
	"cards-for-known-callers-have-no-name":         knownCallersMiss("name"),
	"cards-for-known-callers-have-no-description":  knownCallersMiss("description"),
	"cards-for-known-callers-have-no-version":      knownCallersMiss("version"),
	"cards-for-known-callers-have-no-capabilities": knownCallersMiss("capabilities"),
	"cards-for-known-callers-have-no-skills":       knownCallersMiss("skills"),
	"cards-for-known-callers-have-no-input-modes":  knownCallersMiss("defaultInputModes"),
	"cards-for-known-callers-have-no-output-modes": knownCallersMiss("defaultOutputModes"),
	"cards-for-known-callers-have-no-schemes":      knownCallersMiss("securitySchemes"),

	"extended-card-signed-without-kid": extendedEntries(func(c *call, card, entry object) {
		header := conformantSignature.header(c.s)
		delete(header, "kid")
		entry["protected"], entry["signature"] = c.s.signer.sign(header, canonical(card))
	}),
	"extended-card-signed-in-padded-base64": extendedEntries(func(_ *call, _, entry object) {
		entry["signature"] = entry["signature"].(string) + "=="
	}),
	"extended-card-entry-without-a-signature": extendedEntries(func(_ *call, _, entry object) {
		delete(entry, "signature")
	}),
	"extended-card-with-a-header-in-padded-base64": extendedEntry(func(*call) object {
		text := padded(`{"alg":"ES256","kid":"further","typ":"JOSE"}`, 2)
		return object{"protected": base64.StdEncoding.EncodeToString([]byte(text)), "signature": someSignature}
	}),
	"extended-card-signed-with-alg-none": extendedEntry(func(*call) object {
		return object{"protected": encoded(object{"alg": "none", "kid": "further", "typ": "JOSE"}), "signature": someSignature}
	}),
	"extended-card-signed-with-nothing-critical": extendedEntry(func(*call) object {
		header := object{"alg": "ES256", "kid": "further", "typ": "JOSE", "crit": []any{}}
		return object{"protected": encoded(header), "signature": someSignature}
	}),
	"extended-card-signed-with-kid-in-both-headers": extendedEntries(func(c *call, _, entry object) {
		entry["header"] = object{"kid": c.s.signer.kid}
	}),
	"third-cards-list-their-capabilities": someCards(func(n int32) bool { return n%3 == 0 }, func(card object) {
		card["capabilities"] = []any{}
	}),
}

// knownCallersMiss leaves a member out of the public card for those who say who they are.
func knownCallersMiss(member string) func(*behaviour) {
	return func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if _, given := bearer(c.r.Header); given && !extended {
				delete(card, member)
			}
		}
	}
}

// extendedEntries changes the entries of the signatures of the extended card.
func extendedEntries(change func(c *call, card, entry object)) func(*behaviour) {
	return func(b *behaviour) {
		b.card.signs = func(c *call, extended bool, card object) []any {
			entries := conformantCard.signs(c, extended, card)
			for _, entry := range entries {
				if extended {
					change(c, card, entry.(object))
				}
			}
			return entries
		}
	}
}

// extendedEntry adds an entry to the signatures of the extended card.
func extendedEntry(entry func(c *call) object) func(*behaviour) {
	return func(b *behaviour) {
		b.card.signs = func(c *call, extended bool, card object) []any {
			entries := conformantCard.signs(c, extended, card)
			if extended {
				return append(entries, entry(c))
			}
			return entries
		}
	}
}
