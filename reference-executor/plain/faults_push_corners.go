// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// pushCornerFaults keep the specification for the usual webhook, and break it for another, or when something else has happened before.
var pushCornerFaults = map[string]func(*behaviour){
	"pages-of-configs-of-unknown-tasks-are-empty": func(b *behaviour) {
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && isOp(c, "ListTaskPushNotificationConfigs") && c.params["pageSize"] != nil {
				return t, nil
			}
			return t, f
		}
	},
	"named-configs-of-unknown-tasks-are-kept": func(b *behaviour) {
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && isOp(c, "CreateTaskPushNotificationConfig") && c.params["id"] != nil {
				return t, nil
			}
			return t, f
		}
	},
	"push-configs-are-deleted-by-id-only": func(b *behaviour) {
		b.push.removes = func(c *call, task, id string) bool {
			for owner := range c.s.push {
				if owner != task {
					conformantPush.removes(c, owner, id)
				}
			}
			return conformantPush.removes(c, task, id)
		}
	},
	"push-second-delete-removes-another-config": func(b *behaviour) {
		b.push.removes = func(c *call, task, id string) bool {
			list := c.s.push[task]
			if conformantPush.removes(c, task, id) {
				return true
			}
			if len(list) > 0 {
				c.s.push[task] = list[:len(list)-1]
			}
			return false
		}
	},
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
	"continuing-messages-register-no-webhook": func(b *behaviour) {
		b.push.inline = func(t *task, _ *pushConfig) bool { return len(t.history) < 2 }
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
}
