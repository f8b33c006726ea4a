// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// collisionFaults are misbehaviours where one messageId comes with another payload, and of what makes it another.
var collisionFaults = map[string]func(*behaviour){
	"members-called-proto-are-not-hashed": hashesLess(func(_, message map[string]any) {
		if metadata, is := message["metadata"].(map[string]any); is {
			metadata = maps.Clone(metadata)
			delete(metadata, "__proto__")
			message["metadata"] = metadata
		}
	}),
	"metadata-of-parts-is-not-hashed": hashesLess(func(_, message map[string]any) {
		parts, _ := message["parts"].([]any)
		parts = slices.Clone(parts)
		for i, item := range parts {
			if part, is := item.(map[string]any); is {
				part = maps.Clone(part)
				delete(part, "metadata")
				parts[i] = part
			}
		}
		message["parts"] = parts
	}),
	"history-lengths-are-not-hashed": hashesLess(func(body, _ map[string]any) {
		if configuration, is := body["configuration"].(map[string]any); is {
			configuration = maps.Clone(configuration)
			delete(configuration, "historyLength")
			body["configuration"] = configuration
		}
	}),
	"deep-members-are-not-hashed": hashesLess(func(_, message map[string]any) {
		if metadata, is := message["metadata"].(map[string]any); is {
			message["metadata"] = cutBelow(metadata, 3)
		}
	}),
	"other-payloads-after-a-refusal-are-executed": func(b *behaviour) {
		real := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := real(c, scope, key, hash)
			return r, found && (r.Hash == hash || r.Status < 300)
		}
	},
	"other-payload-is-replayed": func(b *behaviour) {
		b.idempotency.hash = func(sending, []byte) (string, error) { return strings.Repeat("0", 64), nil }
	},
	"other-payload-is-executed": func(b *behaviour) {
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			return r, found && r.Hash == hash
		}
	},
	"collision-under-another-code":  collision(func(p *problem) { p.code = "validation.failed" }),
	"collision-under-the-old-code":  collision(func(p *problem) { p.code = "idempotency.key_reused" }),
	"collision-is-a-conflict":       collision(func(p *problem) { p.status = http.StatusConflict }),
	"collision-without-hashes":      collision(func(p *problem) { p.more = map[string]any{"message_id": p.more["message_id"]} }),
	"collision-without-message-id":  collision(func(p *problem) { delete(p.more, "message_id") }),
	"collision-hashes-are-the-same": collision(func(p *problem) { p.more["submitted_request_hash"] = p.more["original_request_hash"] }),
	"message-id-is-hashed": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) { return canonicalHash(s.body) }
	},
	"collision-overwrites-the-entry": func(b *behaviour) {
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			old := r.Hash
			r.Hash = hash
			_ = c.e.remember(c.e.b.idempotency.scope(c.in), key, r)
			r.Hash = old
			return reused(c, s, key, hash, r)
		}
	},
	"collisions-of-streams-overwrite-the-entry": func(b *behaviour) {
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			if strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				changed := r
				changed.Hash = hash
				_ = c.e.remember(c.e.b.idempotency.scope(c.in), key, changed)
			}
			return reused(c, s, key, hash, r)
		}
	},
	"collision-forgets-the-entry": func(b *behaviour) {
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			_, _ = c.e.store.exec(`DELETE FROM idempotency WHERE scope = ? AND message = ?`, b.idempotency.scope(c.in), key)
			return reused(c, s, key, hash, r)
		}
	},
	"second-collision-forgets-the-entry": func(b *behaviour) {
		var once seen
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			if once.before(key) {
				_, _ = c.e.store.exec(`DELETE FROM idempotency WHERE scope = ? AND message = ?`, b.idempotency.scope(c.in), key)
			}
			return reused(c, s, key, hash, r)
		}
	},
	"collision-as-json-rpc-with-another-number": func(b *behaviour) {
		real := b.errors.encode
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if p.code == "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_PAYLOAD" {
				return "application/json", c.e.lawful.Encode(rpcError(p, -32602))
			}
			return real(c, p, d)
		}
	},
	"submitted-hash-of-other-bytes": collision(func(p *problem) {
		sum := sha256.Sum256([]byte(p.more["submitted_request_hash"].(string)))
		p.more["submitted_request_hash"] = hex.EncodeToString(sum[:])
	}),
	"collision-leaves-a-task": func(b *behaviour) {
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			_, _ = c.accept(s, false)
			return reused(c, s, key, hash, r)
		}
	},
	"only-parts-are-hashed": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) { return canonicalHash(s.message["parts"]) }
	},
	"metadata-beside-the-message-is-not-hashed": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			s.body = maps.Clone(s.body)
			delete(s.body, "metadata")
			return payloadHash(s)
		}
	},
	"nulls-are-not-hashed": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			s.message = maps.Clone(s.message)
			if metadata, ok := s.message["metadata"].(map[string]any); ok {
				metadata = maps.Clone(metadata)
				maps.DeleteFunc(metadata, func(_ string, v any) bool { return v == nil })
				s.message["metadata"] = metadata
			}
			return payloadHash(s)
		}
	},
	"nulls-of-messages-are-not-hashed": hashesLess(func(body, message map[string]any) { dropNulls(message) }),
	"nulls-of-configurations-are-not-hashed": hashesLess(func(body, _ map[string]any) {
		if configuration, is := body["configuration"].(map[string]any); is {
			configuration = maps.Clone(configuration)
			dropNulls(configuration)
			body["configuration"] = configuration
		}
	}),
	"nulls-beside-the-message-are-not-hashed": hashesLess(func(body, _ map[string]any) { dropNulls(body) }),
	"extensions-of-messages-are-not-hashed":   hashesLess(func(_, message map[string]any) { delete(message, "extensions") }),
	"white-space-in-texts-is-not-hashed": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			message := maps.Clone(s.message)
			delete(message, "messageId")
			body := maps.Clone(s.body)
			body["message"] = message
			text, err := canonicalForm(body)
			if err != nil {
				return "", err
			}
			sum := sha256.Sum256([]byte(strings.ReplaceAll(string(text), " ", "")))
			return hex.EncodeToString(sum[:]), nil
		}
	},
	"metadata-is-not-hashed": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			s.message = maps.Clone(s.message)
			delete(s.message, "metadata")
			return payloadHash(s)
		}
	},
	"context-is-not-hashed": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			s.message = maps.Clone(s.message)
			delete(s.message, "contextId")
			return payloadHash(s)
		}
	},
	"configuration-is-not-hashed": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			s.body = maps.Clone(s.body)
			delete(s.body, "configuration")
			return payloadHash(s)
		}
	},
	"later-collisions-under-another-code": func(b *behaviour) {
		var once seen
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			p := reused(c, s, key, hash, r)
			if c.answersAtOnce() && once.before(key) {
				p.code = "validation.failed"
			}
			return p
		}
	},
	"keys-are-sorted-by-code-points": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			message, body := maps.Clone(s.message), maps.Clone(s.body)
			delete(message, "messageId")
			body["message"] = message
			form, err := canonicalForm(body)
			if err != nil {
				return "", err
			}
			var v any
			if err := undoc(form, &v); err != nil {
				return "", err
			}
			var out bytes.Buffer
			e := json.NewEncoder(&out) // which sorts the keys of a map by their bytes
			e.SetEscapeHTML(false)
			if err := e.Encode(v); err != nil {
				return "", err
			}
			text := bytes.ReplaceAll(bytes.TrimSpace(out.Bytes()), []byte(`\u2028`), []byte("\u2028"))
			sum := sha256.Sum256(text)
			return hex.EncodeToString(sum[:]), nil
		}
	},
	"collisions-of-streams-without-hashes": ofStreamedCollisions(func(p *problem) {
		p.more = map[string]any{"message_id": p.more["message_id"]}
	}),
	"collisions-of-streams-under-another-code": ofStreamedCollisions(func(p *problem) { p.code = "validation.failed" }),
	"collisions-of-streams-hash-other-bytes": ofStreamedCollisions(func(p *problem) {
		sum := sha256.Sum256([]byte(p.more["submitted_request_hash"].(string)))
		p.more["submitted_request_hash"] = hex.EncodeToString(sum[:])
	}),
	"collisions-of-streams-leave-a-task": func(b *behaviour) {
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			if strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				_, _ = c.accept(s, true)
			}
			return reused(c, s, key, hash, r)
		}
	},
	"member-order-is-compared-and-no-configuration": func(b *behaviour) {
		b.idempotency.hash = func(s sending, raw []byte) (string, error) {
			s.body = maps.Clone(s.body)
			delete(s.body, "configuration")
			hash, err := payloadHash(s)
			for _, found := range memberPattern.FindAllSubmatch(raw, -1) {
				hash += string(found[1])
			}
			sum := sha256.Sum256([]byte(hash))
			return hex.EncodeToString(sum[:]), err
		}
	},
	"numbers-are-hashed-as-texts": hashesLess(func(_, message map[string]any) {
		if metadata, is := message["metadata"]; is {
			message["metadata"] = inside(metadata, func(v any) any {
				if f, err := strconv.ParseFloat(fmt.Sprint(v), 64); err == nil {
					return strconv.FormatFloat(f+0, 'g', -1, 64) // f+0: a negative zero is a zero
				}
				return v
			})
		}
	}),
	"lists-are-sorted-before-hashing": hashesLess(func(_, message map[string]any) {
		if metadata, is := message["metadata"]; is {
			message["metadata"] = inside(metadata, func(v any) any {
				list, is := v.([]any)
				if !is || slices.ContainsFunc(list, func(item any) bool { _, text := item.(string); return !text }) {
					return v
				}
				list = slices.Clone(list)
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
				return list
			})
		}
	}),
	"parts-are-sorted-before-hashing": hashesLess(func(_, message map[string]any) {
		if parts, is := message["parts"].([]any); is {
			parts = slices.Clone(parts)
			slices.SortFunc(parts, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			message["parts"] = parts
		}
	}),
	"accents-are-composed-before-hashing": func(b *behaviour) {
		b.idempotency.hash = func(s sending, raw []byte) (string, error) {
			s.message = maps.Clone(s.message)
			parts, _ := s.message["parts"].([]any)
			composed := make([]any, len(parts))
			for i, part := range parts {
				composed[i] = part
				if part, ok := part.(map[string]any); ok {
					part = maps.Clone(part)
					if text, is := part["text"].(string); is {
						part["text"] = norm.NFC.String(text)
					}
					composed[i] = part
				}
			}
			s.message["parts"] = composed
			return conformantIdempotency.hash(s, raw)
		}
	},
}

func collision(change func(p *problem)) func(*behaviour) {
	return func(b *behaviour) {
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			p := reused(c, s, key, hash, r)
			change(p)
			return p
		}
	}
}

// hashesLess compares a body, and its message, without some of their members.
func hashesLess(without func(body, message map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			s.body, s.message = maps.Clone(s.body), maps.Clone(s.message)
			without(s.body, s.message)
			return payloadHash(s)
		}
	}
}

func dropNulls(v map[string]any) { maps.DeleteFunc(v, func(_ string, v any) bool { return v == nil }) }

// ofStreamedCollisions changes how another payload under a known id is refused on messages:stream.
func ofStreamedCollisions(change func(p *problem)) func(*behaviour) {
	return func(b *behaviour) {
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			p := reused(c, s, key, hash, r)
			if strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				change(p)
			}
			return p
		}
	}
}

// inside changes everything in a JSON value, from the inside out.
func inside(v any, change func(v any) any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			out[name] = inside(member, change)
		}
		return change(out)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = inside(item, change)
		}
		return change(out)
	}
	return change(v)
}

// cutBelow is a value without what stands deeper than some levels.
func cutBelow(v any, levels int) any {
	object, is := v.(map[string]any)
	if !is {
		return v
	}
	if levels == 0 {
		return map[string]any{}
	}
	cut := map[string]any{}
	for name, member := range object {
		cut[name] = cutBelow(member, levels-1)
	}
	return cut
}
