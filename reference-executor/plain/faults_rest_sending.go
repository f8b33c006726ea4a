// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

var restSendingFaults = map[string]func(*behaviour){
	"send-answers-task-and-message": func(b *behaviour) {
		b.output.wrapper = func(_ *call, what string, v object) object {
			if what == "SendMessageResponse" {
				v["message"] = object{}
			}
			return v
		}
	},
	"answer-without-the-last-artifact": func(b *behaviour) {
		b.tasks.sent = func(_ *call, t task) task {
			t.artifacts = t.artifacts[:max(0, len(t.artifacts)-1)]
			return t
		}
	},
	"return-immediately-is-ignored": func(b *behaviour) {
		b.tasks.blocks = func(*call, bool) bool { return true }
		b.agent.share = func(_ *Server, n int) time.Duration { return time.Duration(n) * 100 * time.Millisecond } // as long as it must be
	},
	"return-immediately-is-lost-beside-a-limit": func(b *behaviour) {
		b.tasks.blocks = func(c *call, immediately bool) bool {
			conf, _ := c.params["configuration"].(object)
			return conf["historyLength"] != nil || conformantTasks.blocks(c, immediately)
		}
		b.agent.share = func(_ *Server, n int) time.Duration { return time.Duration(n) * 100 * time.Millisecond } // as long as it must be
	},
	"answers-late-with-the-first-state": func(b *behaviour) {
		b.tasks.blocks = func(*call, bool) bool { return true }
		b.agent.share = func(_ *Server, n int) time.Duration { return time.Duration(n) * 100 * time.Millisecond } // as long as it must be
		b.tasks.sent = func(c *call, t task) task {
			if conf, _ := c.params["configuration"].(object); conf["returnImmediately"] == true {
				t.state, t.changed, t.says, t.artifacts, t.history = submitted, t.created, nil, nil, t.history[:1]
			}
			return t
		}
	},
	"send-shows-the-whole-history": wholeHistory("SendMessage"),
	"answers-are-always-waited-for": func(b *behaviour) {
		b.tasks.blocks = func(c *call, immediately bool) bool {
			message, _ := c.params["message"].(object)
			return message["taskId"] != nil || conformantTasks.blocks(c, immediately)
		}
		b.agent.share = func(_ *Server, n int) time.Duration { return time.Duration(n) * 100 * time.Millisecond } // as long as it must be
	},
	"streams-begin-with-the-whole-history": wholeHistory("SendStreamingMessage"),
	"history-is-an-empty-list": func(b *behaviour) {
		b.output.task = func(_ *call, _ task, v object) {
			if v["history"] == nil {
				v["history"] = []any{}
			}
		}
	},
	"unknown-members-are-refused": func(b *behaviour) {
		known := []string{
			"message", "configuration", "metadata", "tenant", "messageId", "role", "parts", "contextId", "taskId", "extensions",
			"referenceTaskIds", "text", "raw", "url", "data", "filename", "mediaType",
		}
		refused := func(o object) *failure {
			for name := range o {
				if !slices.Contains(known, name) {
					return violation(name, "is not known")
				}
			}
			return nil
		}
		b.input.unknown = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			if f := refused(c.params); f != nil {
				return f
			}
			if f := refused(message); f != nil {
				return f
			}
			parts, _ := message["parts"].([]any)
			for _, part := range parts {
				part, _ := part.(object)
				if f := refused(part); f != nil {
					return f
				}
			}
			return nil
		}
	},

	"requests-without-message": func(b *behaviour) {
		b.input.requires = func(path string) bool {
			return path != "message" && path != "message.messageId" && path != "message.role" && path != "message.parts"
		}
	},
	"messages-without-id":   optional("message.messageId"),
	"messages-without-role": optional("message.role"),
	"parts-are-optional":    optional("message.parts"),
	"missing-members-are-a-server-error": func(b *behaviour) {
		b.errors.kind = func(_ *call, f *failure) *errorKind {
			if f.kind == invalidParams && strings.HasPrefix(f.field, "message") && strings.HasSuffix(f.message, "is missing") {
				return internal
			}
			return f.kind
		}
	},
	"invalid-requests-are-422": func(b *behaviour) {
		b.errors.http = func(c *call, f *failure) int {
			if f.kind == invalidParams {
				return http.StatusUnprocessableEntity
			}
			return conformantErrors.http(c, f)
		}
	},
	"invalid-parts-are-not-found": func(b *behaviour) {
		b.errors.kind = func(_ *call, f *failure) *errorKind {
			if f.kind == invalidParams && strings.HasPrefix(f.field, "message.parts") {
				return taskNotFound
			}
			return f.kind
		}
	},
	"parts-of-nothing": contents(func(n int) bool { return n < 2 }),
	"only-the-first-part-needs-content": func(b *behaviour) {
		b.input.content = func(path string, members []string) *failure {
			if len(members) == 0 && !strings.HasSuffix(path, "[0]") {
				return nil
			}
			return oneContent(path, members)
		}
	},
	"parts-with-two-contents": contents(func(n int) bool { return n > 0 }),
	"wrong-types-are-coerced": func(b *behaviour) {
		b.input.wrong = func(string, any) *failure { return nil }
		b.input.requires = func(path string) bool { return path != "message.messageId" }
	},
	"text-of-any-type-is-taken": func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if strings.HasSuffix(path, ".text") {
				return nil
			}
			return conformantInput.wrong(path, v)
		}
	},
	"any-role-is-taken": func(b *behaviour) { b.input.role = func(string, string) *failure { return nil } },
}

// wholeHistory has an operation show all messages of a task, however many were asked for.
func wholeHistory(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if c.op != nil && c.op.name == operation {
				n = -1
			}
			return conformantTasks.recent(c, history, n)
		}
	}
}

// optional takes requests without a member that must be there.
func optional(member string) func(*behaviour) {
	return func(b *behaviour) { b.input.requires = func(path string) bool { return path != member } }
}

// contents takes parts with other numbers of contents than one.
func contents(taken func(n int) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.input.content = func(path string, members []string) *failure {
			if taken(len(members)) {
				return nil
			}
			return oneContent(path, members)
		}
	}
}
