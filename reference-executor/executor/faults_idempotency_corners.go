// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"
)

// idempotencyCornerFaults keep the contract for the usual message that is sent again, and break it for another.
var idempotencyCornerFaults = map[string]func(*behaviour){
	"refusals-of-streams-are-not-remembered": func(b *behaviour) {
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			return r, found && (r.Task != "" || r.Operation != "messages:stream")
		}
	},
	"identical-sends-race-while-one-waits": func(b *behaviour) {
		const apart = "#"
		key := b.idempotency.key
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			id, p := key(c, s)
			if p == nil && s.blocking {
				id += apart + newID()
			}
			return id, p
		}
		b.idempotency.stored = func(key, _ string) string { key, _, _ = strings.Cut(key, apart); return key }
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			key, _, _ = strings.Cut(key, apart)
			return lookup(c, scope, key, hash)
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
	"after-a-restart-any-body-is-a-repetition": func(b *behaviour) {
		real := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := real(c, scope, key, hash)
			if found && r.Created.Before(c.e.started) {
				r.Hash = hash
			}
			return r, found
		}
	},
	"escapes-in-names-are-compared": hashes(func(_ sending, raw []byte) string {
		var names []string
		for _, found := range memberPattern.FindAllSubmatch(raw, -1) {
			if bytes.Contains(found[1], []byte(`\u`)) {
				names = append(names, string(found[1]))
			}
		}
		return strings.Join(names, ",")
	}),
	"ids-are-known-by-their-beginning": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			return key[:min(len(key), 32)], p
		}
	},
	"refusals-shared-by-all-instances": func(b *behaviour) {
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			if r, found := lookup(c, scope, key, hash); found {
				return r, true
			}
			for _, other := range c.e.instances.all() {
				if r, found := lookup(c, other.ID, key, hash); found && r.Task == "" {
					return r, true
				}
			}
			return remembered{}, false
		}
	},
	"expired-ids-still-collide": func(b *behaviour) {
		b.idempotency.expired = func(*Executor, time.Time) bool { return false }
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			overdue := found && time.Since(r.Created) >= c.e.config.idempotencyTTL()
			return r, found && (!overdue || r.Hash != hash)
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
	"second-replay-with-status-200": func(b *behaviour) {
		var once seen
		replays(func(_ *call, _ sending, r remembered, a *answer) {
			if r.Task != "" && once.before(r.Task) {
				a.status = http.StatusOK
			}
		})(b)
	},
	"replays-of-ended-tasks-with-status-200": replays(func(c *call, _ sending, r remembered, a *answer) {
		if t, found := c.in.getTask(r.Task); found && t.terminal() {
			a.status = http.StatusOK
		}
	}),
	"replays-of-ended-tasks-without-location": replays(func(c *call, _ sending, r remembered, a *answer) {
		if t, found := c.in.getTask(r.Task); found && t.terminal() {
			a.header.Del("Location")
		}
	}),
	"replayed-refusals-gain-a-charset": func(b *behaviour) {
		b.idempotency.replay = func(c *call, s sending, r remembered) answer {
			a := replay(c, s, r)
			if a.status >= 400 {
				a.header.Set("Content-Type", a.header.Get("Content-Type")+"; charset=utf-8")
			}
			return a
		}
	},
}

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
