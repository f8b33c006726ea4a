// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"context"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// pushCornerFaults keep the contract for the usual webhook, and break it for another, a second one, or later.
var pushCornerFaults = map[string]func(*behaviour){
	"push-secret-shown-in-refusals": func(b *behaviour) {
		b.push.refused = func(c *call, _ pushConfig, p *problem) answer {
			return c.refuse(&problem{p.status, p.code, p.detail + ": " + string(sent(c)), p.header, p.more})
		}
		b.surfaces.before = keepsBody(b.surfaces.before)
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
	"push-configs-found-by-the-beginning-of-their-id": func(b *behaviour) {
		real := b.push.answer
		b.push.answer = func(c *call, operation string, a answer) answer {
			asked := c.vars["cid"]
			if operation == "get" && a.status == http.StatusNotFound && len(asked) >= 8 {
				for _, p := range c.e.pushConfigs(c.vars["tid"]) {
					if strings.HasPrefix(p.ID, asked) {
						return c.showPush(http.StatusOK, p)
					}
				}
			}
			return real(c, operation, a)
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
	"push-ids-that-are-no-uuid-break": func(b *behaviour) {
		real := b.push.answer
		b.push.answer = func(c *call, operation string, a answer) answer {
			if asked := c.vars["cid"]; asked != "" && len(asked) != 36 {
				return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
			}
			return real(c, operation, a)
		}
	},
	"push-retries-are-signed-twice": pushAgain(func(p pushConfig, body []byte, now time.Time, h http.Header) []byte {
		if p.AuthType == "hmac" {
			h.Add("X-AIWG-Signature", pushSignature(p.Secret, body, now))
		}
		return body
	}),
	"reads-of-a-task-wait-for-its-webhook": waitsForWebhooks("get"),
	"lists-wait-for-webhooks":              waitsForWebhooks("list"),
	"sends-wait-for-webhooks":              waitsForWebhooks("send"),
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

type bodyKey struct{}

// keepsBody lets sent find the body of a request that has been read.
func keepsBody(before func(c *call) (answer, bool)) func(c *call) (answer, bool) {
	return func(c *call) (answer, bool) {
		body, _ := io.ReadAll(c.r.Body)
		c.r = c.r.WithContext(context.WithValue(c.r.Context(), bodyKey{}, body))
		c.r.Body = io.NopCloser(bytes.NewReader(body))
		return before(c)
	}
}

// sent is the body of a request, where keepsBody has kept it.
func sent(c *call) []byte {
	body, _ := c.r.Context().Value(bodyKey{}).([]byte)
	return body
}
