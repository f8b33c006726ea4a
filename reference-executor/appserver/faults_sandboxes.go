// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"net/http"
	"strings"
)

// unknownIs changes what is answered when something is done to a sandbox that there is not.
func unknownIs(does string, change func(c *call) answer) func(*behaviour) {
	return func(b *behaviour) {
		before := b.sandboxes.unknown
		b.sandboxes.unknown = func(c *call, done string) answer {
			if done == does {
				return change(c)
			}
			return before(c, done)
		}
	}
}

var sandboxFaults = map[string]func(*behaviour){
	"sandbox-status-in-lower-case": func(b *behaviour) {
		b.sandboxes.state = func(v *sandbox) any { return strings.ToLower(v.state) }
	},
	"exposed-urls-are-a-map": func(b *behaviour) {
		before := b.sandboxes.urls
		b.sandboxes.urls = func(c *call, v *sandbox) any {
			list, _ := before(c, v).([]any)
			all := object{}
			for _, one := range list {
				all[one.(object)["name"].(string)] = one.(object)["url"]
			}
			return all
		}
	},
	"running-without-key": func(b *behaviour) { b.sandboxes.key = func(*sandbox) any { return nil } },
	"running-without-agent-server": func(b *behaviour) {
		before := b.sandboxes.urls
		b.sandboxes.urls = func(c *call, v *sandbox) any {
			if list, is := before(c, v).([]any); is {
				return list[1:]
			}
			return nil
		}
	},
	"paused-sandbox-shows-its-key": func(b *behaviour) { b.sandboxes.key = func(v *sandbox) any { return v.key } },
	"spec-is-required": func(b *behaviour) {
		before := b.sandboxes.spec
		b.sandboxes.spec = func(c *call, q *query) (string, *failure) {
			if _, given := q.text("sandbox_spec_id"); !given {
				q.wrong("sandbox_spec_id", "missing", "Field required")
				return "", q.failure()
			}
			return before(c, q)
		}
	},
	"started-sandbox-is-not-found": func(b *behaviour) {
		b.sandboxes.made = func(c *call, v *sandbox) { delete(c.s.store.sandboxes, v.id) }
	},
	"pause-is-only-acknowledged":  func(b *behaviour) { b.sandboxes.pauses = func(*call, *sandbox) {} },
	"resume-is-only-acknowledged": func(b *behaviour) { b.sandboxes.resumes = func(*call, *sandbox) {} },
	"unknown-sandbox-is-paused":   unknownIs("pause", func(c *call) answer { return c.ok(object{"success": false}) }),
	"unknown-sandbox-is-made": unknownIs("resume", func(c *call) answer {
		c.s.store.mu.Lock()
		defer c.s.store.mu.Unlock()
		v := c.s.newSandbox(c.user, specs[0].id)
		delete(c.s.store.sandboxes, v.id)
		v.id = c.bound["sandbox_id"]
		c.s.store.sandboxes[v.id] = v
		return c.success()
	}),
	"unknown-spec-crashes": func(b *behaviour) {
		before := b.sandboxes.spec
		b.sandboxes.spec = func(c *call, q *query) (string, *failure) {
			id, f := before(c, q)
			if f != nil {
				crash("a spec that there is not")
			}
			return id, f
		}
	},
}

var deleteFaults = map[string]func(*behaviour){
	"delete-by-query": func(b *behaviour) {
		b.sandboxes.target = func(c *call) (string, *failure) {
			q := c.query()
			id, given := q.text("sandbox_id")
			if !given {
				q.wrong("sandbox_id", "missing", "Field required")
			}
			return id, q.failure()
		}
	},
	"delete-is-only-acknowledged": func(b *behaviour) { b.sandboxes.deletes = func(*call, *sandbox) {} },
	"sandboxes-are-deleted-twice": unknownIs("delete", func(c *call) answer { return c.success() }),
	"query-overrides-the-path": func(b *behaviour) {
		before := b.sandboxes.target
		b.sandboxes.target = func(c *call) (string, *failure) {
			if id, given := c.query().text("sandbox_id"); given {
				return id, nil
			}
			return before(c)
		}
	},
	"conversations-go-with-their-sandbox": func(b *behaviour) {
		before := b.sandboxes.deletes
		b.sandboxes.deletes = func(c *call, v *sandbox) {
			before(c, v)
			for id, one := range c.s.store.conversations {
				if one.sandbox == v.id {
					delete(c.s.store.conversations, id)
				}
			}
		}
	},
}

var agentFaults = map[string]func(*behaviour){
	"agent-asked-without-key": func(b *behaviour) { b.agents.header = func(*Server, *sandbox, http.Header) {} },
	"agent-asked-with-the-login": func(b *behaviour) {
		before := b.agents.header
		b.agents.header = func(s *Server, box *sandbox, header http.Header) {
			before(s, box, header)
			header.Set("Authorization", "Bearer "+box.owner.token)
			header.Set("Cookie", "session="+box.owner.token)
		}
	},
	"agent-told-a-user-id": func(b *behaviour) {
		b.agents.body = func(_ *Server, u *user, body object) { body["user_id"] = u.id }
	},
	"agent-asked-for-a-user": func(b *behaviour) {
		b.agents.path = func(_ *Server, _ *user, path string) string {
			if strings.Contains(path, "?") {
				return path + "&user_id=first"
			}
			return path + "?user_id=first"
		}
	},
}
