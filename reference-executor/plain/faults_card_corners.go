// SPDX-License-Identifier: Apache-2.0

package plain

// cardCornerFaults keep the specification in the card that is usually read, and break it in one that is asked for in another way.
var cardCornerFaults = map[string]func(*behaviour){
	"cards-for-any-media-type-are-plain-text": func(b *behaviour) {
		b.card.media = func(c *call) string { return plainForAnything(c, conformantCard.media(c)) }
	},
	"cards-for-no-media-type-are-plain-text": func(b *behaviour) {
		b.card.media = func(c *call) string {
			if c.r.Header.Get("Accept") == "" {
				return "text/plain; charset=utf-8"
			}
			return mediaJSON
		}
	},
	"extended-card-streams-in-a-text": extendedWith(func(card object) { card["capabilities"].(object)["streaming"] = "true" }),
	"extended-card-scopes-are-a-list": extendedWith(func(card object) {
		card["securitySchemes"].(object)["oauth"] = oauth(object{"clientCredentials": object{"tokenUrl": "https://a2a.example/token", "scopes": []any{"agent"}}})
	}),
	"extended-card-with-a-nameless-skill": extendedWith(func(card object) {
		for _, skill := range card["skills"].([]any) {
			delete(skill.(object), "name")
		}
	}),
}

// plainForAnything is text/plain for clients that take anything, and else what is right.
func plainForAnything(c *call, right string) string {
	if c.r.Header.Get("Accept") == "*/*" {
		return "text/plain; charset=utf-8"
	}
	return right
}
