// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// deliveryFaults are about what webhooks get.
var deliveryFaults = map[string]func(*behaviour){
	"push-to-the-first-only": func(b *behaviour) {
		b.push.receivers = func(s *Server, t *task) []*pushConfig { return s.push[t.id][:min(1, len(s.push[t.id]))] }
	},
	"push-never-delivers": func(b *behaviour) { b.push.wants = func(*Server, *task, event) bool { return false } },
	"push-of-working-only": func(b *behaviour) {
		b.push.wants = func(_ *Server, t *task, ev event) bool { return ev.kind == "statusUpdate" && t.state == working }
	},
	"push-loses-the-query": func(b *behaviour) {
		b.push.target = func(p *pushConfig) string {
			bare, _, _ := strings.Cut(p.url, "?")
			return bare
		}
	},
	"push-decodes-the-query": func(b *behaviour) {
		b.push.target = func(p *pushConfig) string {
			bare, query, asked := strings.Cut(p.url, "?")
			if plain, err := url.QueryUnescape(query); asked && err == nil {
				return bare + "?" + strings.ReplaceAll(plain, " ", "+")
			}
			return p.url
		}
	},
	"push-to-another-path": func(b *behaviour) {
		b.push.target = func(p *pushConfig) string {
			bare, query, asked := strings.Cut(p.url, "?")
			if asked {
				return bare + "/events?" + query
			}
			return bare + "/events"
		}
	},
	"push-by-put":              func(b *behaviour) { b.push.method = func(*pushConfig) string { return http.MethodPut } },
	"push-posts-the-bare-task": posting(func(c *call, _ *pushConfig, ev event) any { return c.render().task(ev.task, -1, true) }),
	"push-posts-task-and-update": posting(func(c *call, _ *pushConfig, ev event) any {
		v := c.render().event(ev)
		v["task"] = c.render().task(ev.task, -1, true)
		return v
	}),
	"push-posts-states-of-0-3": postingUpdate(func(v object) {
		if status, ok := v["status"].(object); ok {
			state, _ := status["state"].(string)
			status["state"] = strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(state, "TASK_STATE_")), "_", "-")
		}
	}),
	"push-posts-without-task-id": postingUpdate(func(v object) { delete(v, "taskId") }),
	"push-posts-json-rpc": posting(func(c *call, p *pushConfig, ev event) any {
		if p.binding != BindingRPC {
			return c.render().event(ev)
		}
		return object{"jsonrpc": "2.0", "id": "push", "result": c.render().event(ev)}
	}),
	"push-as-plain-text": pushHeaders(func(_ *pushConfig, h http.Header) { h.Set("Content-Type", "text/plain") }),
	"push-as-plain-json": pushHeaders(func(_ *pushConfig, h http.Header) { h.Set("Content-Type", mediaJSON) }),
	"push-credentials-without-scheme": pushHeaders(func(p *pushConfig, h http.Header) {
		if p.credentials != "" {
			h.Set("Authorization", p.credentials)
		}
	}),
	"push-without-credentials": pushHeaders(func(_ *pushConfig, h http.Header) { h.Del("Authorization") }),
	"push-credentials-on-the-first-delivery-only": func(b *behaviour) {
		var sent atomic.Pointer[pushConfig]
		b.push.header = func(p *pushConfig, h http.Header) {
			pushHeader(p, h)
			if p.credentials != "" && sent.Swap(p) == p {
				h.Del("Authorization")
			}
		}
	},
	"push-credentials-of-the-first-webhook": func(b *behaviour) {
		var first sync.Map // of a task: the configuration that was delivered to before any other
		b.push.header = func(p *pushConfig, h http.Header) {
			as := *p
			if p.credentials != "" {
				kept, _ := first.LoadOrStore(p.task, p)
				as.scheme, as.credentials = kept.(*pushConfig).scheme, kept.(*pushConfig).credentials
			}
			pushHeader(&as, h)
		}
	},
	"push-urls-belong-to-the-newest-task": func(b *behaviour) {
		newest := map[string]string{} // task by url; with the lock held
		b.push.adds = func(list []*pushConfig, p *pushConfig) []*pushConfig {
			newest[p.url] = p.task
			return conformantPush.adds(list, p)
		}
		b.push.receivers = func(s *Server, t *task) []*pushConfig {
			return slices.DeleteFunc(slices.Clone(s.push[t.id]), func(p *pushConfig) bool { return newest[p.url] != t.id })
		}
	},
	"push-does-not-tell-of-failures": func(b *behaviour) {
		b.push.wants = func(_ *Server, t *task, _ event) bool { return t.state != failed }
	},
	"push-does-not-tell-of-cancels": func(b *behaviour) {
		b.push.wants = func(_ *Server, t *task, _ event) bool { return t.state != canceled }
	},
	"push-to-the-hooks-of-all-tasks": func(b *behaviour) {
		b.push.receivers = func(s *Server, _ *task) []*pushConfig {
			var all []*pushConfig
			for _, configs := range s.push {
				all = slices.Concat(all, configs)
			}
			return all
		}
	},
	"push-goes-on-after-deletion": func(b *behaviour) { outliving(b, func(*pushConfig) bool { return true }) },
	"push-configs-end-with-a-turn": func(b *behaviour) {
		b.agent.takes = func(s *Server, _ *call, t *task) {
			delete(s.push, t.id)
			s.answered(t)
		}
	},
	"push-posts-another-end": postingUpdate(func(v object) {
		if status, is := v["status"].(object); is && status["state"] == completed {
			status["state"] = failed
		}
	}),
	"push-configs-end-when-the-task-waits": func(b *behaviour) {
		b.push.wants = func(s *Server, t *task, _ event) bool {
			if interrupted(t.state) {
				delete(s.push, t.id)
			}
			return true
		}
	},
	"push-configs-are-not-kept-while-waiting": func(b *behaviour) {
		b.push.lists = func(c *call, id string) []*pushConfig {
			if t := c.s.tasks[id]; t != nil && interrupted(t.state) {
				return nil
			}
			return c.s.push[id]
		}
	},
	"push-failure-fails-the-task": func(b *behaviour) {
		b.push.tries = 1
		b.push.ended = func(s *Server, t *task, delivered bool) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !delivered && !terminal(t.state) {
				s.enter(t, failed, "The webhook could not be reached.")
				t.cancel()
			}
		}
	},
	"push-holds-up-the-work": func(b *behaviour) {
		b.push.timeout = func(*Server) time.Duration { return 0 }
		b.push.waits = func(w *worker) {
			for w.s.hooks.busy(w.t.id) && w.ctx.Err() == nil {
				time.Sleep(5 * time.Millisecond)
			}
		}
	},
	"push-waits-without-limit": func(b *behaviour) { b.push.timeout = func(*Server) time.Duration { return 0 } },
	"push-to-hooks-with-a-token-by-put": func(b *behaviour) {
		b.push.method = func(p *pushConfig) string {
			if p.token != "" {
				return http.MethodPut
			}
			return conformantPush.method(p)
		}
	},
	"push-to-hooks-with-a-token-as-plain-text": func(b *behaviour) {
		b.push.header = func(p *pushConfig, h http.Header) {
			conformantPush.header(p, h)
			if p.token != "" {
				h.Set("Content-Type", "text/plain")
			}
		}
	},
	"push-to-hooks-with-a-token-tells-no-context": posting(func(c *call, p *pushConfig, ev event) any {
		v := c.render().event(ev)
		for _, kind := range []string{"statusUpdate", "artifactUpdate"} {
			if update, is := v[kind].(object); is && p.token != "" {
				delete(update, "contextId")
			}
		}
		return v
	}),
	"push-posts-another-artifact": postingUpdate(func(v object) {
		if artifact, is := v["artifact"].(object); is {
			artifact["artifactId"] = "another"
		}
	}),
	"push-posts-append-as-text": postingUpdate(func(v object) {
		if v["append"] == true {
			v["append"] = "true"
		}
	}),
	"push-posts-another-context": postingUpdate(func(v object) { v["contextId"] = "another" }),
	"push-goes-to-the-hooks-of-the-context": func(b *behaviour) {
		b.push.receivers = func(s *Server, t *task) []*pushConfig {
			var all []*pushConfig
			for id, configs := range s.push {
				if other := s.tasks[id]; other != nil && other.context == t.context {
					all = slices.Concat(all, configs)
				}
			}
			return all
		}
	},
	"hooks-that-nobody-answers-at-fail-their-task": func(b *behaviour) {
		b.push.exists = func(s *Server, p *pushConfig) bool {
			at, err := url.Parse(p.url)
			if err != nil {
				return conformantPush.exists(s, p)
			}
			conn, err := net.DialTimeout("tcp", at.Host, time.Second)
			if err == nil {
				conn.Close()
				return conformantPush.exists(s, p)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if t := s.tasks[p.task]; t != nil && !terminal(t.state) {
				s.enter(t, failed, "The webhook could not be reached.")
				t.cancel()
			}
			return false
		}
	},
	"push-credentials-are-always-bearer": func(b *behaviour) {
		b.push.header = func(p *pushConfig, h http.Header) {
			pushHeader(p, h)
			if p.scheme != "" {
				h.Set("Authorization", "Bearer "+p.credentials)
			}
		}
	},
	"push-decodes-the-path": func(b *behaviour) {
		b.push.target = func(p *pushConfig) string {
			bare, query, asked := strings.Cut(p.url, "?")
			if plain, err := url.PathUnescape(bare); err == nil {
				bare = plain
			}
			if asked {
				return bare + "?" + query
			}
			return bare
		}
	},
	"hooks-that-are-gone-fail-their-task": func(b *behaviour) {
		b.push.heard = func(s *Server, p *pushConfig, status int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if t := s.tasks[p.task]; t != nil && !terminal(t.state) && (status == http.StatusNotFound || status == http.StatusGone) {
				s.enter(t, failed, "There is no such webhook.")
				t.cancel()
			}
		}
	},
	"push-credentials-are-masked-once-they-were-read": func(b *behaviour) {
		var read sync.Map // configurations
		b.push.got = func(_ *call, p *pushConfig, v object) any {
			read.Store(p, true)
			return v
		}
		b.push.lists = func(c *call, task string) []*pushConfig {
			list := conformantPush.lists(c, task)
			for _, p := range list {
				read.Store(p, true)
			}
			return list
		}
		b.push.header = func(p *pushConfig, h http.Header) {
			pushHeader(p, h)
			if _, was := read.Load(p); was && p.credentials != "" {
				h.Set("Authorization", p.scheme+" ******")
			}
		}
	},
}

// posting replaces the body of deliveries.
func posting(body func(c *call, p *pushConfig, ev event) any) func(*behaviour) {
	return func(b *behaviour) { b.push.body = body }
}

// postingUpdate changes the updates that are delivered.
func postingUpdate(change func(v object)) func(*behaviour) {
	return posting(func(c *call, _ *pushConfig, ev event) any {
		v := c.render().event(ev)
		for _, name := range []string{"statusUpdate", "artifactUpdate"} {
			if update, ok := v[name].(object); ok {
				change(update)
			}
		}
		return v
	})
}

// pushHeaders changes the header of deliveries.
func pushHeaders(change func(p *pushConfig, h http.Header)) func(*behaviour) {
	return func(b *behaviour) {
		b.push.header = func(p *pushConfig, h http.Header) {
			pushHeader(p, h)
			change(p, h)
		}
	}
}
