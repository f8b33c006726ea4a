// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

var signatureFaults = map[string]func(*behaviour){
	"entry-without-a-signature": furtherEntry(func(s *Server) object {
		return object{"protected": encoded(object{"alg": string(s.signer.alg), "kid": "further", "typ": "JOSE"})}
	}),
	"entry-without-a-protected-header": furtherEntry(func(*Server) object { return object{"signature": someSignature} }),
	"protected-header-in-padded-base64": furtherEntry(func(s *Server) object {
		// Two bytes more than a multiple of three, so that there is something to pad.
		text := padded(`{"alg":"ES256","kid":"further","typ":"JOSE"}`, 2)
		return object{"protected": base64.StdEncoding.EncodeToString([]byte(text)), "signature": someSignature}
	}),
	"protected-header-is-a-text": furtherEntry(func(*Server) object {
		return object{"protected": encoded("ES256"), "signature": someSignature}
	}),
	"protected-header-with-a-member-twice": furtherEntry(func(*Server) object {
		return object{"protected": encoded(json.RawMessage(`{"alg":"ES256","kid":"first","kid":"further","typ":"JOSE"}`)), "signature": someSignature}
	}),
	"signature-with-alg-none": furtherHeader(object{"alg": "None", "kid": "further", "typ": "JOSE"}),
	"alg-outside-the-protected-header": furtherEntry(func(*Server) object {
		return object{"protected": encoded(object{"kid": "further", "typ": "JOSE"}), "header": object{"alg": "ES256"}, "signature": someSignature}
	}),
	"signature-without-kid": func(b *behaviour) { b.signature.header = without("kid") },
	"signature-without-typ": func(b *behaviour) { b.signature.header = without("typ") },
	"signature-of-typ-jwt": func(b *behaviour) {
		b.signature.header = func(s *Server) object {
			header := conformantSignature.header(s)
			header["typ"] = "JWT"
			return header
		}
	},
	"kid-in-both-headers":          unprotected(func(header object) any { return object{"kid": header["kid"]} }),
	"unprotected-header-is-a-text": unprotected(func(object) any { return "{}" }),
	"nothing-is-critical":          furtherHeader(object{"alg": "ES256", "kid": "further", "typ": "JOSE", "crit": []any{}}),
	"kid-is-critical":              furtherHeader(object{"alg": "ES256", "kid": "further", "typ": "JOSE", "crit": []any{"kid"}}),
	"signature-in-der-form": furtherEntry(func(*Server) object {
		half := append([]byte{0x02, 0x20}, slices.Repeat([]byte{0x41}, 32)...)
		der := slices.Concat([]byte{0x30, byte(2 * len(half))}, half, half)
		return object{"protected": encoded(object{"alg": "ES256", "kid": "further", "typ": "JOSE"}), "signature": base64.RawURLEncoding.EncodeToString(der)}
	}),
	"signature-in-padded-base64": furtherEntry(func(*Server) object {
		return object{
			"protected": encoded(object{"alg": "ES256", "kid": "further", "typ": "JOSE"}),
			"signature": base64.StdEncoding.EncodeToString(slices.Repeat([]byte{0xfb}, 64)),
		}
	}),
	"signature-of-an-older-card": func(b *behaviour) {
		b.signature.entries = func(s *Server, card object, entries []any) []any {
			old := maps.Clone(card)
			old["version"] = "0.9.0"
			protected, signature := s.signer.sign(s.b.signature.header(s), canonical(old))
			return append(entries, object{"protected": protected, "signature": signature})
		}
	},

	"key-set-without-the-key":  keyWith(func(key object) { key["kid"] = "newer" }),
	"key-for-encryption":       keyWith(func(key object) { key["use"] = "enc" }),
	"key-of-another-algorithm": keyWith(func(key object) { key["alg"] = "RS256" }),
	"key-set-is-not-there": func(b *behaviour) {
		b.http.before = func(s *Server, r *http.Request) (answer, bool) {
			return (&call{s: s, r: r}).refuse(fail(unknownMethod, "there are no keys")), r.URL.Path == keysPath
		}
	},
	"key-set-is-gone-when-asked-for-again": func(b *behaviour) {
		var asked atomic.Int32
		b.http.before = func(s *Server, r *http.Request) (answer, bool) {
			if r.URL.Path != keysPath || asked.Add(1) != 3 {
				return conformantHTTP.before(s, r)
			}
			return (&call{s: s, r: r}).refuse(fail(unknownMethod, "there are no keys")), true
		}
	},
	"key-set-is-a-list": func(b *behaviour) {
		b.http.before = func(s *Server, r *http.Request) (answer, bool) {
			return s.json(http.StatusOK, mediaJSON, s.b.signature.keys(s)), r.URL.Path == keysPath
		}
	},
	"key-set-at-a-path": func(b *behaviour) {
		b.signature.header = func(s *Server) object {
			header := conformantSignature.header(s)
			header["jku"] = keysPath
			return header
		}
	},
	"card-signed-by-a-stranger": func(b *behaviour) {
		b.signature.keys = func(s *Server) []any {
			return s.remember("a stranger's key", func() any {
				for {
					stranger, err := newSigner(s.lawful)
					if err != nil {
						panic("bug: " + err.Error())
					}
					if stranger.kid = s.signer.kid; stranger.alg == s.signer.alg {
						return []any{stranger.jwk()}
					}
				}
			}).([]any)
		}
	},

	"card-changed-after-signing": func(b *behaviour) {
		b.card.shown = func(_ *call, _ bool, card object) { card["description"] = card["description"].(string) + "!" }
	},
	"compressed-card-is-the-one-of-yesterday": func(b *behaviour) {
		b.card.zips = func(_ *call, body []byte) []byte {
			return bytes.Replace(body, []byte(`"1.4.0"`), []byte(`"1.3.9"`), 1)
		}
	},
	"card-tells-the-time-where-it-is-not-cached": func(b *behaviour) {
		b.card.shown = func(c *call, extended bool, card object) {
			if !extended && c.r.Header.Get("Cache-Control") == "no-cache" {
				card["description"] = fmt.Sprint(card["description"], " It is ", time.Now().UnixNano(), ".")
			}
		}
	},
	"cards-are-of-yesterday-where-they-may-be-cached": func(b *behaviour) {
		b.card.shown = func(c *call, extended bool, card object) {
			if !extended && c.r.Header.Get("Cache-Control") != "no-cache" {
				card["version"] = "1.3.9"
			}
		}
	},
	"extended-card-changed-after-signing": func(b *behaviour) {
		b.card.shown = func(_ *call, extended bool, card object) {
			if extended {
				card["description"] = card["description"].(string) + "!"
			}
		}
	},
	"extended-card-with-the-public-signatures": func(b *behaviour) {
		b.card.signs = func(c *call, extended bool, card object) []any {
			if extended {
				card = c.card(false)
			}
			return conformantCard.signs(c, false, card)
		}
	},

	"card-signed-without-what-is-empty": signedAs(
		func(card object) { card["iconUrl"] = "" },
		func(signed object) { delete(signed, "iconUrl") },
	),
	"card-signed-without-what-is-false": func(b *behaviour) {
		b.card.declares = func(s *Server, capability string) bool {
			return capability != "extendedAgentCard" && s.declares(capability)
		}
		signedAs(
			func(card object) { card["capabilities"].(object)["extendedAgentCard"] = false },
			func(signed object) { delete(signed["capabilities"].(object), "extendedAgentCard") },
		)(b)
	},
	"card-signed-as-it-is-served": signedAs(
		func(card object) { card["skills"].([]any)[0].(object)["examples"] = []any{} },
		func(object) {},
	),
	"card-signed-in-part": signedAs(
		func(object) {},
		func(signed object) {
			maps.DeleteFunc(signed, func(name string, _ any) bool {
				return !slices.Contains([]string{"name", "version", "supportedInterfaces"}, name)
			})
		},
	),
	"skills-signed-in-part": signedAs(
		func(object) {},
		func(signed object) {
			for _, skill := range signed["skills"].([]any) {
				delete(skill.(object), "tags")
			}
		},
	),
	"vendor-member-left-out-of-the-signature": signedAs(
		func(card object) { card["x-vendor"] = object{"build": "17"} },
		func(signed object) { delete(signed, "x-vendor") },
	),
	"card-signed-with-spaces-and-escapes": func(b *behaviour) {
		b.signature.payload = func(card object) []byte { return spacedOut(canonical(card)) }
	},
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

// without is the protected header without one member.
func without(name string) func(s *Server) object {
	return func(s *Server) object {
		header := conformantSignature.header(s)
		delete(header, name)
		return header
	}
}

// someSignature is as long as those of ES256 and Ed25519.
var someSignature = base64.RawURLEncoding.EncodeToString(slices.Repeat([]byte{0x5a}, 64))

func encoded(v any) string {
	text, err := json.Marshal(v)
	if raw, is := v.(json.RawMessage); is {
		text = raw
	}
	if err != nil {
		panic("bug: a header that is no JSON: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// padded adds white space at the end of JSON until its length leaves that rest when it is divided by three.
func padded(text string, rest int) string {
	for len(text)%3 != rest {
		text += " "
	}
	return text
}

// furtherEntry adds a signature under a key that nobody has behind the right one.
func furtherEntry(entry func(s *Server) object) func(*behaviour) {
	return func(b *behaviour) {
		b.signature.entries = func(s *Server, _ object, entries []any) []any { return append(entries, entry(s)) }
	}
}

func furtherHeader(header object) func(*behaviour) {
	return furtherEntry(func(*Server) object { return object{"protected": encoded(header), "signature": someSignature} })
}

// unprotected adds an unprotected header, told the protected one.
func unprotected(header func(protected object) any) func(*behaviour) {
	return func(b *behaviour) {
		b.signature.entry = func(s *Server, protected object, text, signature string) object {
			entry := conformantSignature.entry(s, protected, text, signature)
			entry["header"] = header(protected)
			return entry
		}
	}
}

func keyWith(change func(key object)) func(*behaviour) {
	return func(b *behaviour) {
		b.signature.keys = func(s *Server) []any {
			keys := conformantSignature.keys(s)
			for _, key := range keys {
				change(key.(object))
			}
			return keys
		}
	}
}

// signedAs shapes the public card, and changes what is signed of every card.
func signedAs(shape, signed func(card object)) func(*behaviour) {
	return func(b *behaviour) {
		publicly(func(_ *Server, card object) { shape(card) })(b)
		b.signature.payload = func(card object) []byte {
			copied := object{}
			if err := json.Unmarshal(canonical(card), &copied); err != nil {
				panic("bug: the card is no JSON: " + err.Error())
			}
			signed(copied)
			return canonical(copied)
		}
	}
}

// spacedOut writes JSON as some do by default: with a space behind every comma and colon, and in ASCII.
func spacedOut(text []byte) []byte {
	var b strings.Builder
	inText, escaped := false, false
	for _, r := range string(text) {
		switch {
		case r >= utf8.RuneSelf:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			continue
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '"':
			inText = !inText
		}
		b.WriteRune(r)
		if !inText && (r == ',' || r == ':') {
			b.WriteByte(' ')
		}
	}
	return []byte(b.String())
}
