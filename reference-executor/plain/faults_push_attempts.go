// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// pushAttemptFaults show where a webhook has neighbours, or is tried more than once.
var pushAttemptFaults = map[string]func(*behaviour){
	"push-in-one-queue-with-long-retries": func(b *behaviour) {
		var turn sync.Mutex
		b.push.inTurn = func(deliver func()) {
			turn.Lock()
			defer turn.Unlock()
			deliver()
		}
		// Whoever does not take a delivery is asked again twice in the time that an answer may take.
		var between atomic.Int64
		b.push.exists = func(s *Server, p *pushConfig) bool {
			between.Store(int64(s.config.WebhookTimeout / 2))
			return conformantPush.exists(s, p)
		}
		b.push.tries = 30
		b.push.pause = func(int) time.Duration { return time.Duration(between.Load()) }
	},
	"push-cuts-long-bodies": func(b *behaviour) {
		b.push.payload = func(_ int, body []byte) []byte { return body[:min(len(body), 64<<10)] }
	},
	"pushed-times-have-an-offset": postingUpdate(func(v object) {
		if status, is := v["status"].(object); is {
			status["timestamp"] = strings.Replace(jsonText(status["timestamp"]), "Z", "+00:00", 1)
		}
	}),
	"pushed-messages-have-no-id": postingUpdate(func(v object) {
		if status, is := v["status"].(object); is {
			if message, is := status["message"].(object); is {
				delete(message, "messageId")
			}
		}
	}),
	"push-credentials-end-at-an-equals-sign": pushHeaders(func(_ *pushConfig, h http.Header) {
		if credentials := h.Get("Authorization"); credentials != "" {
			credentials, _, _ = strings.Cut(credentials, "=")
			h.Set("Authorization", credentials)
		}
	}),
	"push-writes-plus-signs-anew": func(b *behaviour) {
		b.push.target = func(p *pushConfig) string { return strings.ReplaceAll(p.url, "+", "%20") }
	},
	"push-configs-of-one-id-push-each-other-out": func(b *behaviour) {
		b.push.created = func(c *call, p *pushConfig, v object) any {
			for task, list := range c.s.push {
				if task != p.task {
					c.s.push[task] = slices.DeleteFunc(slices.Clone(list), func(other *pushConfig) bool { return other.id == p.id })
				}
			}
			return v
		}
	},
	"deletions-silence-later-webhooks": func(b *behaviour) {
		silent := map[*pushConfig]bool{} // with the lock held
		b.push.removes = func(c *call, task, id string) bool {
			list := c.s.push[task]
			if at := slices.IndexFunc(list, func(p *pushConfig) bool { return p.id == id }); at >= 0 {
				for _, p := range list[at:] {
					silent[p] = true
				}
			}
			return conformantPush.removes(c, task, id)
		}
		b.push.receivers = func(s *Server, t *task) []*pushConfig {
			return slices.DeleteFunc(slices.Clone(s.push[t.id]), func(p *pushConfig) bool { return silent[p] })
		}
	},
	"push-repeats-an-empty-body": func(b *behaviour) {
		b.push.payload = func(tried int, body []byte) []byte {
			if tried > 1 {
				return nil
			}
			return body
		}
	},
	"push-repeats-without-credentials": func(b *behaviour) {
		var failing sync.Map // configurations whose last attempt was refused
		b.push.heard = func(_ *Server, p *pushConfig, status int) {
			if status >= http.StatusMultipleChoices {
				failing.Store(p, true)
			} else {
				failing.Delete(p)
			}
		}
		b.push.header = func(p *pushConfig, h http.Header) {
			pushHeader(p, h)
			if _, is := failing.Load(p); is {
				h.Del("Authorization")
			}
		}
	},
	"repeated-deliveries-outlive-their-deletion": func(b *behaviour) {
		var tried sync.Map // configurations
		b.push.exists = func(s *Server, p *pushConfig) bool {
			_, before := tried.LoadOrStore(p, true)
			return before || conformantPush.exists(s, p)
		}
		b.push.tries = 6
	},
	"failing-webhooks-silence-their-neighbours": func(b *behaviour) {
		var failing sync.Map // a configuration by its task
		b.push.heard = func(_ *Server, p *pushConfig, status int) {
			if status >= http.StatusInternalServerError {
				failing.Store(p.task, p)
			}
		}
		b.push.receivers = func(s *Server, t *task) []*pushConfig {
			list := s.push[t.id]
			if p, is := failing.Load(t.id); is {
				list = slices.DeleteFunc(slices.Clone(list), func(other *pushConfig) bool { return other != p })
			}
			return list
		}
	},
	"push-sorts-the-query": func(b *behaviour) {
		b.push.target = func(p *pushConfig) string {
			bare, query, asked := strings.Cut(p.url, "?")
			if values, err := url.ParseQuery(query); asked && err == nil {
				return bare + "?" + values.Encode()
			}
			return p.url
		}
	},
	"push-cleans-the-path": func(b *behaviour) {
		b.push.target = func(p *pushConfig) string {
			bare, query, asked := strings.Cut(p.url, "?")
			scheme, rest, _ := strings.Cut(bare, "://")
			host, below, deep := strings.Cut(rest, "/")
			if !deep {
				return p.url
			}
			clean := scheme + "://" + host + path.Clean("/"+below)
			if asked {
				clean += "?" + query
			}
			return clean
		}
	},
	"last-pages-of-configs-are-lost": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			if next, is := v["nextPageToken"].(string); is {
				from, _ := strconv.Atoi(next)
				list, _ := v["configs"].([]any)
				if task, _ := c.taskName(); from+len(list) >= len(c.s.push[task]) {
					delete(v, "nextPageToken")
				}
			}
			return withoutEmptyLists(c, v)
		}
	},
	"tokens-of-configs-are-shown-over-their-own-binding-only": func(b *behaviour) {
		b.output.config = func(c *call, v object) object {
			task, _ := v["taskId"].(string)
			for _, p := range c.s.push[task] {
				if p.id == v["id"] && p.binding != c.binding {
					delete(v, "token")
				}
			}
			return v
		}
	},
}
