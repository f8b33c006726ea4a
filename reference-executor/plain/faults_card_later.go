// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"slices"
	"sync/atomic"
)

// cardLaterFaults serve a card that is right, and at other times or to others one that is not.
var cardLaterFaults = map[string]func(*behaviour){
	"third-cards-list-their-capabilities": someCards(func(n int32) bool { return n%3 == 0 }, func(card object) {
		card["capabilities"] = []any{}
	}),
	"later-cards-have-an-empty-output-mode": someCards(afterTheFirst, func(card object) {
		card["defaultOutputModes"] = append(slices.Clone(card["defaultOutputModes"].([]any)), "")
	}),
	"later-cards-have-a-skill-without-id": someCards(afterTheFirst, func(card object) {
		skills := card["skills"].([]any)
		delete(skills[len(skills)-1].(object), "id")
	}),
	"later-cards-have-a-provider-without-url": someCards(afterTheFirst, func(card object) {
		if provider, is := card["provider"].(object); is {
			delete(provider, "url")
		}
	}),
	"last-interface-has-a-version-with-a-letter": furtherInterface(object{
		"url": elsewhere, "protocolBinding": BindingREST, "protocolVersion": "v" + version10,
	}),
	"extended-card-announced-at-its-own-top": extendedWith(func(card object) { card["extendedAgentCard"] = true }),

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
	"cards-for-known-callers-have-a-nameless-skill":             lastForKnownCallersMisses("skills", "name"),
	"cards-for-known-callers-have-an-undescribed-skill":         lastForKnownCallersMisses("skills", "description"),
	"cards-for-known-callers-have-a-skill-without-tags":         lastForKnownCallersMisses("skills", "tags"),
	"cards-for-known-callers-have-an-interface-without-version": lastForKnownCallersMisses("supportedInterfaces", "protocolVersion"),
	"cards-for-known-callers-have-an-interface-without-binding": lastForKnownCallersMisses("supportedInterfaces", "protocolBinding"),
	"cards-for-known-callers-have-a-skill-twice": knownCallersSee(func(card object) {
		skills := card["skills"].([]any)
		card["skills"] = append(skills, skills[len(skills)-1])
	}),
	"cards-for-known-callers-have-examples-that-are-a-text": knownCallersSee(func(card object) {
		card["skills"].([]any)[0].(object)["examples"] = "ping"
	}),
	"cards-for-known-callers-stream-in-a-text": knownCallersSee(func(card object) { card["capabilities"].(object)["streaming"] = "true" }),
	"cards-for-known-callers-push-in-a-text":   knownCallersSee(func(card object) { card["capabilities"].(object)["pushNotifications"] = "true" }),
	"cards-for-known-callers-extend-in-a-text": knownCallersSee(func(card object) { card["capabilities"].(object)["extendedAgentCard"] = "true" }),
	"cards-for-known-callers-have-an-extension-without-uri": knownCallersSee(func(card object) {
		capabilities := clone(card["capabilities"]).(object)
		card["capabilities"] = capabilities
		if extensions, _ := capabilities["extensions"].([]any); len(extensions) > 0 {
			delete(extensions[len(extensions)-1].(object), "uri")
		}
	}),

	"extended-card-signed-without-typ": extendedEntries(func(c *call, card, entry object) {
		header := conformantSignature.header(c.s)
		delete(header, "typ")
		entry["protected"], entry["signature"] = c.s.signer.sign(header, canonical(card))
	}),
	"every-second-card-is-signed-without-typ": func(b *behaviour) {
		var served atomic.Int32
		b.card.answer = func(c *call, a answer) answer {
			card := object{}
			if a.header.Get("Content-Encoding") != "" || json.Unmarshal(a.body, &card) != nil || served.Add(1)%2 != 0 {
				return a
			}
			entries, _ := card["signatures"].([]any)
			for _, entry := range entries {
				header := conformantSignature.header(c.s)
				delete(header, "typ")
				entry := entry.(object)
				entry["protected"], entry["signature"] = c.s.signer.sign(header, canonical(card))
			}
			a.body = c.s.lawful.Encode(card)
			a.header.Set("ETag", conformantCard.tag(c, a.body))
			return a
		}
	},
}

func afterTheFirst(n int32) bool { return n > 1 }

// someCards changes some of the public cards that are served, by their number.
func someCards(which func(n int32) bool, change func(card object)) func(*behaviour) {
	return func(b *behaviour) {
		var served atomic.Int32
		b.card.shape = func(_ *call, extended bool, card object) {
			if !extended && which(served.Add(1)) {
				change(card)
			}
		}
	}
}

// knownCallersSee changes the public card for those who say who they are.
func knownCallersSee(change func(card object)) func(*behaviour) {
	return func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if _, given := bearer(c.r.Header); given && !extended {
				change(card)
			}
		}
	}
}

// knownCallersRead adds a member to the public card for those who say who they are.
func knownCallersRead(member string, v any) func(*behaviour) {
	return knownCallersSee(func(card object) { card[member] = v })
}

// lastForKnownCallersMisses leaves a member out of the last element of a list in that card.
func lastForKnownCallersMisses(list, member string) func(*behaviour) {
	return knownCallersSee(func(card object) {
		elements := card[list].([]any)
		delete(elements[len(elements)-1].(object), member)
	})
}
