// SPDX-License-Identifier: Apache-2.0

package plain

// furtherTurnFaults treat a message that goes on with a task, or says how it wants to be answered, otherwise than a plain
// first one.
var furtherTurnFaults = map[string]func(*behaviour){
	"configured-messages-are-not-waited-for": func(b *behaviour) {
		b.tasks.blocks = func(c *call, immediately bool) bool {
			conf, given := c.params["configuration"].(object)
			return !immediately && (!given || conf["returnImmediately"] != nil)
		}
	},
	"return-immediately-counts-whatever-it-says": func(b *behaviour) {
		b.tasks.blocks = func(c *call, _ bool) bool {
			conf, _ := c.params["configuration"].(object)
			return conf["returnImmediately"] == nil
		}
	},
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
	"second-messages-before-the-credential-are-refused": func(b *behaviour) {
		told := map[string]bool{} // by task; with the lock held
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if t.state == authRequired && told[t.id] {
				return fail(unsupportedOperation, "the task waits for a credential").about(t.id)
			}
			told[t.id] = t.state == authRequired
			return c.mayContinue(t, message)
		}
	},
	"continuing-streams-return-immediately": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			conf, _ := st.c.params["configuration"].(object)
			message, _ := st.c.params["message"].(object)
			return conf["returnImmediately"] == true && message["taskId"] != nil || conformantStream.ends(st, ev)
		}
	},
}
