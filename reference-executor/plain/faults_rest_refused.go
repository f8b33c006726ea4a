// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"github.com/google/uuid"
)

// restRefusedFaults are about what messages and requests that are refused leave behind.
var restRefusedFaults = map[string]func(*behaviour){
	"unknown-tasks-are-created": func(b *behaviour) {
		b.tasks.addressed = func(c *call, id string) (*task, *failure) {
			t, f := c.addressed(id)
			if f != nil && c.op.sends {
				return c.taskOfTheClient(id), nil
			}
			return t, f
		}
	},
	"refused-messages-leave-a-task": func(b *behaviour) {
		b.tasks.missing = func(c *call, id string) *failure {
			if c.op.sends {
				c.taskOfTheClient(id)
			}
			return conformantTasks.missing(c, id)
		}
	},
	"refused-messages-are-filed": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			f := c.mayContinue(t, message)
			if f != nil {
				t.history = append(t.history, message)
			}
			return f
		}
	},
	"ended-tasks-file-refused-messages": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			f := c.mayContinue(t, message)
			if f != nil && terminal(t.state) {
				t.history = append(t.history, message)
			}
			return f
		}
	},
	"refused-messages-are-heard": func(b *behaviour) {
		b.tasks.mismatch = func(c *call, t *task, given string) *failure {
			c.s.answered(t)
			return conformantTasks.mismatch(c, t, given)
		}
	},
	"refused-messages-wake-the-task": func(b *behaviour) {
		b.tasks.closed = func(c *call, t *task) *failure {
			t.state = working
			return conformantTasks.closed(c, t)
		}
	},
	"refused-cancels-are-kept": func(b *behaviour) {
		b.tasks.cancels = func(c *call, t *task) *failure {
			f := conformantTasks.cancels(c, t)
			if f != nil {
				t.state = canceled
			}
			return f
		}
	},
	"refused-messages-take-artifacts-away": func(b *behaviour) {
		b.tasks.closed = func(c *call, t *task) *failure {
			t.artifacts = nil
			return conformantTasks.closed(c, t)
		}
	},
	"refused-messages-leave-a-task-of-another-id": leavingTasks(func(c *call) bool { return c.op.sends }),
	"refused-streams-leave-a-task":                leavingTasks(func(c *call) bool { return isOp(c, "SendStreamingMessage") }),
	"refused-subscriptions-touch-ended-tasks": func(b *behaviour) {
		b.stream.opens = func(c *call, t *task) *failure {
			f := conformantStream.opens(c, t)
			if f != nil {
				t.changed = laterThan(t.changed)
			}
			return f
		}
	},
	"refused-streams-touch-ended-tasks": func(b *behaviour) {
		b.tasks.closed = func(c *call, t *task) *failure {
			if isOp(c, "SendStreamingMessage") {
				t.changed = laterThan(t.changed)
			}
			return conformantTasks.closed(c, t)
		}
	},
	"tasks-stay-locked-behind-a-refused-context": func(b *behaviour) {
		locked := map[string]bool{} // tasks, by their id; the lock of the server is held
		b.tasks.mismatch = func(c *call, t *task, context string) *failure {
			locked[t.id] = true
			return conformantTasks.mismatch(c, t, context)
		}
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if locked[t.id] {
				return violation("message.taskId", "is that of a task that takes a message already")
			}
			return c.mayContinue(t, message)
		}
	},
}

// leavingTasks leaves a task in the context of each message to an unknown one that is sent so.
func leavingTasks(so func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.missing = func(c *call, id string) *failure {
			if message, _ := c.params["message"].(object); so(c) {
				t := c.taskOfTheClient(uuid.NewString())
				if context, is := message["contextId"].(string); is {
					t.context = context
				}
			}
			return conformantTasks.missing(c, id)
		}
	}
}
