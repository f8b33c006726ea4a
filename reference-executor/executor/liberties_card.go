// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-jose/go-jose/v4"
)

// cardLiberties are about the card, its signatures and the key set.
var cardLiberties = map[string]func(*behaviour){
	// A2A 8.4: signatures is a list; while a key is replaced, cards are signed with both, and both are published.
	"cards-are-signed-with-two-keys": func(b *behaviour) {
		next := func(in *instance) (ed25519.PrivateKey, string) {
			seed := sha256.Sum256(in.seed)
			return ed25519.NewKeyFromSeed(seed[:]), in.ID + "#next"
		}
		signed, jwk, keys := b.card.signed, b.card.jwk, b.card.keys
		b.card.signed = func(in *instance, card map[string]any) {
			signed(in, card)
			key, kid := next(in)
			compact, err := sign(jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, kid, canonical(card)).DetachedCompactSerialize()
			if err != nil {
				panic(err)
			}
			protected, signature, _ := strings.Cut(compact, "..")
			own, _ := card["signatures"].([]any)
			card["signatures"] = append([]any{map[string]any{"protected": protected, "signature": signature}}, own...)
		}
		var published sync.Map
		b.card.jwk = func(in *instance, k map[string]any) {
			jwk(in, k)
			key, kid := next(in)
			published.Store(k["kid"], map[string]any{
				"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey)),
			})
		}
		b.card.keys = func(own []any, h http.Header) []any {
			own = keys(own, h)
			for _, k := range own {
				if more, found := published.Load(k.(map[string]any)["kid"]); found {
					own = append([]any{more}, own...)
				}
			}
			return own
		}
	},
	// Wire shapes, 3.1: layout b.
	"signatures-are-compact-and-detached": func(b *behaviour) {
		signWith(b, func(jws *jose.JSONWebSignature, card map[string]any) {
			compact, err := jws.DetachedCompactSerialize()
			if err != nil {
				panic(err)
			}
			card["signatures"] = []any{map[string]any{"signature": compact}}
		})
	},
	// Wire shapes, 3.1: layout d.
	"the-signature-stands-at-the-top": func(b *behaviour) {
		signWith(b, func(jws *jose.JSONWebSignature, card map[string]any) {
			compact, err := jws.CompactSerialize()
			if err != nil {
				panic(err)
			}
			card["signature"] = compact
		})
	},
	// RFC 7515, 4.1.9 and 4.3: typ and private members of the protected header.
	"protected-headers-say-more": func(b *behaviour) {
		b.card.sign = func(in *instance, card map[string]any, payload []byte) {
			options := (&jose.SignerOptions{}).WithType("JOSE").WithHeader("kid", in.e.b.card.kid(in)).WithHeader("issued_by", "agents/"+in.Name)
			signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: in.e.b.card.key(in)}, options)
			if err != nil {
				panic(err)
			}
			jws, err := signer.Sign(payload)
			if err != nil {
				panic(err)
			}
			compact, err := jws.DetachedCompactSerialize()
			if err != nil {
				panic(err)
			}
			protected, signature, _ := strings.Cut(compact, "..")
			card["signatures"] = []any{map[string]any{
				"protected": protected, "signature": signature, "header": map[string]any{"alg": "EdDSA", "kid": in.e.b.card.kid(in), "note": "unprotected"},
			}}
		}
	},
	// RFC 7517, 4 and 5: keys of other kinds and members that are not understood are ignored; kid is optional.
	"key-sets-hold-other-keys": func(b *behaviour) {
		keys := b.card.keys
		b.card.keys = func(own []any, h http.Header) []any {
			own = keys(own, h)
			for _, k := range own {
				k.(map[string]any)["key_ops"], k.(map[string]any)["issued_at"] = []any{"verify"}, 1767225600
			}
			return slices.Concat([]any{
				map[string]any{"kty": "RSA", "kid": "tls-1", "n": "wV" + strings.Repeat("W", 340), "e": "AQAB", "use": "enc"},
				map[string]any{"kty": "EC", "crv": "P-256", "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY", "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU", "alg": "ES256"},
			}, own, []any{map[string]any{"kty": "OKP", "crv": "X25519", "x": "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "use": "enc"}})
		}
	},
	// RFC 7517, 8.5.2: the media type of key sets.
	"key-sets-have-their-media-type": func(b *behaviour) {
		keys := b.card.keys
		b.card.keys = func(own []any, h http.Header) []any {
			h.Set("Content-Type", "application/jwk-set+json")
			h.Del("Cache-Control")
			return keys(own, h)
		}
	},
	// A2A AgentCard may have members that this contract does not name; RFC 8785 says how any JSON is signed.
	"cards-hold-all-that-json-has": func(b *behaviour) {
		changeCard(b, func(_ *instance, card map[string]any) {
			card["x-more"] = map[string]any{
				"numbers": []any{json.Number("1E21"), json.Number("1e-7"), json.Number("-0.0"), json.Number("0.10"), json.Number("333333333.33333329"), json.Number("9007199254740991")},
				"\u20ac":  "Euro", "\r": "Carriage Return", "\ufb33": "Hebrew", "\U0001f600": "Smiley", "\u0080": "Control", "\u00f6": "Latin", "1": "One",
				"text": "\u0000\u001f\u007f\u2028\"\\/<&>", "nothing": nil, "none": []any{}, "empty": map[string]any{},
			}
		})
	},
	// CARD-009, CARD-010: at least one entry of each; which others there are and in which order is free.
	"interfaces-stand-in-another-order": func(b *behaviour) {
		changeCard(b, func(in *instance, card map[string]any) {
			list, _ := card["supportedInterfaces"].([]any)
			list = slices.Clone(list)
			slices.Reverse(list)
			card["supportedInterfaces"] = append([]any{
				map[string]any{"url": "https://grpc.sandbox.example:8443", "protocolBinding": "GRPC", "protocolVersion": "1.0", "tenant": "default"},
			}, list...)
		})
	},
	// CARD-014: the name of a scheme is not significant, the wrapper of A2A 1.0 counts, and others may stand beside.
	"security-schemes-have-the-other-layout": func(b *behaviour) {
		changeCard(b, func(_ *instance, card map[string]any) {
			card["securitySchemes"] = map[string]any{
				"apiKey":  map[string]any{"apiKeySecurityScheme": map[string]any{"name": "X-Key", "location": "header"}},
				"oauth":   map[string]any{"oauth2SecurityScheme": map[string]any{"flows": map[string]any{}}},
				"aToken":  map[string]any{"httpAuthSecurityScheme": map[string]any{"scheme": "Bearer", "bearerFormat": "opaque"}},
				"machine": map[string]any{"mtlsSecurityScheme": map[string]any{}},
			}
			card["security"] = []any{map[string]any{"aToken": []any{}}}
		})
	},
	// AMB-40: further extensions are allowed; no order is given.
	"more-extensions-are-advertised": func(b *behaviour) {
		changeCard(b, func(_ *instance, card map[string]any) {
			capabilities := card["capabilities"].(map[string]any)
			list, _ := capabilities["extensions"].([]any)
			list = append(slices.Clone(list), map[string]any{"uri": "https://example.org/ext/geo/v1", "required": false},
				map[string]any{"uri": "https://agentic-sandbox.aiwg.io/extensions/runtime/v2", "required": false, "params": map[string]any{"preview": true}})
			slices.Reverse(list)
			capabilities["extensions"], capabilities["stateTransitionHistory"] = list, true
		})
	},
	// AMB-40: the guide's five are needed; later ones are optional.
	"only-the-five-extensions-are-advertised": func(b *behaviour) {
		later := func(v any) bool {
			is := func(name string) bool {
				uri, _ := v.(map[string]any)[name].(string)
				return uri == uriOutput || uri == uriAdapter
			}
			return is("uri") || is("extension")
		}
		changeCard(b, func(_ *instance, card map[string]any) {
			capabilities := card["capabilities"].(map[string]any)
			capabilities["extensions"] = slices.DeleteFunc(slices.Clone(capabilities["extensions"].([]any)), later)
			card["supportedInterfaces"] = slices.DeleteFunc(slices.Clone(card["supportedInterfaces"].([]any)), later)
		})
	},
	// RUN-002: runtime, loadout and instance_id are needed; RUN-003: the value of runtime is open.
	"runtimes-say-little": func(b *behaviour) {
		changeCard(b, func(_ *instance, card map[string]any) {
			for _, v := range card["capabilities"].(map[string]any)["extensions"].([]any) {
				if extension := v.(map[string]any); extension["uri"] == uriRuntime {
					params := extension["params"].(map[string]any)
					extension["params"] = map[string]any{"runtime": "firecracker", "loadout": params["loadout"], "instance_id": params["instance_id"]}
				}
			}
		})
		runtime := b.extensions.runtime
		b.extensions.runtime = func(t task, metadata map[string]any, in *instance) {
			runtime(t, metadata, in)
			delete(metadata, "runtime.provider")
			delete(metadata, "runtime.capabilities")
			if metadata["runtime.kind"] != nil {
				metadata["runtime.kind"] = "firecracker"
			}
		}
	},
	// Wire shapes, 8: image_ref, provider and capabilities are not needed; RUN-012 is about each that is published.
	"runtimes-have-no-provider": func(b *behaviour) {
		changeCard(b, func(_ *instance, card map[string]any) {
			for _, v := range card["capabilities"].(map[string]any)["extensions"].([]any) {
				if extension := v.(map[string]any); extension["uri"] == uriRuntime {
					delete(extension["params"].(map[string]any), "provider")
				}
			}
		})
		runtime := b.extensions.runtime
		b.extensions.runtime = func(t task, metadata map[string]any, in *instance) {
			runtime(t, metadata, in)
			delete(metadata, "runtime.provider")
		}
	},
	// CARD-033: Cache-Control with max-age, or an ETag; directives are case-insensitive (RFC 9111, 5.2).
	"cards-are-asked-for-again": func(b *behaviour) {
		b.card.header = func(h http.Header, _ string) {
			h.Set("Content-Type", "application/a2a+json")
			h.Set("Cache-Control", "Public, Must-Revalidate, Max-Age=0")
		}
	},
	// RFC 9110, 8.8.3: a strong tag, where the bytes are always the same; CARD-033: 304 or 200.
	"cards-have-strong-tags": func(b *behaviour) {
		b.card.encode = func(_ *call, card map[string]any) []byte {
			text, err := canonicalForm(card)
			if err != nil {
				panic(err)
			}
			return text
		}
		b.card.header = func(h http.Header, etag string) {
			h.Set("Content-Type", "application/json")
			h.Set("ETag", strings.TrimPrefix(etag, "W/"))
		}
	},
	// CARD-001: a redirect is followed once, on the same host.
	"cards-are-elsewhere": func(b *behaviour) {
		b.card.answer = func(c *call, a answer) answer {
			if c.r.URL.RawQuery != "" {
				return a
			}
			return answer{status: http.StatusTemporaryRedirect, header: http.Header{"Location": {c.r.URL.Path + "?revision=7"}}}
		}
	},
	// TASK-030: 404 where capabilities.extendedAgentCard is false.
	"there-is-no-extended-card": func(b *behaviour) {
		changeCard(b, func(_ *instance, card map[string]any) {
			card["capabilities"].(map[string]any)["extendedAgentCard"] = false
		})
		b.tasks.extended = func(c *call) answer {
			return c.refuse(refuse(http.StatusNotFound, "route.not_found", "there is no extended card"))
		}
	},
}

// changeCard gives a liberty the last word on a card before it is signed.
func changeCard(b *behaviour, change func(in *instance, card map[string]any)) {
	was := b.card.content
	b.card.content = func(in *instance, card map[string]any) {
		was(in, card)
		change(in, card)
	}
}

// signWith has a liberty lay out the signature.
func signWith(b *behaviour, place func(jws *jose.JSONWebSignature, card map[string]any)) {
	b.card.sign = func(in *instance, card map[string]any, payload []byte) {
		place(sign(jose.SigningKey{Algorithm: jose.EdDSA, Key: in.e.b.card.key(in)}, in.e.b.card.kid(in), payload), card)
	}
}
