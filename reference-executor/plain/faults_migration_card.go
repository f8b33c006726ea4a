// SPDX-License-Identifier: Apache-2.0

package plain

// migrationCardFaults bring back members of cards that 0.3 had.
var migrationCardFaults = map[string]func(*behaviour){
	"card-supports-the-extended-card":      cardWith("supportsExtendedAgentCard", true),
	"card-supports-the-authenticated-card": cardWith("supportsAuthenticatedExtendedCard", false),
	"extended-card-announced-at-the-top": publicly(func(_ *Server, card object) {
		card["extendedAgentCard"] = true
		delete(card["capabilities"].(object), "extendedAgentCard")
	}),
	"extended-card-not-announced": publicly(func(_ *Server, card object) {
		delete(card["capabilities"].(object), "extendedAgentCard")
	}),
	"card-with-a-url":                 publicly(func(s *Server, card object) { card["url"] = s.public() + rpcPath }),
	"card-with-a-preferred-transport": cardWith("preferredTransport", BindingRPC),
	"card-with-additional-interfaces": publicly(func(s *Server, card object) {
		card["additionalInterfaces"] = []any{object{"url": s.public() + rpcPath, "transport": BindingRPC}}
	}),
	"card-with-a-protocol-version": cardWith("protocolVersion", "1.0"),
	"card-with-security-of-0-3":    cardWith("security", []any{object{"bearer": []any{}}}),
	"card-with-authentication":     cardWith("authentication", object{"schemes": []any{"bearer"}}),
	"capabilities-with-state-transition-history": publicly(func(_ *Server, card object) {
		card["capabilities"].(object)["stateTransitionHistory"] = true
	}),
	"scheme-with-a-type": publicly(func(_ *Server, card object) {
		if schemes, declared := card["securitySchemes"].(object); declared {
			schemes["bearer"].(object)["type"] = "http"
		}
	}),
	"interface-with-a-transport": publicly(func(_ *Server, card object) {
		for _, face := range card["supportedInterfaces"].([]any) {
			face.(object)["transport"] = face.(object)["protocolBinding"]
		}
	}),

	// Those that follow do so in the card for known callers.
	"extended-card-supports-the-extended-card":      extendedWith(func(card object) { card["supportsExtendedAgentCard"] = true }),
	"extended-card-supports-the-authenticated-card": extendedWith(func(card object) { card["supportsAuthenticatedExtendedCard"] = true }),
	"extended-card-with-a-preferred-transport":      extendedWith(func(card object) { card["preferredTransport"] = BindingRPC }),
	"extended-card-with-additional-interfaces":      extendedWith(func(card object) { card["additionalInterfaces"] = []any{} }),
	"extended-card-with-a-protocol-version":         extendedWith(func(card object) { card["protocolVersion"] = "1.0" }),
	"extended-card-with-security-of-0-3":            extendedWith(func(card object) { card["security"] = []any{object{"bearer": []any{}}} }),
	"extended-card-with-authentication":             extendedWith(func(card object) { card["authentication"] = object{"schemes": []any{"Bearer"}} }),
	"extended-capabilities-with-state-transition-history": extendedWith(func(card object) {
		card["capabilities"].(object)["stateTransitionHistory"] = false
	}),
	"extended-scheme-with-a-type": extendedWith(func(card object) {
		card["securitySchemes"].(object)["bearer"].(object)["type"] = "http"
	}),
	"extended-interface-with-a-transport": extendedWith(func(card object) {
		for _, face := range faces(card) {
			face["transport"] = face["protocolBinding"]
		}
	}),

	"card-at-the-old-place-as-well": func(b *behaviour) { b.card.found = foundAtBothPlaces },
	"another-card-at-the-old-place": func(b *behaviour) {
		b.card.found = foundAtBothPlaces
		b.card.shape = olderCard
	},
	"another-card-without-signatures-at-the-old-place": func(b *behaviour) {
		b.card.found = foundAtBothPlaces
		b.card.shape = olderCard
		b.card.shown = func(c *call, _ bool, card object) {
			if c.r.URL.Path == wellKnownLegacy {
				delete(card, "signatures")
			}
		}
	},
	"extended-card-announced-at-its-own-top":                                   extendedWith(func(card object) { card["extendedAgentCard"] = true }),
	"cards-for-known-callers-have-supports-extended-agent-card-of-0-3":         knownCallersRead("supportsExtendedAgentCard", true),
	"cards-for-known-callers-have-supports-authenticated-extended-card-of-0-3": knownCallersRead("supportsAuthenticatedExtendedCard", false),
	"cards-for-known-callers-have-extended-agent-card-of-0-3":                  knownCallersRead("extendedAgentCard", true),
	"cards-for-known-callers-have-url-of-0-3":                                  knownCallersRead("url", elsewhere),
	"cards-for-known-callers-have-preferred-transport-of-0-3":                  knownCallersRead("preferredTransport", BindingRPC),
	"cards-for-known-callers-have-additional-interfaces-of-0-3":                knownCallersRead("additionalInterfaces", []any{}),
	"cards-for-known-callers-have-protocol-version-of-0-3":                     knownCallersRead("protocolVersion", "0.3.0"),
	"cards-for-known-callers-have-security-of-0-3":                             knownCallersRead("security", []any{object{"bearer": []any{}}}),
	"cards-for-known-callers-have-authentication-of-0-3":                       knownCallersRead("authentication", object{"schemes": []any{"Bearer"}}),
	"cards-for-known-callers-have-state-transition-history-of-0-3": knownCallersSee(func(card object) {
		card["capabilities"].(object)["stateTransitionHistory"] = false
	}),
}

func cardWith(name string, value any) func(*behaviour) {
	return publicly(func(_ *Server, card object) { card[name] = value })
}

func foundAtBothPlaces(_ *Server, path string) bool {
	return path == wellKnown || path == wellKnownLegacy
}

func olderCard(c *call, extended bool, card object) {
	if !extended && c.r.URL.Path == wellKnownLegacy {
		card["description"] = "The agent of last year."
	}
}

// knownCallersRead adds a member to the public card for those who say who they are.
func knownCallersRead(member string, v any) func(*behaviour) {
	return knownCallersSee(func(card object) { card[member] = v })
}
