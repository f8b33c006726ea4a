// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
)

// unforeseenCardFaults are those of the cards and keys.
var unforeseenCardFaults = map[string]func(*behaviour){
	"keys-asked-for-with-a-query-need-credentials": guardedWhere("/.well-known/jwks.json", func(c *call) bool { return c.r.URL.RawQuery != "" }),
	"heads-of-keys-need-credentials":               guardedWhere("/.well-known/jwks.json", func(c *call) bool { return c.r.Method == http.MethodHead }),
	"card-asked-for-with-a-query-needs-credentials": guardedWhere("/.well-known/agent-card.json", func(c *call) bool {
		return c.r.URL.RawQuery != ""
	}),
	"heads-of-the-card-need-credentials": guardedWhere("/.well-known/agent-card.json", func(c *call) bool { return c.r.Method == http.MethodHead }),
	"extended-card-in-the-root-form-needs-no-credentials": unguarded(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/extendedAgentCard") && !strings.Contains(c.r.URL.Path, "/v1/")
	}),
	"second-card-has-the-id-of-the-first-instance": runtimeParams(func(in *instance, p map[string]any) { p["instance_id"] = in.e.pair[0] }),
	"card-description-is-a-list":                   askedPlainly(func(_ *instance, card map[string]any) { card["description"] = []any{"A sandboxed agent."} }),
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
	"capability-of-129-characters": runtimeParams(func(_ *instance, p map[string]any) {
		p["capabilities"] = []any{"exec", strings.Repeat("x", 129)}
	}),
	"extended-card-of-another-instance-id-after-restart": func(b *behaviour) {
		b.tasks.extended = func(c *call) answer {
			card := c.in.card(true)
			if c.in.Created.Before(c.e.started) {
				for _, item := range capabilities(card)["extensions"].([]any) {
					if entry := item.(map[string]any); entry["uri"] == uriRuntime {
						entry["params"].(map[string]any)["instance_id"] = newID()
					}
				}
				c.in.resign(card)
			}
			return c.json(http.StatusOK, card)
		}
	},
}

// guardedWhere makes some requests for a public path need credentials.
func guardedWhere(suffix string, which func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		needs := b.auth.needs
		b.auth.needs = func(c *call) bool {
			return needs(c) || c.e.secured() && strings.HasSuffix(c.r.URL.Path, suffix) && which(c)
		}
	}
}
