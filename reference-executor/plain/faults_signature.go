// SPDX-License-Identifier: Apache-2.0

package plain

var signatureFaults = map[string]func(*behaviour){
	"signature-without-kid": func(b *behaviour) { b.signature.header = without("kid") },
	"signature-without-typ": func(b *behaviour) { b.signature.header = without("typ") },
	"card-changed-after-signing": func(b *behaviour) {
		b.card.shown = func(_ *call, _ bool, card object) { card["description"] = card["description"].(string) + "!" }
	},
}

// without is the protected header without one member.
func without(name string) func(s *Server) object {
	return func(s *Server) object {
		header := conformantSignature.header(s)
		delete(header, name)
		return header
	}
}
