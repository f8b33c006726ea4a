// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"context"
	"strings"

	"github.com/google/uuid"
)

var restContextFaults = map[string]func(*behaviour){
	"context-continues-its-last-task": func(b *behaviour) {
		b.tasks.id = func(c *call, message object) string {
			for id, t := range c.s.tasks {
				if message["contextId"] == t.context {
					return id
				}
			}
			return conformantTasks.id(c, message)
		}
	},
	"answers-open-another-task": func(b *behaviour) {
		b.tasks.joins = func(_ *call, t *task, _ object) bool { return !interrupted(t.state) }
	},
	"answers-are-not-heard": func(b *behaviour) { b.agent.takes = func(*Server, *call, *task) {} },
	"busy-tasks-get-another": func(b *behaviour) {
		b.tasks.joins = func(_ *call, t *task, _ object) bool { return interrupted(t.state) }
	},
	"busy-tasks-are-a-server-error": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if !interrupted(t.state) && !terminal(t.state) {
				return fail(internal, "the task is at work")
			}
			return c.mayContinue(t, message)
		}
	},
	"task-ids-of-the-text": func(b *behaviour) {
		b.tasks.id = func(_ *call, message object) string { return uuid.NewSHA1(uuid.Nil, []byte(textOf(message))).String() }
	},
	"direct-answers-leave-contexts-out": func(b *behaviour) {
		b.output.wrapper = func(_ *call, what string, v object) object {
			if said, is := v["message"].(object); is && what == "SendMessageResponse" {
				said = clone(said).(object)
				delete(said, "contextId")
				v["message"] = said
			}
			return v
		}
	},
	"contexts-are-not-told-at-once": func(b *behaviour) {
		b.output.wrapper = func(c *call, what string, v object) object {
			conf, _ := c.params["configuration"].(object)
			message, _ := c.params["message"].(object)
			echoes := scenarioOf(textOf(message)) == ""
			if t, is := v["task"].(object); is && echoes && what == "SendMessageResponse" && conf["returnImmediately"] == true {
				delete(t, "contextId")
			}
			return v
		}
	},
	"generated-contexts-are-not-told": func(b *behaviour) {
		const internal = "internal-"
		b.tasks.context = func(c *call, message object) string {
			if _, given := message["contextId"].(string); given {
				return conformantTasks.context(c, message)
			}
			return internal + conformantTasks.context(c, message)
		}
		untold := func(v object) {
			if id, _ := v["contextId"].(string); strings.HasPrefix(id, internal) {
				delete(v, "contextId")
			}
		}
		b.output.task = func(_ *call, _ task, v object) { untold(v) }
		b.output.message = func(_ *call, v object) { untold(v) }
	},
	"contexts-of-the-client-are-replaced": func(b *behaviour) {
		b.tasks.context = func(*call, object) string { return uuid.NewString() }
	},
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
	"context-does-not-follow-from-the-task": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if _, given := message["contextId"]; !given {
				t.context = uuid.NewString()
			}
			return c.mayContinue(t, message)
		}
	},
	"tasks-need-their-context": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if _, given := message["contextId"]; !given && !terminal(t.state) {
				return violation("message.contextId", "is missing")
			}
			return c.mayContinue(t, message)
		}
	},
	"foreign-contexts-are-ignored": func(b *behaviour) {
		b.tasks.mismatch = func(*call, *task, string) *failure { return nil }
	},
	"contexts-of-other-tasks-are-not-foreign": func(b *behaviour) {
		b.tasks.mismatch = func(c *call, t *task, given string) *failure {
			for _, other := range c.s.tasks {
				if other.context == given && other.owner == t.owner {
					return nil
				}
			}
			return conformantTasks.mismatch(c, t, given)
		}
	},
	"streams-ignore-foreign-contexts": func(b *behaviour) {
		b.tasks.mismatch = func(c *call, t *task, given string) *failure {
			if c.op.needs == "streaming" {
				return nil
			}
			return conformantTasks.mismatch(c, t, given)
		}
	},
	"references-replace-the-context": func(b *behaviour) {
		b.tasks.context = func(c *call, message object) string {
			if references, _ := message["referenceTaskIds"].([]any); len(references) > 0 {
				return uuid.NewString()
			}
			return conformantTasks.context(c, message)
		}
	},
	"streams-replace-contexts-of-the-client": func(b *behaviour) {
		b.tasks.context = func(c *call, message object) string {
			if c.op.needs == "streaming" {
				return uuid.NewString()
			}
			return conformantTasks.context(c, message)
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
	"ended-tasks-take-messages": func(b *behaviour) {
		b.tasks.closed = func(*call, *task) *failure { return nil }
	},
	"ended-tasks-take-messages-in-their-context": func(b *behaviour) {
		b.tasks.closed = func(c *call, t *task) *failure {
			if message, _ := c.params["message"].(object); message["contextId"] == t.context {
				return nil
			}
			return conformantTasks.closed(c, t)
		}
	},
	"messages-to-ended-tasks-are-invalid": func(b *behaviour) {
		b.tasks.closed = func(*call, *task) *failure { return violation("message.taskId", "is the id of a task that has ended") }
	},
	"failed-tasks-are-not-found": func(b *behaviour) {
		b.tasks.closed = func(c *call, t *task) *failure {
			if t.state == failed {
				return conformantTasks.missing(c, t.id)
			}
			return conformantTasks.closed(c, t)
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
	"references-are-refused": refusing("referenceTaskIds"),
	"metadata-is-refused":    refusing("metadata"),
}

// taskOfTheClient is a task under an id that the client chose, which waits for a message; the lock is held.
func (c *call) taskOfTheClient(id string) *task {
	t := &task{
		id: id, context: uuid.NewString(), owner: c.who.name, binding: c.binding, state: inputRequired, cancel: context.CancelFunc(func() {}),
	}
	t.created = laterThan(t.created)
	t.changed = t.created
	c.s.tasks[id] = t
	return t
}

// refusing has messages refused that have an optional member.
func refusing(member string) func(*behaviour) {
	return func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			if message[member] != nil {
				return violation("message."+member, "is not known")
			}
			return nil
		}
	}
}
