// SPDX-License-Identifier: Apache-2.0

package plain

var taskFaults = map[string]func(*behaviour){
	"send-never-waits": func(b *behaviour) { b.tasks.blocks = func(*call, bool) bool { return false } },
	"messages-in-contexts-are-not-waited-for": func(b *behaviour) {
		b.tasks.blocks = func(c *call, immediately bool) bool {
			message, _ := c.params["message"].(object)
			return message["contextId"] == nil && conformantTasks.blocks(c, immediately)
		}
	},
	"messages-without-parts": func(b *behaviour) { b.input.empty = func(string) *failure { return nil } },
	"completed-task-is-canceled-again": func(b *behaviour) {
		b.tasks.cancels = func(*call, *task) *failure { return nil }
	},
}
