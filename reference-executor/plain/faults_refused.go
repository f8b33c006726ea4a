// SPDX-License-Identifier: Apache-2.0

package plain

import "strings"

// refusedFaults do what they refuse.
var refusedFaults = map[string]func(*behaviour){
	"refused-cancels-of-others-stop-the-work": refusedToOthers("CancelTask", func(c *call, t *task) {
		if !terminal(t.state) {
			c.s.b.tasks.stops(t)
		}
	}),
	"refused-deletions-of-others-are-done": refusedToOthers("DeleteTaskPushNotificationConfig", func(c *call, t *task) {
		id, _ := c.params["id"].(string)
		c.s.b.push.removes(c, t.id, id)
	}),
	"refused-webhooks-of-others-are-kept": refusedToOthers("CreateTaskPushNotificationConfig", func(c *call, t *task) {
		if p, f := c.s.b.push.reads(c, c.params, ""); f == nil {
			p.task = t.id
			c.s.addConfig(p)
		}
	}),
	"refused-cancels-of-anybody-are-done": func(b *behaviour) {
		b.security.authenticates = func(c *call) *failure {
			f := conformantSecurity.authenticates(c)
			if f != nil && c.binding == BindingREST && isOp(c, "CancelTask") {
				id := strings.TrimSuffix(strings.TrimPrefix(c.r.URL.Path, restPath+"/tasks/"), ":cancel")
				c.s.mu.Lock()
				defer c.s.mu.Unlock()
				if t := c.s.tasks[id]; t != nil && !terminal(t.state) {
					c.s.b.tasks.cancel(c, t)
				}
			}
			return f
		}
	},
	"refused-messages-without-parts-leave-a-failed-task": func(b *behaviour) {
		ofMessages(b, func(c *call, message object) *failure {
			if parts, is := message["parts"].([]any); is && len(parts) == 0 && message["taskId"] == nil {
				c.s.mu.Lock()
				defer c.s.mu.Unlock()
				t := c.s.create(c, clone(message).(object), "")
				t.history = nil
				c.s.enter(t, failed, "The message cannot be read.")
			}
			return nil
		})
	},
	"forbidden-messages-are-heard": func(b *behaviour) {
		b.security.forbids = func(c *call) *failure { return c.heardAnyway(conformantSecurity.forbids(c)) }
	},
	"messages-without-a-required-extension-are-heard": func(b *behaviour) {
		b.extensions.refuses = func(c *call) *failure { return c.heardAnyway(conformantExtensions.refuses(c)) }
	},
}

// refusedToOthers does something of an operation before a task of another principal is hidden from it; the lock is held.
func refusedToOthers(name string, do func(c *call, t *task)) func(*behaviour) {
	return func(b *behaviour) {
		b.security.hidden = func(c *call, t *task, f *failure) *failure {
			if isOp(c, name) {
				do(c, t)
			}
			return f
		}
	}
}

// heardAnyway hands the message that is refused to the agent.
func (c *call) heardAnyway(f *failure) *failure {
	if f == nil || !isOp(c, "SendMessage") {
		return f
	}
	if c.binding == BindingREST {
		c.params, _ = c.s.b.rest.body(c)
	}
	if sent, invalid := c.readSending(); invalid == nil {
		if w, _, _, refused := c.deliver(sent); refused == nil && w != nil {
			c.s.unwatch(w)
		}
	}
	return f
}
