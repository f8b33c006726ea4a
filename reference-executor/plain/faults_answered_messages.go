// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"strings"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"
)

// answeredMessageFaults are about what is taken from a message and shown of it: where it goes on with a task, comes over one
// binding, or has more than one of something.
var answeredMessageFaults = map[string]func(*behaviour){
	"roles-of-answers-are-not-checked": func(b *behaviour) {
		ofMessages(b, func(_ *call, message object) *failure {
			if _, is := message["role"].(string); is && message["taskId"] != nil {
				message["role"] = "ROLE_USER"
			}
			return nil
		})
	},
	"metadata-may-be-a-text": func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if _, text := v.(string); text && strings.HasSuffix(path, "metadata") {
				return nil
			}
			return conformantInput.wrong(path, v)
		}
	},
	"one-reference-is-enough": func(b *behaviour) {
		ofMessages(b, func(_ *call, message object) *failure {
			if list, _ := message["referenceTaskIds"].([]any); len(list) > 1 {
				return violation("message.referenceTaskIds", "has more than one")
			}
			return nil
		})
	},
	"texts-over-rpc-are-composed": func(b *behaviour) {
		ofMessages(b, func(c *call, message object) *failure {
			parts, _ := message["parts"].([]any)
			for _, v := range parts {
				part, _ := v.(object)
				if text, is := part["text"].(string); is && c.binding == BindingRPC {
					part["text"] = norm.NFC.String(text)
				}
			}
			return nil
		})
	},
	"data-of-the-client-come-back-beside-a-text": keptParts(func(part object) {
		if part["data"] != nil {
			part["text"] = ""
		}
	}),
	"streams-to-a-task-show-another-context": func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			message, _ := c.params["message"].(object)
			if message["taskId"] != nil && message["contextId"] == nil {
				t.context = uuid.NewString()
			}
			return conformantStream.begins(c, t)
		}
	},
	"refused-messages-leave-a-task-of-another-id": func(b *behaviour) {
		b.tasks.missing = func(c *call, id string) *failure {
			if message, _ := c.params["message"].(object); c.op.sends {
				t := c.taskOfTheClient(uuid.NewString())
				if context, is := message["contextId"].(string); is {
					t.context = context
				}
			}
			return conformantTasks.missing(c, id)
		}
	},
	"unknown-tasks-are-invalid-when-asked-for-again": func(b *behaviour) {
		asked := map[string]bool{} // the lock of the server is held whenever a task is looked for
		b.tasks.missing = func(c *call, id string) *failure {
			if again := asked[id]; again && isOp(c, "GetTask") {
				return violation("id", "is no task")
			}
			asked[id] = isOp(c, "GetTask")
			return conformantTasks.missing(c, id)
		}
	},
	"ended-tasks-of-others-are-told-by-their-state": othersHear("SendMessage", func(_ *call, t *task, f *failure) *failure {
		if terminal(t.state) {
			return fail(unsupportedOperation, "the task has ended").about(t.id)
		}
		return f
	}),
}

// ofMessages looks at the message of a request before it is read.
func ofMessages(b *behaviour, look func(c *call, message object) *failure) {
	b.input.tenant = func(c *call) *failure {
		if message, is := c.params["message"].(object); is {
			if f := look(c, message); f != nil {
				return f
			}
		}
		return rightTenant(c)
	}
}
