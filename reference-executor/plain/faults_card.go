// SPDX-License-Identifier: Apache-2.0

package plain

var cardFaults = map[string]func(*behaviour){
	"card-at-another-path": func(b *behaviour) {
		b.card.found = func(_ *Server, path string) bool { return path == "/agent-card.json" }
	},
	"card-as-html":      func(b *behaviour) { b.card.media = func(*call) string { return "text/html" } },
	"card-without-name": publicly(func(_ *Server, card object) { delete(card, "name") }),
	"interface-url-is-relative": publicly(func(_ *Server, card object) {
		card["supportedInterfaces"].([]any)[0].(object)["url"] = "/a2a"
	}),
	"extended-card-not-configured": func(b *behaviour) {
		b.card.lacks = func(c *call, op *operation) *failure {
			f := lacksCapability(c, op)
			if f != nil && op.needs == "extendedAgentCard" {
				return fail(extendedNotConfigured, f.message)
			}
			return f
		}
	},
	"card-not-asked-for-its-tag": func(b *behaviour) { b.card.known = func(*call, string) bool { return false } },
}

// publicly changes the public card before it is signed.
func publicly(change func(s *Server, card object)) func(*behaviour) {
	return func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if !extended {
				change(c.s, card)
			}
		}
	}
}
