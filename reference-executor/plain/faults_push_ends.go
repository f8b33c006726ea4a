// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/url"
	"slices"
)

// pushEndFaults break what becomes of webhooks at an end: of a task, of a list, of a configuration.
var pushEndFaults = map[string]func(*behaviour){
	"tasks-that-ask-take-no-webhooks": func(b *behaviour) {
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f == nil && isOp(c, "CreateTaskPushNotificationConfig") && t.state == inputRequired {
				return nil, violation("taskId", "is that of a task that is not at work")
			}
			return t, f
		}
	},
	"last-push-configs-stay-in-the-list": func(b *behaviour) {
		last := map[string]*pushConfig{} // by task; with the lock held
		b.push.removes = func(c *call, task, id string) bool {
			if p := conformantPush.finds(c, task, id); p != nil && len(c.s.push[task]) == 1 {
				last[task] = p
			}
			return conformantPush.removes(c, task, id)
		}
		b.push.lists = func(c *call, task string) []*pushConfig {
			if list := conformantPush.lists(c, task); len(list) > 0 || last[task] == nil {
				return list
			}
			return []*pushConfig{last[task]}
		}
	},
	"last-push-configs-are-never-deleted": func(b *behaviour) {
		b.push.removes = func(c *call, task, id string) bool {
			return len(c.s.push[task]) == 1 || conformantPush.removes(c, task, id)
		}
	},
	"push-takes-urls-without-a-host": func(b *behaviour) {
		b.push.url = func(c *call, path, text string) *failure {
			if u, err := url.Parse(text); err == nil && u.Scheme == "http" && u.Host == "" {
				return nil
			}
			return refuseURL(c, path, text)
		}
	},
	"push-tells-the-end-to-the-first-only": func(b *behaviour) {
		b.push.receivers = func(s *Server, t *task) []*pushConfig {
			if terminal(t.state) {
				return s.push[t.id][:min(1, len(s.push[t.id]))]
			}
			return s.push[t.id]
		}
	},
}

// outliving goes on delivering to some of the configurations that were deleted.
func outliving(b *behaviour, some func(p *pushConfig) bool) {
	deleted := map[string][]*pushConfig{} // with the lock held
	b.push.removes = func(c *call, task, id string) bool {
		if p := conformantPush.finds(c, task, id); p != nil && some(p) {
			deleted[task] = append(deleted[task], p)
		}
		return conformantPush.removes(c, task, id)
	}
	b.push.receivers = func(s *Server, t *task) []*pushConfig { return slices.Concat(s.push[t.id], deleted[t.id]) }
	b.push.exists = func(*Server, *pushConfig) bool { return true }
}
