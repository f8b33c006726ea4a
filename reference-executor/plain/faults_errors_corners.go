// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

// errorCornerFaults keep the specification in the usual error, and break it in another.
var errorCornerFaults = map[string]func(*behaviour){
	"errors-of-any-media-type-are-plain-text": func(b *behaviour) {
		b.errors.media = func(c *call, f *failure) string { return plainForAnything(c, conformantErrors.media(c, f)) }
	},
	"numbers-are-read-as-far-as-they-go": func(b *behaviour) {
		b.input.number = func(path, text string) (int, *failure) {
			end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
			if end > 0 {
				text = text[:end]
			}
			return integer(path, text)
		}
	},
	"refused-messages-without-an-envelope": func(b *behaviour) {
		b.errors.envelope = func(c *call, f *failure, e object) any {
			if f.kind == invalidParams && isOp(c, "SendMessage") {
				return e
			}
			return conformantErrors.envelope(c, f, e)
		}
	},
	"refused-messages-with-an-empty-body": refusedMessages(invalidParams, func(a *answer) { a.body = nil }),
	"messages-to-unknown-tasks-without-details": func(b *behaviour) {
		b.errors.envelope = func(c *call, f *failure, e object) any {
			if f.kind == taskNotFound && isOp(c, "SendMessage") && c.binding == BindingREST {
				delete(e, "details")
			}
			return conformantErrors.envelope(c, f, e)
		}
	},
	"messages-to-unknown-tasks-are-answered-with-nothing": refusedMessages(taskNotFound, func(a *answer) { a.body = nil }),
	"messages-to-unknown-tasks-are-answered-with-a-web-page": refusedMessages(taskNotFound, func(a *answer) {
		a.header.Set("Content-Type", "text/html; charset=utf-8")
		a.body = []byte("<!doctype html><title>Not found</title>")
	}),
	"malformed-json-of-streams-is-a-fault":  malformedIsAFault("SendStreamingMessage"),
	"malformed-json-of-webhooks-is-a-fault": malformedIsAFault("CreateTaskPushNotificationConfig"),
	"malformed-json-of-cancels-is-a-fault":  malformedIsAFault("CancelTask"),
	"streams-are-refused-to-others-in-half": func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			a := c.refuse(f)
			if c.who.name != "second" {
				return a
			}
			whole := a.body
			a.header.Set("Content-Length", strconv.Itoa(len(whole)))
			a.stream = func(w http.ResponseWriter) {
				_, _ = w.Write(whole[:len(whole)/2])
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
			return a
		}
	},
	"deletions-of-nothing-are-refused-with-a-web-page": refusedDeletions(func(a *answer) {
		a.header.Set("Content-Type", "text/html; charset=utf-8")
		a.body = []byte("<!doctype html><title>Not found</title>")
	}),
	"deletions-of-nothing-are-refused-twice-in-one-body": refusedDeletions(func(a *answer) {
		a.body = bytes.Repeat(a.body, 2)
	}),
	"unknown-configs-without-a-reason": info(func(c *call, info object) {
		if isOp(c, "GetTaskPushNotificationConfig") {
			delete(info, "reason")
		}
	}),
	"unknown-configs-with-infos-of-another-type": info(func(c *call, info object) {
		if isOp(c, "GetTaskPushNotificationConfig") {
			info["@type"] = "type.googleapis.com/google.rpc.ErrorInformation"
		}
	}),
	"unknown-tasks-with-a-history-length-are-a-server-error": func(b *behaviour) {
		b.tasks.missing = func(c *call, id string) *failure {
			if _, asked := member(c.params, "historyLength"); asked && isOp(c, "GetTask") {
				return fail(internal, "the history could not be read")
			}
			return conformantTasks.missing(c, id)
		}
	},
	"tasks-found-by-the-beginning-of-their-id": func(b *behaviour) {
		b.tasks.addressed = func(c *call, id string) (*task, *failure) {
			if len(id) >= 8 && isOp(c, "GetTask") {
				for known := range c.s.tasks {
					if strings.HasPrefix(known, id) {
						id = known
						break
					}
				}
			}
			return conformantTasks.addressed(c, id)
		}
	},
}

// malformedIsAFault answers what is no JSON as a failure of the server, over HTTP+JSON and in one operation.
func malformedIsAFault(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.kind = func(c *call, f *failure) *errorKind {
			if f.kind == malformed && c.binding == BindingREST && isOp(c, operation) {
				return internal
			}
			return f.kind
		}
	}
}

// isOp says whether a call is of an operation.
func isOp(c *call, name string) bool { return c.op != nil && c.op.name == name }

// refusedMessages changes how a message is refused over HTTP+JSON for one reason.
func refusedMessages(kind *errorKind, change func(a *answer)) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.kind == kind && isOp(c, "SendMessage") && c.binding == BindingREST {
				change(&a)
			}
			return a
		}
	}
}

// refusedDeletions changes how a deletion is refused over HTTP+JSON where there is nothing to delete.
func refusedDeletions(change func(a *answer)) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.kind == taskNotFound && isOp(c, "DeleteTaskPushNotificationConfig") && c.binding == BindingREST {
				change(&a)
			}
			return a
		}
	}
}
