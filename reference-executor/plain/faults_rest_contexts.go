// SPDX-License-Identifier: Apache-2.0

package plain

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
}
