// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-jose/go-jose/v4"
)

var cardFaults = map[string]func(*behaviour){
	"card-only-at-the-root": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			if c.r.URL.Path != "/.well-known/agent-card.json" {
				return answer{}, false
			}
			c.in = c.e.instances.all()[0]
			return agentCard(c), true
		}
		b.card.answer = func(c *call, a answer) answer {
			if asksPlainly(c) && c.iid != "" {
				return c.refuse(noSuchInstance())
			}
			return a
		}
	},
	"card-redirects-twice": cardAnswer(func(c *call, a answer) answer {
		step := c.query().Get("step") + "i"
		if len(step) > 2 || !asksPlainly(c) {
			return a
		}
		return answer{status: http.StatusFound, header: http.Header{"Location": {c.r.URL.EscapedPath() + "?step=" + step}}}
	}),
	"cards-of-any-type-are-accepted": cardAnswer(func(c *call, a answer) answer {
		if c.r.Header.Get("Accept") == "*/*" && a.status == http.StatusOK {
			a.status = http.StatusAccepted
		}
		return a
	}),
	"cards-of-any-type-are-plain-text": cardAnswer(func(c *call, a answer) answer {
		if c.r.Header.Get("Accept") == "*/*" {
			a.header.Set("Content-Type", "text/plain")
		}
		return a
	}),
	"card-as-plain-text": cardAnswer(func(_ *call, a answer) answer { a.header.Set("Content-Type", "text/plain"); return a }),
	"card-with-more-after-it": cardAnswer(func(c *call, a answer) answer {
		if len(a.body) > 0 && asksPlainly(c) {
			a.body = append(a.body, "{}"...)
		}
		return a
	}),
	"card-in-latin-1": func(b *behaviour) {
		askedPlainly(func(_ *instance, card map[string]any) { card["description"] = "caf\uE0E9" })(b)
		b.card.encode = func(c *call, card map[string]any) []byte {
			return bytes.ReplaceAll(c.e.lawful.Encode(card), []byte("\uE0E9"), []byte{0xE9})
		}
	},
	"card-with-version-twice": func(b *behaviour) {
		b.card.encode = func(c *call, card map[string]any) []byte {
			text := c.e.lawful.Encode(card)
			return append([]byte(`{"version":"1.9.0",`), text[1:]...)
		}
	},

	"card-without-name":               askedPlainly(func(_ *instance, card map[string]any) { delete(card, "name") }),
	"card-with-empty-description":     askedPlainly(func(_ *instance, card map[string]any) { card["description"] = "" }),
	"card-version-is-a-number":        askedPlainly(func(_ *instance, card map[string]any) { card["version"] = 2 }),
	"protocol-version-is-latest":      askedPlainly(func(_ *instance, card map[string]any) { card["protocolVersion"] = "latest" }),
	"no-interfaces-declared":          askedPlainly(func(_ *instance, card map[string]any) { card["supportedInterfaces"] = []any{} }),
	"no-security-schemes":             askedPlainly(func(_ *instance, card map[string]any) { card["securitySchemes"] = map[string]any{} }),
	"no-mutual-tls-declared":          askedPlainly(func(_ *instance, card map[string]any) { delete(card["securitySchemes"].(map[string]any), "mtls") }),
	"no-output-modes":                 askedPlainly(func(_ *instance, card map[string]any) { delete(card, "defaultOutputModes") }),
	"no-skills-listed":                askedPlainly(func(_ *instance, card map[string]any) { delete(card, "skills") }),
	"no-rest-interface-declared":      askedPlainly(func(_ *instance, card map[string]any) { card["supportedInterfaces"] = interfaces(card)[1:] }),
	"interface-url-is-relative":       askedPlainly(func(in *instance, card map[string]any) { face(card, 0)["url"] = "/agents/" + in.ID + "/v1" }),
	"streaming-is-a-string":           askedPlainly(func(_ *instance, card map[string]any) { capabilities(card)["streaming"] = "true" }),
	"streaming-not-declared":          askedPlainly(func(_ *instance, card map[string]any) { capabilities(card)["streaming"] = false }),
	"push-notifications-not-declared": askedPlainly(func(_ *instance, card map[string]any) { delete(capabilities(card), "pushNotifications") }),
	"extensions-is-an-object":         askedPlainly(func(_ *instance, card map[string]any) { capabilities(card)["extensions"] = map[string]any{} }),
	"extension-required-is-a-string":  extensionEntry(uriTenant, func(_ *instance, entry map[string]any) { entry["required"] = "yes" }),
	"extensions-without-params":       withoutParams(uriIdempotency, uriTenant, uriHITL),
	"extension-uri-without-https": extensionEntry(uriAdapter, func(_ *instance, entry map[string]any) {
		entry["uri"] = "http" + strings.TrimPrefix(uriAdapter, "https")
	}),
	"extension-uri-with-a-slash": extensionEntry(uriHITL, func(_ *instance, entry map[string]any) { entry["uri"] = uriHITL + "/" }),
	"pty-extensions-required":    extensionEntry(uriPTY, func(_ *instance, entry map[string]any) { entry["required"] = true }),
	"extension-declared-twice": askedPlainly(func(_ *instance, card map[string]any) {
		again := map[string]any{"uri": uriIdempotency, "required": false, "params": map[string]any{}}
		capabilities(card)["extensions"] = append(capabilities(card)["extensions"].([]any), again)
	}),
	"pty-interface-at-the-v1-path": askedPlainly(func(in *instance, card map[string]any) {
		url := "ws" + strings.TrimPrefix(in.e.public(), "http") + "/sessions/{session_id}"
		face(card, 1)["url"] = url
	}),
	"rest-interface-without-agent-prefix": askedPlainly(func(in *instance, card map[string]any) { face(card, 0)["url"] = in.e.public() + "/v1" }),
	"rest-interface-of-another-instance": askedPlainly(func(in *instance, card map[string]any) {
		for _, other := range in.e.pair {
			if other != in.ID {
				face(card, 0)["url"] = in.e.public() + "/agents/" + other + "/v1"
			}
		}
	}),
	"rest-interface-in-clear-text": askedPlainly(func(in *instance, card map[string]any) {
		face(card, 0)["url"] = "http" + strings.TrimPrefix(face(card, 0)["url"].(string), "https")
	}),
	"card-url-in-clear-text": askedPlainly(func(_ *instance, card map[string]any) {
		card["url"] = "http" + strings.TrimPrefix(card["url"].(string), "https")
	}),
	"json-rpc-declared-but-dead": askedPlainly(func(in *instance, card map[string]any) {
		dead := map[string]any{"url": in.e.public() + "/agents/" + in.ID + "/dashboard", "transport": "JSONRPC", "protocolBinding": "JSONRPC", "protocolVersion": "0.3.0"}
		living := slices.DeleteFunc(interfaces(card), func(v any) bool { return v.(map[string]any)["transport"] == "JSONRPC" })
		card["supportedInterfaces"] = append(living, dead)
	}),

	"protocol-version-of-interfaces-only": askedPlainly(func(_ *instance, card map[string]any) { delete(card, "protocolVersion") }),
	"no-pty-interface-declared": askedPlainly(func(_ *instance, card map[string]any) {
		card["supportedInterfaces"] = slices.Delete(interfaces(card), 1, 2)
	}),
	"rest-interface-on-another-host": askedPlainly(func(in *instance, card map[string]any) {
		face(card, 0)["url"] = "http://sandbox.example/agents/" + in.ID + "/v1"
	}),
	"extension-without-required": extensionEntry(uriTenant, func(_ *instance, entry map[string]any) { delete(entry, "required") }),
	"skills-are-empty":           askedPlainly(func(_ *instance, card map[string]any) { card["skills"] = []any{} }),
	"card-shows-a-bearer-token": askedPlainly(func(_ *instance, card map[string]any) {
		card["description"] = "Call me with Bearer " + strings.Repeat("abcdefgh", 3)
	}),
	"card-shows-a-certificate": askedPlainly(func(_ *instance, card map[string]any) {
		card["description"] = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
	}),

	"card-unsigned":                    func(b *behaviour) { b.card.sign = func(*instance, map[string]any, []byte) {} },
	"card-signed-with-es256":           func(b *behaviour) { b.card.sign = signES256 },
	"card-signed-with-none":            func(b *behaviour) { b.card.sign = signNone },
	"card-signed-by-a-stranger":        func(b *behaviour) { b.card.sign = signByStranger },
	"card-signed-without-kid":          func(b *behaviour) { b.card.kid = func(*instance) string { return "" } },
	"card-signed-under-an-unknown-kid": func(b *behaviour) { b.card.kid = func(*instance) string { return "k2" } },
	"card-changed-after-signing": func(b *behaviour) {
		b.card.signed = func(_ *instance, card map[string]any) { card["description"] = "Changed after signing." }
	},
	"card-signed-as-pretty-printed": func(b *behaviour) {
		b.card.payload = func(card map[string]any) []byte {
			text, _ := json.MarshalIndent(card, "", "  ")
			return text
		}
		b.card.sign = signAttached
	},
	"fresh-key-for-every-card": freshKeys,
	"new-keys-after-restart": func(b *behaviour) {
		b.card.reopened = func(_ *Executor, in *instance) { _, _ = rand.Read(in.seed) }
	},
	"one-key-under-many-kids": func(b *behaviour) {
		b.card.key = func(in *instance) ed25519.PrivateKey { return in.e.instances.all()[0].key() }
	},
	"one-key-for-all-instances": func(b *behaviour) {
		b.card.key = func(in *instance) ed25519.PrivateKey { return in.e.instances.all()[0].key() }
		b.card.kid = func(*instance) string { return "shared" }
		b.card.published = b.card.kid
	},

	"key-in-padded-base64": jwk(func(_ *instance, k map[string]any) {
		raw, _ := base64.RawURLEncoding.DecodeString(k["x"].(string))
		k["x"] = base64.StdEncoding.EncodeToString(raw)
	}),
	"key-of-another-curve":  jwk(func(_ *instance, k map[string]any) { k["crv"] = "X25519" }),
	"private-key-published": jwk(func(in *instance, k map[string]any) { k["d"] = base64.RawURLEncoding.EncodeToString(in.seed) }),

	"card-for-unknown-instances": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			if _, known := c.e.instances.find(c.iid); known || !strings.HasSuffix(c.r.URL.Path, "/.well-known/agent-card.json") || c.iid == "" {
				return answer{}, false
			}
			c.in = c.e.instances.all()[0]
			return agentCard(c), true
		}
	},
	"card-not-cacheable": func(b *behaviour) {
		b.card.header = func(h http.Header, _ string) { h.Set("Content-Type", "application/json") }
	},
	"card-breaks-on-its-own-etag": cardAnswer(func(c *call, a answer) answer {
		if a.status == http.StatusNotModified {
			return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
		}
		return a
	}),
	"card-shows-the-admin-token": askedPlainly(func(in *instance, card map[string]any) {
		secret := in.e.config.AdminToken + in.e.config.Token
		card["description"] = "Call me with Bearer " + secret + strings.Repeat("x", 16)
	}),
	"every-seventh-card-is-changed-after-signing": func(b *behaviour) {
		var shown atomic.Int64
		b.card.signed = func(in *instance, card map[string]any) {
			conformantCard.signed(in, card)
			if shown.Add(1)%7 == 0 {
				card["description"] = "A newer description."
			}
		}
	},
	"cards-list-the-extensions-that-are-activated": func(b *behaviour) {
		b.card.asked = func(c *call, card map[string]any) {
			wanted := requestedExtensions(c.r.Header)
			if len(wanted) == 0 {
				return
			}
			capabilities(card)["extensions"] = slices.DeleteFunc(capabilities(card)["extensions"].([]any), func(item any) bool {
				uri, _ := item.(map[string]any)["uri"].(string)
				return !slices.Contains(wanted, uri)
			})
		}
	},
	"extended-cards-leave-the-last-extension-in-the-public-one": leftByExtendedCards(func(list []any) any { return list[len(list)-1] }),
	"instances-known-by-the-beginning-of-their-id": func(b *behaviour) {
		b.surfaces.instance = func(e *Executor, id string) (*instance, bool) {
			for _, in := range e.instances.all() {
				if len(id) >= 8 && strings.HasPrefix(in.ID, id) {
					return in, true
				}
			}
			return nil, false
		}
	},
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
	"second-card-without-name":                    secondCard(func(card map[string]any) { card["name"] = "\u00a0" }),
	"second-card-without-description":             secondCard(func(card map[string]any) { delete(card, "description") }),
	"second-card-version-is-a-number":             secondCard(func(card map[string]any) { card["version"] = 2 }),
	"second-card-protocol-version-is-major":       secondCard(func(card map[string]any) { card["protocolVersion"] = "1" }),
	"second-card-names-the-rest-url-of-the-first": secondLeadsToTheFirst(0),
	"second-card-names-the-terminal-of-the-first": secondLeadsToTheFirst(1),
	"second-card-without-the-rest-interface": secondCard(func(card map[string]any) {
		card["supportedInterfaces"] = slices.DeleteFunc(interfaces(card), func(v any) bool { return v.(map[string]any)["transport"] == "HTTP+JSON" })
	}),
	"second-instance-has-no-card": cardAnswer(func(c *call, a answer) answer {
		if c.in.second() && asksPlainly(c) {
			return c.refuse(noSuchInstance())
		}
		return a
	}),
	"second-card-with-a-url-without-host": secondCard(func(card map[string]any) {
		face(card, 1)["url"] = "wss://:8122/sessions/{session_id}/attach"
	}),
	"every-tenth-card-is-unavailable-to-strangers": func(b *behaviour) {
		var asked atomic.Int64
		real := b.card.answer
		b.card.answer = func(c *call, a answer) answer {
			if c.r.Header.Get("Authorization") == "" && asked.Add(1)%10 == 0 {
				return c.refuse(refuse(http.StatusServiceUnavailable, "runtime.unavailable", "the card is being made"))
			}
			return real(c, a)
		}
	},
	"cards-count-the-tasks": cardContent(func(in *instance, card map[string]any) {
		card["description"] = fmt.Sprintf("A sandboxed agent that has had %v tasks.", in.e.metrics.tasks.read()[""])
	}),
}

// cardContent changes the card before it is signed.
func cardContent(change func(in *instance, card map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.card.content
		b.card.content = func(in *instance, card map[string]any) { before(in, card); change(in, card) }
	}
}

// asksPlainly says whether a request for the card comes with credentials and activates nothing: so ask the requirements
// about the card itself, but neither those who look for the executor nor those who go on to use it. A fault that strikes
// these requests only does not hide everything that depends on the card.
func asksPlainly(c *call) bool {
	return c.r.Header.Get("Authorization") != "" && c.r.Header.Get("A2A-Extensions") == ""
}

// askedPlainly changes the card before it is signed, for those who ask plainly.
func askedPlainly(change func(in *instance, card map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.card.asked = func(c *call, card map[string]any) {
			if asksPlainly(c) {
				change(c.in, card)
			}
		}
	}
}

// withoutParams takes away the params of some extensions.
func withoutParams(uris ...string) func(*behaviour) {
	return func(b *behaviour) {
		for _, uri := range uris {
			extensionEntry(uri, func(_ *instance, entry map[string]any) { delete(entry, "params") })(b)
		}
	}
}

// extensionEntry changes one extension's entry in the card.
func extensionEntry(uri string, change func(in *instance, entry map[string]any)) func(*behaviour) {
	return cardContent(func(in *instance, card map[string]any) {
		for _, item := range capabilities(card)["extensions"].([]any) {
			if entry := item.(map[string]any); entry["uri"] == uri {
				change(in, entry)
			}
		}
	})
}

func cardAnswer(change func(c *call, a answer) answer) func(*behaviour) {
	return func(b *behaviour) { b.card.answer = change }
}

func jwk(change func(in *instance, k map[string]any)) func(*behaviour) {
	return func(b *behaviour) { b.card.jwk = change }
}

func capabilities(card map[string]any) map[string]any { return card["capabilities"].(map[string]any) }

func interfaces(card map[string]any) []any { return slices.Clone(card["supportedInterfaces"].([]any)) }

func face(card map[string]any, i int) map[string]any {
	return card["supportedInterfaces"].([]any)[i].(map[string]any)
}

func signES256(in *instance, card map[string]any, payload []byte) {
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	compact, _ := sign(jose.SigningKey{Algorithm: jose.ES256, Key: key}, in.ID, payload).DetachedCompactSerialize()
	protected, signature, _ := strings.Cut(compact, "..")
	card["signatures"] = []any{map[string]any{"protected": protected, "signature": signature}}
}

func signNone(in *instance, card map[string]any, _ []byte) {
	protected := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"` + in.ID + `"}`))
	card["signatures"] = []any{map[string]any{"protected": protected, "signature": ""}}
}

func signByStranger(in *instance, card map[string]any, payload []byte) {
	_, key, _ := ed25519.GenerateKey(rand.Reader)
	compact, _ := sign(jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, in.ID, payload).DetachedCompactSerialize()
	protected, signature, _ := strings.Cut(compact, "..")
	card["signatures"] = []any{map[string]any{"protected": protected, "signature": signature}}
}

// freshKeys makes a new key whenever a card is signed, and publishes the newest.
func freshKeys(b *behaviour) {
	var mu sync.Mutex
	newest := map[string]ed25519.PrivateKey{}
	real := b.card.sign
	b.card.sign = func(in *instance, card map[string]any, payload []byte) {
		_, key, _ := ed25519.GenerateKey(rand.Reader)
		mu.Lock()
		newest[in.ID] = key
		mu.Unlock()
		real(in, card, payload)
	}
	b.card.key = func(in *instance) ed25519.PrivateKey {
		mu.Lock()
		defer mu.Unlock()
		if key := newest[in.ID]; key != nil {
			return key
		}
		return in.key()
	}
	number := 0
	b.card.kid = func(*instance) string {
		mu.Lock()
		defer mu.Unlock()
		number++
		return "key-" + string(rune('a'+number%26))
	}
	b.card.published = func(*instance) string {
		mu.Lock()
		defer mu.Unlock()
		return "key-" + string(rune('a'+number%26))
	}
}

// leftByExtendedCards lets the public card declare an extension twice once the extended one was read.
func leftByExtendedCards(which func(list []any) any) func(*behaviour) {
	return func(b *behaviour) {
		var read atomic.Bool
		extended := b.tasks.extended
		b.tasks.extended = func(c *call) answer {
			read.Store(true)
			return extended(c)
		}
		b.card.asked = func(_ *call, card map[string]any) {
			if list := capabilities(card)["extensions"].([]any); read.Load() {
				capabilities(card)["extensions"] = append(list, which(list))
			}
		}
	}
}

// secondCard changes the card of the second instance.
func secondCard(change func(card map[string]any)) func(*behaviour) {
	return cardContent(func(in *instance, card map[string]any) {
		if in.second() {
			change(card)
		}
	})
}

// secondLeadsToTheFirst declares an interface of the second instance under the URL of the first.
func secondLeadsToTheFirst(interfaceAt int) func(*behaviour) {
	return cardContent(func(in *instance, card map[string]any) {
		if url, is := face(card, interfaceAt)["url"].(string); is && in.second() {
			face(card, interfaceAt)["url"] = strings.ReplaceAll(url, in.ID, in.e.pair[0])
		}
	})
}
