// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
)

// cardCopyFaults are about copies of cards, keys and signatures: kept too long, made too early, or told apart too little.
var cardCopyFaults = map[string]func(*behaviour){
	"later-cards-are-cached-without-an-age": func(b *behaviour) {
		var served atomic.Int32
		b.card.caching = func(c *call, extended bool) string {
			if !extended && served.Add(1) > 1 {
				return ""
			}
			return conformantCard.caching(c, extended)
		}
	},
	"extended-card-is-kept-for-everybody-once-it-was-read": func(b *behaviour) {
		var read atomic.Bool
		b.security.authenticates = func(c *call) *failure {
			f := c.authenticate()
			if !isOp(c, "GetExtendedAgentCard") || c.r.Method != http.MethodGet {
				return f
			}
			if f == nil {
				read.Store(true)
				return nil
			}
			if read.Load() {
				c.who, f = principal{name: "first"}, nil
			}
			return f
		}
	},
	"compressed-card-is-not-signed": func(b *behaviour) {
		b.card.zips = func(c *call, body []byte) []byte {
			card := object{}
			if json.Unmarshal(body, &card) != nil {
				return body
			}
			delete(card, "signatures")
			return c.s.lawful.Encode(card)
		}
	},
	"tags-that-hold-the-current-one-are-known": func(b *behaviour) {
		b.card.known = func(c *call, tag string) bool {
			return strings.Contains(c.r.Header.Get("If-None-Match"), strings.Trim(tag, `"`)) || conformantCard.known(c, tag)
		}
	},
	"key-set-has-its-key-twice": func(b *behaviour) {
		b.signature.keys = func(s *Server) []any { return []any{s.signer.jwk(), s.signer.jwk()} }
	},
	"every-fourth-signature-is-a-byte-short": func(b *behaviour) {
		var served atomic.Int32
		b.card.answer = func(c *call, a answer) answer {
			card := object{}
			if a.header.Get("Content-Encoding") != "" || json.Unmarshal(a.body, &card) != nil || served.Add(1)%4 != 0 {
				return a
			}
			entries, _ := card["signatures"].([]any)
			for _, entry := range entries {
				entry := entry.(object)
				if text, err := base64.RawURLEncoding.DecodeString(entry["signature"].(string)); err == nil {
					entry["signature"] = base64.RawURLEncoding.EncodeToString(text[1:])
				}
			}
			a.body = c.s.lawful.Encode(card)
			a.header.Set("ETag", conformantCard.tag(c, a.body))
			return a
		}
	},
}
