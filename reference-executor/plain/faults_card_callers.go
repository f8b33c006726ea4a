// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/base64"
	"sync/atomic"
)

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

	"cards-for-known-callers-have-no-interfaces": knownCallersMiss("supportedInterfaces"),
	"cards-for-known-callers-have-a-relative-url": knownCallersSee(func(card object) {
		all := faces(card)
		all[len(all)-1]["url"] = "/a2a"
	}),
	"cards-for-known-callers-call-a-binding-rest": knownCallersSee(func(card object) {
		card["supportedInterfaces"] = append(card["supportedInterfaces"].([]any),
			object{"url": elsewhere, "protocolBinding": "REST", "protocolVersion": version10})
	}),
	"cards-for-known-callers-have-a-path-for-documents":  knownCallersSee(func(card object) { card["documentationUrl"] = "/docs" }),
	"cards-for-known-callers-have-a-relative-icon-url":   knownCallersSee(func(card object) { card["iconUrl"] = "icon.png" }),
	"cards-for-known-callers-have-a-scheme-of-two-kinds": knownCallersSee(withSchemeOfTwoKinds),
	"cards-for-known-callers-require-an-undeclared-scheme": knownCallersSee(func(card object) {
		card["securityRequirements"] = []any{object{"schemes": object{"undeclared": object{}}}}
	}),
	"cards-for-known-callers-have-a-snake-case-member": knownCallersSee(func(card object) {
		card["default_input_modes"] = card["defaultInputModes"]
	}),
	"cards-for-known-callers-show-their-token": func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if token, given := bearer(c.r.Header); given && !extended {
				card["skills"].([]any)[0].(object)["examples"] = []any{"curl -H 'Authorization: Bearer " + token + "'"}
			}
		}
	},
	"cards-for-known-callers-have-modes-that-are-a-text": knownCallersSee(func(card object) {
		card["skills"].([]any)[0].(object)["outputModes"] = "text/plain"
	}),
	"extended-card-with-a-scheme-of-two-kinds": extendedWith(withSchemeOfTwoKinds),
	"extended-card-requires-an-undeclared-scheme": extendedWith(func(card object) {
		skills := card["skills"].([]any)
		skills[len(skills)-1].(object)["securityRequirements"] = []any{object{"schemes": object{"internal": object{}}}}
	}),
	"extended-card-with-a-snake-case-member": extendedWith(func(card object) {
		card["default_input_modes"] = card["defaultInputModes"]
	}),
	"later-extended-cards-are-public": func(b *behaviour) {
		var served atomic.Int32
		b.card.caching = func(c *call, extended bool) string {
			if extended && served.Add(1) > 1 {
				return "public, max-age=300"
			}
			return conformantCard.caching(c, extended)
		}
	},
	"card-has-null-for-what-is-not-set": func(b *behaviour) {
		b.card.shape = func(_ *call, _ bool, card object) { nullUnset(card) }
	},
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

// withSchemeOfTwoKinds adds a scheme that says two kinds.
func withSchemeOfTwoKinds(card object) {
	schemes, declared := card["securitySchemes"].(object)
	if !declared {
		return
	}
	schemes["further"] = object{
		"httpAuthSecurityScheme": object{"scheme": "Bearer"}, "apiKeySecurityScheme": object{"location": "header", "name": "X-Key"},
	}
}

// nullUnset writes null for what a card need not have and does not have, as many libraries do that are not told otherwise.
func nullUnset(card object) {
	unset := func(o object, names ...string) {
		for _, name := range names {
			unlessSet(o, name, nil)
		}
	}
	unset(card, "provider", "iconUrl", "documentationUrl", "securityRequirements")
	for _, skill := range card["skills"].([]any) {
		unset(skill.(object), "securityRequirements")
	}
	schemes, _ := card["securitySchemes"].(object)
	for _, scheme := range schemes {
		unset(scheme.(object), "apiKeySecurityScheme", "httpAuthSecurityScheme", "oauth2SecurityScheme", "openIdConnectSecurityScheme", "mtlsSecurityScheme")
		if oauth, is := scheme.(object)["oauth2SecurityScheme"].(object); is {
			unset(oauth["flows"].(object), "authorizationCode", "clientCredentials", "deviceCode", "implicit", "password")
		}
	}
}
