// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// pushLiberties are about webhooks: what they are told, when, and how they are configured.
var pushLiberties = map[string]func(*behaviour){
	// 4.3.3: deliveries are attempted at least once, and may be repeated.
	"deliveries-come-twice": func(b *behaviour) {
		b.push.receivers = func(s *Server, t *task) []*pushConfig {
			list := conformantPush.receivers(s, t)
			return slices.Concat(list, list)
		}
	},

	// 4.3.3: no sentence says how soon a delivery comes, nor in which order.
	"deliveries-come-late": func(b *behaviour) {
		b.push.exists = func(s *Server, p *pushConfig) bool {
			s.rest(700 * time.Millisecond)
			return conformantPush.exists(s, p)
		}
	},
	"deliveries-come-in-any-order": func(b *behaviour) {
		b.push.receivers = func(s *Server, t *task) []*pushConfig {
			var list []*pushConfig
			for _, p := range conformantPush.receivers(s, t) {
				alone := *p // what is delivered to one configuration keeps its order
				list = append(list, &alone)
			}
			return list
		}
		b.push.exists = func(s *Server, p *pushConfig) bool {
			s.rest(s.lawful.Between(0, 600*time.Millisecond))
			s.mu.Lock()
			defer s.mu.Unlock()
			return slices.ContainsFunc(s.push[p.task], func(kept *pushConfig) bool { return kept.id == p.id })
		}
	},

	// AMB-43: which events are delivered is not fixed, and any kind of StreamResponse will do.
	"the-end-alone-is-delivered": func(b *behaviour) {
		b.push.wants = func(_ *Server, _ *task, ev event) bool {
			return ev.kind == "statusUpdate" && terminal(ev.task.state)
		}
	},
	"deliveries-are-tasks": func(b *behaviour) {
		b.push.body = func(c *call, p *pushConfig, ev event) any {
			return conformantPush.body(c, p, event{kind: "task", task: ev.task})
		}
	},

	// 4.3.3: further attempts are optional.
	"deliveries-are-not-repeated": func(b *behaviour) { b.push.tries = 1 },

	// AMB-06: either media type; AMB-38: no header is fixed for the token; RFC 9110, 11.1: the case of a scheme means nothing.
	"deliveries-have-other-headers": func(b *behaviour) {
		b.push.header = func(p *pushConfig, h http.Header) {
			conformantPush.header(p, h)
			h.Set("Content-Type", "application/json; charset=utf-8")
			if p.scheme != "" {
				h.Set("Authorization", strings.TrimSpace(strings.ToLower(p.scheme)+" "+p.credentials))
			}
			if h.Del("X-A2A-Notification-Token"); p.token != "" {
				h.Set("A2A-Notification-Token", p.token)
			}
			h.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
			h.Set("A2A-Version", version10)
		}
	},

	// AMB-39: the owner of a configuration reads its credentials, or something in their place.
	"configs-show-credentials": func(b *behaviour) {
		b.output.config = func(c *call, v object) object {
			auth, secured := v["authentication"].(object)
			for _, p := range c.s.push[v["taskId"].(string)] {
				if secured && p.id == v["id"] && p.credentials != "" {
					auth["credentials"] = p.credentials
				}
			}
			return v
		}
	},
	"configs-mask-secrets": func(b *behaviour) {
		b.output.config = func(_ *call, v object) object {
			if auth, secured := v["authentication"].(object); secured {
				auth["credentials"] = "********"
			}
			if v["token"] != nil {
				v["token"] = "********"
			}
			return v
		}
	},

	// 3.1.7: a configuration persists until its task completes, and no sentence has an ended task take one.
	"configs-end-with-their-task": func(b *behaviour) {
		b.push.lists = func(c *call, task string) []*pushConfig {
			if terminal(c.s.tasks[task].state) {
				return nil
			}
			return conformantPush.lists(c, task)
		}
		b.push.finds = func(c *call, task, id string) *pushConfig {
			if terminal(c.s.tasks[task].state) {
				return nil
			}
			return conformantPush.finds(c, task, id)
		}
		b.push.reads = refusesEnded
	},
	"ended-tasks-take-no-configs": func(b *behaviour) { b.push.reads = refusesEnded },

	// No sentence says how many configurations a task takes: two are asked for.
	"a-task-takes-two-configs": func(b *behaviour) {
		b.push.reads = func(c *call, o object, path string) (*pushConfig, *failure) {
			if id, _ := c.params["taskId"].(string); path == "" && len(c.s.push[id]) >= 2 {
				return nil, violation("taskId", "the task has as many configurations as it can have")
			}
			return conformantPush.reads(c, o, path)
		}
	},

	// 3.1.7 does not say what becomes of an id that is given a second time.
	"config-ids-are-given-once": func(b *behaviour) {
		b.push.reads = func(c *call, o object, path string) (*pushConfig, *failure) {
			p, f := conformantPush.reads(c, o, path)
			if task, _ := c.params["taskId"].(string); f == nil && path == "" && conformantPush.finds(c, task, p.id) != nil {
				return nil, fail(conflict, "the task has a configuration of that id")
			}
			return p, f
		}
	},

	// AMB-63: a deletion is answered by {} or by nothing, over JSON-RPC by {} or null.
	"deletions-are-answered-with-nothing": func(b *behaviour) {
		b.rest.answer = func(c *call, a answer) answer {
			if c.op.name == "DeleteTaskPushNotificationConfig" && a.status == http.StatusOK {
				a.body = nil
				a.header.Del("Content-Type")
			}
			return a
		}
		b.rpc.result = func(c *call, result any) any {
			if c.op.name == "DeleteTaskPushNotificationConfig" {
				return nil
			}
			return result
		}
	},
}

// refusesEnded refuses configurations of tasks that have ended. Those that come with a message are for a task to come.
func refusesEnded(c *call, o object, path string) (*pushConfig, *failure) {
	if id, _ := c.params["taskId"].(string); path == "" && terminal(c.s.tasks[id].state) {
		return nil, fail(unsupportedOperation, "the task has ended").about(id)
	}
	return conformantPush.reads(c, o, path)
}

// rest waits, unless the server stops first. The lock must not be held.
func (s *Server) rest(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.stopping.Done():
	}
}
