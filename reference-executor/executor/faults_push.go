// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/hex"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var pushFaults = map[string]func(*behaviour){
	"push-create-answers-202": pushAnswer("create", func(_ *call, _ answer) answer {
		return answer{status: http.StatusAccepted, header: http.Header{}}
	}),
	"push-create-with-another-url": func(b *behaviour) {
		b.push.shows = func(p pushConfig, v map[string]any) { v["url"] = strings.ToUpper(p.URL) }
	},
	"push-ids-are-numbers-of-configs": func(b *behaviour) {
		b.push.created = func(c *call, p *pushConfig) {
			p.ID = stableID(p.Task, time.Unix(int64(len(c.e.pushConfigs(p.Task))), 0))
		}
		b.push.replaces = conformantPush.removes // what has that id
	},
	"push-second-config-replaces-the-first": func(b *behaviour) {
		b.push.replaces = func(e *Executor, p pushConfig) error {
			for _, old := range e.pushConfigs(p.Task) {
				if err := e.store.dropPush(old.ID); err != nil {
					return err
				}
			}
			return nil
		}
	},
	"push-get-finds-nothing": pushAnswer("get", func(c *call, _ answer) answer {
		return c.refuse(refuse(http.StatusNotFound, "push.config_not_found", ""))
	}),
	"push-list-is-empty": func(b *behaviour) {
		b.push.lists = func(*Executor, string) []pushConfig { return nil }
	},
	"push-empty-list-is-404": func(b *behaviour) {
		real := b.push.answer
		b.push.answer = func(c *call, operation string, a answer) answer {
			if operation == "list" && len(c.e.pushConfigs(c.vars["tid"])) == 0 {
				return c.refuse(refuse(http.StatusNotFound, "push.config_not_found", ""))
			}
			return real(c, operation, a)
		}
	},
	"push-secret-shown": func(b *behaviour) {
		b.push.shows = func(p pushConfig, v map[string]any) { v["auth"].(map[string]any)["secret"] = p.Secret }
	},
	"push-secret-shown-in-hex": func(b *behaviour) {
		b.push.shows = func(p pushConfig, v map[string]any) {
			v["auth"].(map[string]any)["fingerprint"] = hex.EncodeToString([]byte(p.Secret))
		}
	},
	"push-auth-not-shown": func(b *behaviour) {
		b.push.shows = func(_ pushConfig, v map[string]any) { delete(v, "auth") }
	},
	"push-auth-never-configured": func(b *behaviour) {
		b.push.shows = func(_ pushConfig, v map[string]any) { v["auth"].(map[string]any)["configured"] = false }
	},
	"push-delete-keeps-the-config": func(b *behaviour) { b.push.removes = func(*Executor, pushConfig) error { return nil } },
	"push-delete-removes-all": func(b *behaviour) {
		b.push.removes = func(e *Executor, p pushConfig) error {
			for _, other := range e.pushConfigs(p.Task) {
				_ = e.store.dropPush(other.ID)
			}
			return nil
		}
	},
	"push-configs-of-unknown-tasks": func(b *behaviour) { b.push.needsTask = false },
	"push-unknown-config-is-null": func(b *behaviour) {
		b.push.answer = func(c *call, operation string, a answer) answer {
			if a.status == http.StatusNotFound && operation != "list" {
				return c.json(http.StatusOK, nil)
			}
			return a
		}
	},
	"push-empty-url-accepted": func(b *behaviour) {
		b.push.url = func(v any) (string, *problem) {
			if s, ok := v.(string); v == nil || ok && s == "" {
				return "", nil
			}
			return parsePushURL(v)
		}
	},
	"push-any-url-accepted": func(b *behaviour) {
		b.push.url = func(v any) (string, *problem) {
			if s, ok := v.(string); ok && s != "" {
				return s, nil
			}
			return parsePushURL(v)
		}
	},
	"push-file-urls-accepted": func(b *behaviour) {
		b.push.url = func(v any) (string, *problem) {
			if s, ok := v.(string); ok && strings.HasPrefix(s, "file:") {
				return s, nil
			}
			return parsePushURL(v)
		}
	},
	"push-configs-found-by-id-only": func(b *behaviour) { b.push.belongs = func(pushConfig, string) bool { return true } },
	"push-configs-listed-for-every-task": func(b *behaviour) {
		b.push.lists = func(e *Executor, _ string) []pushConfig { return e.pushConfigs("") }
	},
	"push-configs-listed-for-the-context": func(b *behaviour) {
		b.push.lists = func(e *Executor, id string) []pushConfig {
			contexts := map[string]string{}
			for _, in := range e.instances.all() {
				for _, p := range append(e.pushConfigs(""), pushConfig{Task: id}) {
					if t, found := in.getTask(p.Task); found {
						contexts[p.Task] = t.ContextID
					}
				}
			}
			return slices.DeleteFunc(e.pushConfigs(""), func(p pushConfig) bool { return contexts[p.Task] != contexts[id] })
		}
	},
	"push-lists-show-no-secret-set": func(b *behaviour) {
		real := b.push.lists
		b.push.lists = func(e *Executor, id string) []pushConfig {
			list := slices.Clone(real(e, id))
			for i := range list {
				list[i].Secret = ""
			}
			return list
		}
	},
	"push-tells-the-second-config-an-old-state": func(b *behaviour) {
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			list := slices.Clone(real(e, t))
			if len(list) != 2 || t.State != canceled {
				return list
			}
			t.State = working
			e.push.enqueue(list[1], pushBody(t))
			return list[:1]
		}
	},
	"push-never-delivers": func(b *behaviour) { b.push.wants = func(*Executor, task) bool { return false } },
	"push-to-another-path": func(b *behaviour) {
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			list := real(e, t)
			for i := range list {
				list[i].URL, _, _ = strings.Cut(list[i].URL, "?")
				list[i].URL += "/event"
			}
			return list
		}
	},
	"push-body-is-empty": func(b *behaviour) { b.push.body = func(task) []byte { return nil } },
	"push-body-without-state": func(b *behaviour) {
		b.push.body = func(t task) []byte { return t.in.e.lawful.Encode(map[string]any{"task_id": t.ID}) }
	},
	"push-body-of-another-task": func(b *behaviour) {
		b.push.body = func(t task) []byte { t.ID = newID(); return pushBody(t) }
	},
	"push-as-plain-text": pushHeaders(func(_ pushConfig, _ []byte, _ time.Time, h http.Header) { h.Set("Content-Type", "text/plain") }),
	"push-signature-is-bare": pushHeaders(func(_ pushConfig, _ []byte, _ time.Time, h http.Header) {
		if _, bare, ok := strings.Cut(h.Get("X-AIWG-Signature"), "v1="); ok {
			h.Set("X-AIWG-Signature", bare)
		}
	}),
	"push-unsigned": pushHeaders(func(_ pushConfig, _ []byte, _ time.Time, h http.Header) { h.Del("X-AIWG-Signature") }),
	"push-signs-without-time": pushHeaders(func(p pushConfig, body []byte, now time.Time, h http.Header) {
		if p.AuthType == "hmac" {
			h.Set("X-AIWG-Signature", "t="+strconv.FormatInt(now.Unix(), 10)+",v1="+hmacHex(p.Secret, body))
		}
	}),
	"push-signs-with-another-key": pushHeaders(func(p pushConfig, body []byte, now time.Time, h http.Header) {
		if p.AuthType == "hmac" {
			h.Set("X-AIWG-Signature", pushSignature(p.ID, body, now))
		}
	}),
	"push-time-is-constant": pushHeaders(func(p pushConfig, body []byte, _ time.Time, h http.Header) {
		if p.AuthType == "hmac" {
			h.Set("X-AIWG-Signature", pushSignature(p.Secret, body, time.Unix(1767225600, 0)))
		}
	}),
	"push-sends-the-key-of-signatures": pushHeaders(func(p pushConfig, _ []byte, _ time.Time, h http.Header) {
		if p.AuthType == "hmac" {
			h.Set("Authorization", "Bearer "+p.Secret)
		}
	}),
	"push-bearer-without-scheme": pushHeaders(func(p pushConfig, _ []byte, _ time.Time, h http.Header) {
		if p.AuthType == "bearer" {
			h.Set("Authorization", p.Secret)
		}
	}),
	"push-bearer-not-sent": pushHeaders(func(_ pushConfig, _ []byte, _ time.Time, h http.Header) { h.Del("Authorization") }),
	"push-forwards-the-callers-token": func(b *behaviour) {
		b.push.created = func(c *call, p *pushConfig) { p.Caller = c.r.Header.Get("Authorization") }
		pushHeaders(func(p pushConfig, _ []byte, _ time.Time, h http.Header) {
			if p.AuthType == "none" && p.Caller != "" {
				h.Set("Authorization", p.Caller)
			}
		})(b)
	},
	"push-to-all-configs": func(b *behaviour) {
		b.push.receivers = func(e *Executor, _ task) []pushConfig { return e.pushConfigs("") }
	},
	"push-to-one-config-only": func(b *behaviour) {
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig { list := real(e, t); return list[:min(1, len(list))] }
	},
	"push-to-deleted-configs": pushToDeleted,
	"push-to-deleted-configs-in-words": func(b *behaviour) {
		pushToDeleted(b)
		b.push.body = func(t task) []byte {
			return t.in.e.lawful.Encode(map[string]any{"task_id": t.ID, "text": "The task is now " + t.State + "."})
		}
	},
	"push-never-retries": func(b *behaviour) { b.push.tries = 1 },
	"push-retries-faster-and-faster": func(b *behaviour) {
		b.push.pause = func(first time.Duration, tried int) time.Duration { return first << 4 >> (4 * (tried - 1)) }
	},
	"push-repeats-what-was-taken": func(b *behaviour) { b.push.delivered = func(int) bool { return false } },
	"push-inside-the-request":     func(b *behaviour) { b.push.hurries = true },
	"push-of-client-changes-only": func(b *behaviour) {
		b.push.wants = func(_ *Executor, t task) bool { return t.State == canceled }
	},
	"push-of-sent-tasks-only": func(b *behaviour) { b.push.wants = func(_ *Executor, t task) bool { return !t.Streamed } },
	"push-of-failures-is-left-out": func(b *behaviour) {
		b.push.wants = func(_ *Executor, t task) bool { return t.State != failed }
	},
	"push-decodes-the-path": func(b *behaviour) {
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			list := real(e, t)
			for i := range list {
				if u, err := url.Parse(list[i].URL); err == nil {
					u.RawPath = ""
					list[i].URL = u.String()
				}
			}
			return list
		}
	},
	"push-second-configs-get-the-former-state": func(b *behaviour) {
		var former sync.Map // tasks as they were, by id
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			list := real(e, t)
			first := t
			first.State, first.Ended = submitted, time.Time{}
			was, known := former.Swap(t.ID, t)
			if !known {
				was = first
			}
			if len(list) < 2 {
				return list
			}
			for _, config := range list[1:] {
				e.push.enqueue(config, pushBody(was.(task)))
			}
			return list[:1]
		}
	},
	"push-retries-are-signed-twice": pushAgain(func(p pushConfig, body []byte, now time.Time, h http.Header) []byte {
		if p.AuthType == "hmac" {
			h.Add("X-AIWG-Signature", pushSignature(p.Secret, body, now))
		}
		return body
	}),
	"push-urls-without-a-host-accepted": func(b *behaviour) {
		b.push.url = func(v any) (string, *problem) {
			text, p := parsePushURL(v)
			if given, is := v.(string); is && p != nil {
				if u, err := url.Parse(given); err == nil && u.Scheme == "http" && u.Host == "" {
					return given, nil
				}
			}
			return text, p
		}
	},
	"push-configs-with-the-same-url-get-one-delivery": func(b *behaviour) {
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			var list []pushConfig
			seen := map[string]bool{}
			for _, config := range conformantPush.receivers(e, t) {
				if !seen[config.URL] {
					list = append(list, config)
				}
				seen[config.URL] = true
			}
			return list
		}
	},
	"push-keys-in-latin-1": func(b *behaviour) {
		b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) {
			if p.AuthType == "hmac" {
				var key []byte
				for _, r := range p.Secret {
					if r > math.MaxUint8 {
						r = '?'
					}
					key = append(key, byte(r))
				}
				p.Secret = string(key)
			}
			conformantPush.header(p, body, now, h)
		}
	},
	"push-creations-show-another-kind": pushAnswer("create", func(c *call, a answer) answer {
		var v map[string]any
		if undoc(a.body, &v) != nil {
			return a
		}
		if auth, is := v["auth"].(map[string]any); is {
			auth["type"] = "token"
		}
		a.body = c.e.lawful.Encode(v)
		return a
	}),
	"push-every-other-body-without-state": func(b *behaviour) {
		var n atomic.Int64
		b.push.body = func(t task) []byte {
			if n.Add(1)%2 == 0 {
				return t.in.e.lawful.Encode(map[string]any{"task_id": t.ID, "status_event": map[string]any{}})
			}
			return pushBody(t)
		}
	},
	"push-with-a-signature-by-put": func(b *behaviour) {
		b.push.method = func(p pushConfig) string {
			if p.AuthType == "hmac" {
				return http.MethodPut
			}
			return http.MethodPost
		}
	},
	"push-every-other-unsigned": everyOtherPush(func(p pushConfig, _ []byte, _ time.Time, h http.Header) { h.Del("X-AIWG-Signature") }),
	"push-every-other-signed-with-another-key": everyOtherPush(func(p pushConfig, body []byte, now time.Time, h http.Header) {
		h.Set("X-AIWG-Signature", pushSignature(p.ID, body, now))
	}),
	"push-first-tells-of-nothing": pushAlso(func(t task) any {
		return map[string]any{"task_id": t.ID, "status_event": map[string]any{"kind": "task_status", "task_id": t.ID}}
	}),
	"push-first-names-two-tasks": pushAlso(func(t task) any {
		return map[string]any{"task_id": t.ID, "status_event": map[string]any{"kind": "task_status", "task_id": newID(), "status": t.status()}}
	}),
	"push-long-keys-are-cut": func(b *behaviour) {
		b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) {
			p.Secret = p.Secret[:min(len(p.Secret), 64)]
			conformantPush.header(p, body, now, h)
		}
	},
}

// pushToDeleted goes on to tell configs that have been deleted.
func pushToDeleted(b *behaviour) {
	var gone []pushConfig
	b.push.removes = func(e *Executor, p pushConfig) error {
		e.work.Lock()
		defer e.work.Unlock()
		gone = append(gone, p)
		return e.store.dropPush(p.ID)
	}
	b.push.exists = func(*Executor, pushConfig) bool { return true }
	real := b.push.receivers
	b.push.receivers = func(e *Executor, t task) []pushConfig {
		list := real(e, t)
		for _, p := range gone {
			if p.Task == t.ID {
				list = append(list, p)
			}
		}
		return list
	}
}

func pushAnswer(operation string, change func(c *call, a answer) answer) func(*behaviour) {
	return func(b *behaviour) {
		b.push.answer = func(c *call, op string, a answer) answer {
			if op == operation && a.status < 300 {
				return change(c, a)
			}
			return a
		}
	}
}

// pushHeaders changes the headers of deliveries.
func pushHeaders(change func(p pushConfig, body []byte, now time.Time, h http.Header)) func(*behaviour) {
	return func(b *behaviour) {
		real := b.push.header
		b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) {
			real(p, body, now, h)
			change(p, body, now, h)
		}
	}
}

// everyOtherPush changes the header of every other delivery that is signed.
func everyOtherPush(change func(p pushConfig, body []byte, now time.Time, h http.Header)) func(*behaviour) {
	return func(b *behaviour) {
		var n atomic.Int64
		pushHeaders(func(p pushConfig, body []byte, now time.Time, h http.Header) {
			if p.AuthType == "hmac" && n.Add(1)%2 == 0 {
				change(p, body, now, h)
			}
		})(b)
	}
}

// pushAlso delivers something else before every change.
func pushAlso(what func(t task) any) func(*behaviour) {
	return func(b *behaviour) { b.push.ahead = func(t task) []byte { return t.in.e.lawful.Encode(what(t)) } }
}
