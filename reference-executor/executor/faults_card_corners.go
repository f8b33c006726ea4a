// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-jose/go-jose/v4"
)

// cardCornerFaults keep the contract in the card that is usually read, and break it in one that is asked for in another way, or later.
var cardCornerFaults = map[string]func(*behaviour){
	"every-seventh-card-orders-its-extensions-otherwise": func(b *behaviour) {
		var shown atomic.Int64
		real := b.card.asked
		b.card.asked = func(c *call, card map[string]any) {
			real(c, card)
			if shown.Add(1)%7 == 0 {
				list := card["capabilities"].(map[string]any)["extensions"].([]any)
				list[2], list[3] = list[3], list[2]
			}
		}
	},
	"every-etag-is-the-one-of-the-card": func(b *behaviour) {
		b.card.answer = func(c *call, a answer) answer {
			if c.r.Header.Get("If-None-Match") != "" {
				a.status, a.body = http.StatusNotModified, nil
			}
			return a
		}
	},
	"card-description-is-a-list": askedPlainly(func(_ *instance, card map[string]any) { card["description"] = []any{"A sandboxed agent."} }),
	"every-third-card-unsigned": func(b *behaviour) {
		var shown atomic.Int64
		real := b.card.answer
		b.card.answer = func(c *call, a answer) answer {
			a = real(c, a)
			if a.status != http.StatusOK || shown.Add(1)%3 != 0 {
				return a
			}
			return c.json(http.StatusOK, c.in.unsignedCard())
		}
	},
	"card-signed-without-encoding": func(b *behaviour) {
		b.card.sign = func(in *instance, card map[string]any, payload []byte) {
			header, _ := json.Marshal(map[string]any{"alg": "EdDSA", "kid": in.ID, "b64": false, "crit": []string{"b64"}})
			protected := base64.RawURLEncoding.EncodeToString(header)
			signature := ed25519.Sign(in.key(), []byte(protected+"."+string(payload)))
			card["signatures"] = []any{map[string]any{
				"protected": protected, "signature": base64.RawURLEncoding.EncodeToString(signature),
			}}
		}
	},
	"keys-of-before-under-the-same-kid": func(b *behaviour) {
		b.card.keys = func(keys []any, _ http.Header) []any {
			old := map[string]any{}
			for name, v := range keys[0].(map[string]any) {
				old[name] = v
			}
			old["x"] = base64.RawURLEncoding.EncodeToString(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public().(ed25519.PublicKey))
			return append(keys, old)
		}
	},
	"card-repeats-a-param-in-escapes": func(b *behaviour) {
		b.card.encode = func(c *call, card map[string]any) []byte {
			text := c.e.lawful.Encode(card)
			if !asksPlainly(c) {
				return text
			}
			return bytes.Replace(text, []byte(`"loadout"`), []byte(`"\u006coadout":"other","loadout"`), 1)
		}
	},
	"card-name-is-a-no-break-space": askedPlainly(func(_ *instance, card map[string]any) { card["name"] = "\u00a0" }),
	"last-interface-without-a-version": askedPlainly(func(_ *instance, card map[string]any) {
		delete(card, "protocolVersion")
		delete(face(card, len(interfaces(card))-1), "protocolVersion")
	}),
	"second-interface-url-has-a-port-and-no-host": askedPlainly(func(_ *instance, card map[string]any) {
		face(card, 1)["url"] = "wss://:8122/sessions/{session_id}/attach"
	}),
	"pty-extensions-required-is-null": extensionEntry(uriPTY, func(_ *instance, entry map[string]any) { entry["required"] = nil }),
	"every-seventh-card-under-another-kid": func(b *behaviour) {
		var shown atomic.Int64
		b.card.sign = func(in *instance, card map[string]any, payload []byte) {
			if shown.Add(1)%7 != 0 {
				signCard(in, card, payload)
				return
			}
			compact, _ := sign(jose.SigningKey{Algorithm: jose.EdDSA, Key: in.key()}, in.ID+"-2", payload).DetachedCompactSerialize()
			protected, signature, _ := strings.Cut(compact, "..")
			card["signatures"] = []any{map[string]any{"protected": protected, "signature": signature}}
		}
		b.card.keys = func(keys []any, _ http.Header) []any {
			for _, key := range slices.Clone(keys) {
				second := maps.Clone(key.(map[string]any))
				second["kid"] = second["kid"].(string) + "-2"
				keys = append(keys, second)
			}
			return keys
		}
	},
	"card-payload-escaped-for-html": func(b *behaviour) {
		cardContent(func(_ *instance, card map[string]any) { card["description"] = "Builds & tests <quickly>." })(b)
		b.card.payload = func(card map[string]any) []byte {
			text := string(canonical(card))
			for _, special := range []string{"&", "<", ">"} {
				escaped, _ := json.Marshal(special)
				text = strings.ReplaceAll(text, special, strings.Trim(string(escaped), `"`))
			}
			return []byte(text)
		}
		b.card.sign = signAttached
	},
}
