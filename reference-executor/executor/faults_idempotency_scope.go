// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// idempotencyScopeFaults are about where and when a message is a repetition: operations, instances, callers, at the same time, and behind a restart.
var idempotencyScopeFaults = map[string]func(*behaviour){
	"other-payloads-at-the-same-time-are-executed": func(b *behaviour) {
		var bodies sync.Map // the hash of the body, by call
		key, enters, lookup := b.idempotency.key, b.idempotency.enters, b.idempotency.lookup
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if hash, err := payloadHash(s); err == nil {
				bodies.Store(c, hash)
			}
			return key(c, s)
		}
		b.idempotency.enters = func(c *call, key string) (func(), *problem) {
			hash, _ := bodies.LoadAndDelete(c)
			text, _ := hash.(string)
			return enters(c, key+" "+text)
		}
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			if !found {
				time.Sleep(20 * time.Millisecond) // wide enough for the others to look as well
			}
			return r, found
		}
	},
	"further-messages-are-not-remembered": func(b *behaviour) {
		real := b.idempotency.key
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := real(c, s)
			metadata, _ := s.message["metadata"].(map[string]any)
			id, _ := s.message["taskId"].(string)
			if t, found := c.in.getTask(id); p == nil && found && !t.terminal() && metadata["hitl_response_for"] == nil {
				key = newID()
			}
			return key, p
		}
	},
	"streams-are-remembered-without-activation": func(b *behaviour) {
		b.idempotency.applies = func(c *call, operation string) bool {
			return operation == "messages:stream" || c.active.has(uriIdempotency)
		}
	},
	"identical-streams-race": func(b *behaviour) {
		enters, lookup := b.idempotency.enters, b.idempotency.lookup
		streams := func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/messages:stream") }
		b.idempotency.enters = func(c *call, key string) (func(), *problem) {
			if streams(c) {
				return func() {}, nil
			}
			return enters(c, key)
		}
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			if !found && streams(c) {
				time.Sleep(20 * time.Millisecond) // wide enough for the others to look as well
			}
			return r, found
		}
	},
	"each-replay-begins-the-ttl-anew": func(b *behaviour) {
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			if found {
				r.Created = time.Now().UTC()
				_ = c.e.remember(scope, key, r)
			}
			return r, found
		}
	},
	"answers-to-prompts-are-not-remembered": func(b *behaviour) {
		real := b.idempotency.key
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := real(c, s)
			metadata, _ := s.message["metadata"].(map[string]any)
			if _, is := metadata["hitl_response_for"]; is {
				key = newID()
			}
			return key, p
		}
	},
	"refusals-of-tenants-are-not-remembered": func(b *behaviour) {
		real := b.idempotency.key
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := real(c, s)
			metadata, _ := s.message["metadata"].(map[string]any)
			if tenant, is := metadata["tenant_id"].(string); is && strings.Contains(tenant, " ") {
				key = newID()
			}
			return key, p
		}
	},
	"streams-are-forgotten-at-restart": func(b *behaviour) {
		real := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := real(c, scope, key, hash)
			return r, found && (r.Operation != "messages:stream" || r.Created.After(c.e.started))
		}
	},
	"refusals-of-strangers-are-remembered": func(b *behaviour) {
		var refused sync.Map // the answer, by instance and message id
		refusal, lookup := b.auth.refusal, b.idempotency.lookup
		b.auth.refusal = func(c *call, p *problem) answer {
			a := refusal(c, p)
			if c.sends() && strings.Contains(strings.Join(c.r.Header.Values("A2A-Extensions"), ","), uriIdempotency) {
				if body, _, bad := c.readJSON(); bad == nil {
					message, _ := body["message"].(map[string]any)
					id, _ := message["messageId"].(string)
					refused.Store(c.iid+" "+strings.ToLower(id), a)
				}
			}
			return a
		}
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			if a, is := refused.Load(scope + " " + key); is {
				a := a.(answer)
				return remembered{Hash: hash, Status: a.status, Header: a.header, Body: a.body}, true
			}
			return lookup(c, scope, key, hash)
		}
	},
	"replays-after-restart-are-not-marked": func(b *behaviour) {
		const old = "X-From-Before-The-Start"
		replaysAfterRestart(func(_ *call, a *answer) { a.header.Set(old, "true") })(b)
		b.idempotency.mark = func(h http.Header) {
			if h.Get(old) == "" {
				conformantIdempotency.mark(h)
			}
		}
	},
	"replays-after-restart-have-status-200": replaysAfterRestart(func(_ *call, a *answer) { a.status = http.StatusOK }),
	"repeated-messages-name-the-first-instance": func(b *behaviour) {
		var mu sync.Mutex
		first := map[string]string{} // the instance that a context was first seen at
		runtimeMeta(func(t task, metadata map[string]any, in *instance) {
			mu.Lock()
			defer mu.Unlock()
			if first[t.ContextID] == "" {
				first[t.ContextID] = in.ID
			}
			metadata["runtime.instance_id"] = first[t.ContextID]
		})(b)
	},
	"streams-of-ended-tasks-are-not-remembered": func(b *behaviour) {
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			if t, known := c.in.getTask(r.Task); found && known && t.terminal() && strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				return remembered{}, false
			}
			return r, found
		}
	},
	"other-payloads-are-streamed": func(b *behaviour) {
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			return r, found && (r.Hash == hash || !strings.HasSuffix(c.r.URL.Path, "/messages:stream"))
		}
	},
	"get-is-cached":          cachedReads("get", true),
	"get-is-cached-unmarked": cachedReads("get", false),
	"list-is-cached":         cachedReads("list", true),
	"cancel-marked-as-replay": answers("cancel", func(c *call, a answer) answer {
		if c.active.has(uriIdempotency) {
			a.header.Set("Idempotent-Replayed", "true")
		}
		return a
	}),
	"streams-are-not-remembered": func(b *behaviour) {
		b.idempotency.applies = func(c *call, operation string) bool {
			return operation == "messages:send" && c.active.has(uriIdempotency)
		}
	},
	"streams-not-marked-as-replay": func(b *behaviour) {
		b.sse.start = func(_ *call, a answer) answer { a.header.Del("Idempotent-Replayed"); return a }
	},
	"nothing-streamed-is-marked-as-replay": func(b *behaviour) { // refusals neither
		b.sse.start = func(_ *call, a answer) answer { a.header.Del("Idempotent-Replayed"); return a }
		replay, mark := b.idempotency.replay, b.idempotency.mark
		b.idempotency.replay = func(c *call, s sending, r remembered) answer {
			a := replay(c, s, r)
			if a.header != nil && strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				a.header["Streamed"] = nil
			}
			return a
		}
		b.idempotency.mark = func(h http.Header) {
			if _, streamed := h["Streamed"]; !streamed {
				mark(h)
			}
			delete(h, "Streamed")
		}
	},
	"identical-sends-race": func(b *behaviour) {
		b.idempotency.together = false
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			if !found {
				time.Sleep(20 * time.Millisecond) // wide enough for the others to look as well
			}
			return r, found
		}
	},
	"identical-sends-race-for-a-moment": func(b *behaviour) { // as long as it takes to execute one
		b.idempotency.together = false
	},
	"identical-sends-fail": func(b *behaviour) {
		var begun seen
		b.idempotency.together = false
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			if again := begun.before(scope + " " + key); again && !found {
				return refused(c, hash, c.e.internal(errors.New("the message is being handled"))), true
			}
			if !found {
				time.Sleep(20 * time.Millisecond) // wide enough for the others to look as well
			}
			return r, found
		}
	},
	"cache-shared-by-all-instances": func(b *behaviour) { b.idempotency.scope = func(*instance) string { return "all" } },
	"cache-never-expires":           func(b *behaviour) { b.idempotency.expired = func(*Executor, time.Time) bool { return false } },
	"expired-ids-are-refused": overdue(func(c *call, _, hash string) (remembered, bool) {
		return refused(c, hash, refuse(http.StatusConflict, "request.expired", "the message id has expired")), true
	}),
	"expired-ids-are-not-remembered-again": func(b *behaviour) {
		var gone seen
		overdue(func(_ *call, key, _ string) (remembered, bool) {
			gone.before(key)
			return remembered{}, false
		})(b)
		look := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			if gone.has(key) {
				return remembered{}, false
			}
			return look(c, scope, key, hash)
		}
	},
	"replays-after-restart-show-the-task-now": replays(func(c *call, _ sending, r remembered, a *answer) {
		if t, found := c.in.getTask(r.Task); found && r.Created.Before(c.e.started) {
			a.body = c.e.lawful.Encode(t.seenBy(c.active).render(-1))
		}
	}),
	"cache-forgets-at-restart": func(b *behaviour) {
		b.idempotency.expired = func(e *Executor, created time.Time) bool {
			return created.Before(e.started) || time.Since(created) >= e.config.idempotencyTTL()
		}
	},
	"lists-by-state-are-kept-for-a-while": keptLists(time.Minute, func(q listQuery) bool {
		return q.State != "" && q.State != canceled
	}),
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
	"streamed-messages-remembered-by-all-instances": func(b *behaviour) {
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			for _, other := range c.e.instances.all() {
				if !found && strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
					r, found = lookup(c, other.ID, key, hash)
				}
			}
			return r, found
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
	"bodies-beyond-ascii-clash-after-a-restart": func(b *behaviour) {
		lookup := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			if found && r.Created.Before(c.e.started) && !inASCII(r.Body) {
				r.Hash = digest(r.Hash)
			}
			return r, found
		}
	},
	"collisions-after-a-restart-without-the-first-hash": func(b *behaviour) {
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			p := reused(c, s, key, hash, r)
			if r.Created.Before(c.e.started) {
				p.more["original_request_hash"] = nil
			}
			return p
		}
	},
	"replays-after-restart-have-no-location": replaysAfterRestart(func(_ *call, a *answer) { a.header.Del("Location") }),
	"replays-after-restart-echo-nothing": func(b *behaviour) {
		replaysAfterRestart(func(c *call, a *answer) {
			a.header.Del("A2A-Extensions")
			c.active = nil
		})(b)
	},
	"refusals-are-forgotten-at-restart": func(b *behaviour) {
		real := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := real(c, scope, key, hash)
			return r, found && (r.Status < http.StatusBadRequest || r.Created.After(c.e.started))
		}
	},
}
