// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"strings"
)

// rootFaults break several requirements by one thing, as servers of released SDKs were seen to.
var rootFaults = map[string]func(*behaviour){
	"nothing-of-a-message-is-checked": func(b *behaviour) {
		takeAnyMessage(b)
		b.input.requires = func(path string) bool { return !strings.HasPrefix(path, "message") }
	},
	"messages-are-not-checked": func(b *behaviour) {
		takeAnyMessage(b)
		b.input.requires = func(path string) bool { return path != "message.role" && path != "message.parts" }
	},
	"errors-of-operations-are-internal": func(b *behaviour) {
		b.errors.kind = func(_ *call, f *failure) *errorKind {
			switch f.kind {
			case taskNotFound, taskNotCancelable, unsupportedOperation, contentTypeNotSupported, invalidParams:
				return internal
			}
			return f.kind
		}
	},
	"params-that-cannot-be-read-are-no-json": func(b *behaviour) {
		b.errors.kind = func(c *call, f *failure) *errorKind {
			if c.binding == BindingRPC && f.kind == invalidParams && !strings.HasSuffix(f.message, " is missing") {
				return malformed
			}
			return f.kind
		}
	},
	"refusals-over-rpc-are-plain-text": func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if c.binding != BindingRPC || f.kind == unauthenticated || f.kind == forbidden || f.kind == notification {
				return a
			}
			return answer{status: http.StatusInternalServerError, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
				body: []byte("Internal Server Error")}
		}
	},
	"push-configs-of-tasks-that-nobody-looks-up": func(b *behaviour) {
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && c.op.name != "GetTaskPushNotificationConfig" {
				return &task{id: id}, nil
			}
			return t, f
		}
	},
	"push-urls-are-not-looked-at": func(b *behaviour) {
		b.push.url = func(*call, string, string) *failure { return nil }
		b.input.requires = func(path string) bool { return path != "url" }
	},
	"tasks-that-run-are-a-server-error": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if !terminal(t.state) && t.state != inputRequired {
				return fail(internal, "the task is at work")
			}
			return c.mayContinue(t, message)
		}
	},
	"task-ids-of-messages-are-ignored": func(b *behaviour) {
		b.tasks.names = func(*call, object) string { return "" }
	},
	"lists-leave-out-what-is-empty": listed(func(v object) {
		if tasks, _ := v["tasks"].([]any); len(tasks) > 0 {
			return
		}
		delete(v, "tasks")
		delete(v, "totalSize")
	}),
	"unreadable-requests-are-refused-in-plain-text": func(b *behaviour) {
		refuseInPlainText(b, func(c *call) bool { return unreadable(c) || noTime(c) })
		inQueries := b.errors.answer
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if c.binding != BindingREST || f.kind != malformed {
				return inQueries(c, f, a)
			}
			return answer{status: http.StatusBadRequest, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
				body: []byte("Failed to parse the request body as JSON")}
		}
	},
}

// takeAnyMessage looks at nothing in a message but what must be there.
func takeAnyMessage(b *behaviour) {
	b.input.empty = func(string) *failure { return nil }
	b.input.content = func(string, []string) *failure { return nil }
	b.input.role = func(string, string) *failure { return nil }
	b.input.wrong = func(path string, v any) *failure {
		if path == "message.messageId" || path == "message.parts" {
			return nil
		}
		return conformantInput.wrong(path, v)
	}
}
