// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// pushDeliveryFaults are misbehaviours of what is sent to webhooks, and when.
var pushDeliveryFaults = map[string]func(*behaviour){
	"push-loses-what-happens-while-it-tries-again": func(b *behaviour) {
		var trying sync.Map     // since when a delivery is tried, by config
		var failed atomic.Int64 // when an attempt has failed, whichever
		receivers, header, sent, delivered := b.push.receivers, b.push.header, b.push.sent, b.push.delivered
		b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) {
			trying.LoadOrStore(p.ID, now.UnixNano())
			header(p, body, now, h)
		}
		b.push.delivered = func(status int) bool {
			taken := delivered(status)
			if !taken {
				failed.Store(time.Now().UnixNano())
			}
			return taken
		}
		b.push.sent = func(p *pusher, config pushConfig, body []byte, tried int) {
			trying.Delete(config.ID)
			sent(p, config, body, tried)
		}
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			return slices.DeleteFunc(receivers(e, t), func(p pushConfig) bool {
				since, is := trying.Load(p.ID)
				return is && failed.Load() > since.(int64)
			})
		}
	},
	"push-by-put": func(b *behaviour) { b.push.method = func(pushConfig) string { return http.MethodPut } },
	"push-loses-the-query": func(b *behaviour) {
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			list := real(e, t)
			for i := range list {
				list[i].URL, _, _ = strings.Cut(list[i].URL, "?")
			}
			return list
		}
	},
	"push-to-the-newest-config-only": func(b *behaviour) {
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			list := real(e, t)
			return list[max(0, len(list)-1):]
		}
	},
	"push-urls-belong-to-the-newest-task": func(b *behaviour) {
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			newest := map[string]string{} // task by URL
			for _, p := range e.pushConfigs("") {
				newest[p.URL] = p.Task
			}
			return slices.DeleteFunc(real(e, t), func(p pushConfig) bool { return newest[p.URL] != t.ID })
		}
	},
	"push-signs-for-a-task-with-one-key": oneSecretForATask("hmac"),
	"push-sends-one-bearer-for-a-task":   oneSecretForATask("bearer"),
	"push-twice": func(b *behaviour) {
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig { return append(real(e, t), real(e, t)...) }
	},
	"push-completed-as-working": func(b *behaviour) {
		b.push.body = func(t task) []byte {
			if t.State == completed {
				t.State = working
			}
			return pushBody(t)
		}
	},
	"push-signature-sent-twice": pushHeaders(func(_ pushConfig, _ []byte, _ time.Time, h http.Header) {
		if signature := h.Get("X-AIWG-Signature"); signature != "" {
			h.Add("X-AIWG-Signature", signature)
		}
	}),
	"push-signature-in-upper-case": pushHeaders(func(_ pushConfig, _ []byte, _ time.Time, h http.Header) {
		if t, v1, signed := strings.Cut(h.Get("X-AIWG-Signature"), ",v1="); signed {
			h.Set("X-AIWG-Signature", t+",v1="+strings.ToUpper(v1))
		}
	}),
	"push-signs-a-rewritten-body": pushHeaders(func(p pushConfig, body []byte, now time.Time, h http.Header) {
		var rewritten bytes.Buffer
		if p.AuthType == "hmac" && json.Indent(&rewritten, body, "", "    ") == nil {
			h.Set("X-AIWG-Signature", pushSignature(p.Secret, rewritten.Bytes(), now))
		}
	}),
	"push-signs-without-being-asked": pushHeaders(func(p pushConfig, body []byte, now time.Time, h http.Header) {
		if p.AuthType == "none" {
			h.Set("X-AIWG-Signature", pushSignature(p.ID, body, now))
		}
	}),
	"push-shows-the-caller-to-bearers": func(b *behaviour) {
		b.push.created = func(c *call, p *pushConfig) { p.Caller = c.r.Header.Get("Authorization") }
		pushHeaders(func(p pushConfig, _ []byte, _ time.Time, h http.Header) {
			if p.AuthType == "bearer" {
				h.Set("X-On-Behalf-Of", strings.TrimPrefix(p.Caller, "Bearer "))
			}
		})(b)
	},
	"push-shows-the-caller-where-nothing-is-asked": func(b *behaviour) {
		b.push.created = func(c *call, p *pushConfig) { p.Caller = c.r.Header.Get("Authorization") }
		pushHeaders(func(p pushConfig, _ []byte, _ time.Time, h http.Header) {
			if p.AuthType == "none" {
				h.Set("X-On-Behalf-Of", strings.TrimPrefix(p.Caller, "Bearer "))
			}
		})(b)
	},
	"push-shows-the-caller-in-the-body": func(b *behaviour) {
		b.push.body = func(t task) []byte {
			var v map[string]any
			_ = json.Unmarshal(pushBody(t), &v)
			v["on_behalf_of"] = t.in.e.config.Token
			return t.in.e.lawful.Encode(v)
		}
	},
	"push-retries-are-signed-ahead": pushAgain(func(p pushConfig, body []byte, now time.Time, h http.Header) []byte {
		h.Set("X-AIWG-Signature", pushSignature(p.Secret, body, now.Add(time.Hour)))
		return body
	}),
	"push-retries-with-a-stale-signature": pushAgain(func(p pushConfig, body []byte, now time.Time, h http.Header) []byte {
		_, v1, _ := strings.Cut(pushSignature(p.Secret, body, now.Add(-time.Minute)), ",")
		h.Set("X-AIWG-Signature", "t="+strconv.FormatInt(now.Unix(), 10)+","+v1)
		return body
	}),
	"push-retries-with-another-body": pushAgain(func(p pushConfig, body []byte, _ time.Time, _ http.Header) []byte {
		if p.AuthType == "hmac" {
			return body // another body would want another signature
		}
		return append(bytes.Clone(body), '\n')
	}),
	"push-retries-without-the-bearer": pushAgain(func(p pushConfig, body []byte, _ time.Time, h http.Header) []byte {
		if p.AuthType == "bearer" {
			h.Del("Authorization")
		}
		return body
	}),
	"push-sends-the-key-in-another-header": pushHeaders(func(p pushConfig, _ []byte, _ time.Time, h http.Header) {
		if p.AuthType == "hmac" {
			h.Set("X-Hmac-Key", p.Secret)
		}
	}),
	"push-tells-others-the-bearer": func(b *behaviour) {
		var bearers sync.Map // by the task
		b.push.created = func(_ *call, p *pushConfig) {
			if p.AuthType == "bearer" {
				bearers.Store(p.Task, p.Secret)
			}
		}
		pushHeaders(func(p pushConfig, _ []byte, _ time.Time, h http.Header) {
			if secret, known := bearers.Load(p.Task); known && p.AuthType != "bearer" {
				h.Set("X-Channel-Token", secret.(string))
			}
		})(b)
	},
	"push-in-one-queue": inOneQueue,
	"push-in-one-queue-with-long-retries": func(b *behaviour) {
		inOneQueue(b)
		// What nobody has answered is tried to the end, whether its configuration is still there or not, for a minute.
		var answered, lately atomic.Bool
		delivered, pause, exists := b.push.delivered, b.push.pause, b.push.exists
		b.push.exists = func(e *Executor, config pushConfig) bool { return !lately.Load() || exists(e, config) }
		b.push.delivered = func(status int) bool {
			answered.Store(true)
			return delivered(status)
		}
		b.push.pause = func(first time.Duration, tried int) time.Duration {
			lately.Store(answered.Swap(false))
			if lately.Load() {
				return pause(first, tried)
			}
			return 10 * time.Second
		}
	},
	"push-bearer-is-escaped": func(b *behaviour) {
		b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) {
			if p.AuthType == "bearer" {
				p.Secret = url.QueryEscape(p.Secret)
			}
			pushHeader(p, body, now, h)
		}
	},
	"reads-of-a-task-wait-for-its-webhook": waitsForWebhooks("get"),
	"lists-wait-for-webhooks":              waitsForWebhooks("list"),
	"sends-wait-for-webhooks":              waitsForWebhooks("send"),
}

// oneSecretForATask takes the secret of the config that was told first for all those of its task and kind.
func oneSecretForATask(kind string) func(*behaviour) {
	return func(b *behaviour) {
		var first sync.Map // secret by task
		b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) {
			if p.AuthType == kind {
				secret, _ := first.LoadOrStore(p.Task, p.Secret)
				p.Secret = secret.(string)
			}
			pushHeader(p, body, now, h)
		}
	}
}

// inOneQueue delivers one after the other, whomever to: the next one has to wait until this one is taken or given up.
func inOneQueue(b *behaviour) {
	var turn sync.Mutex
	b.push.inTurn = func(deliver func()) {
		turn.Lock()
		defer turn.Unlock()
		deliver()
	}
}

// pushAgain changes the attempts after the first one.
func pushAgain(change func(p pushConfig, body []byte, now time.Time, h http.Header) []byte) func(*behaviour) {
	return func(b *behaviour) { b.push.again = change }
}

// waitsForWebhooks lets an operation wait while somebody is told of its task, or of any where it names none; for a while.
func waitsForWebhooks(operation string) func(*behaviour) {
	const forAWhile = 10 * time.Second
	return func(b *behaviour) {
		var told sync.Map // since when, by task
		exists, sent := b.push.exists, b.push.sent
		b.push.exists = func(e *Executor, p pushConfig) bool {
			there := exists(e, p)
			if there {
				told.Store(p.Task, time.Now())
			}
			return there
		}
		b.push.sent = func(p *pusher, config pushConfig, body []byte, tried int) {
			told.Delete(config.Task)
			sent(p, config, body, tried)
		}
		busy := func(task string) bool {
			found := false
			told.Range(func(of, since any) bool {
				found = (task == "" || task == of) && time.Since(since.(time.Time)) < forAWhile
				return !found
			})
			return found
		}
		answers(operation, func(c *call, a answer) answer {
			for busy(c.vars["tid"]) {
				select {
				case <-c.r.Context().Done():
					return a
				case <-c.e.stopping.Done():
					return a
				case <-time.After(10 * time.Millisecond):
				}
			}
			return a
		})(b)
	}
}
