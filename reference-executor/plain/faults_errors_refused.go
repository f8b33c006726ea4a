// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"net/http"
	"strconv"
)

// refusalFaults are about how single operations are refused.
var refusalFaults = map[string]func(*behaviour){
	"streams-to-unknown-tasks-are-refused-with-nothing":    refused("SendStreamingMessage", taskNotFound, func(a *answer) { a.body = nil }),
	"streams-to-unknown-tasks-are-refused-without-details": ofUnknownTasksWithoutDetails("SendStreamingMessage"),
	"refused-messages-without-an-envelope": func(b *behaviour) {
		b.errors.envelope = func(c *call, f *failure, e object) any {
			if f.kind == invalidParams && isOp(c, "SendMessage") {
				return e
			}
			return conformantErrors.envelope(c, f, e)
		}
	},
	"refused-messages-with-an-empty-body":                 refused("SendMessage", invalidParams, func(a *answer) { a.body = nil }),
	"messages-to-unknown-tasks-without-details":           ofUnknownTasksWithoutDetails("SendMessage"),
	"messages-to-unknown-tasks-are-answered-with-nothing": refused("SendMessage", taskNotFound, func(a *answer) { a.body = nil }),
	"messages-to-unknown-tasks-are-answered-with-a-web-page": refused("SendMessage", taskNotFound, func(a *answer) {
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
	"deletions-of-nothing-are-refused-with-a-web-page": refused("DeleteTaskPushNotificationConfig", taskNotFound, func(a *answer) {
		a.header.Set("Content-Type", "text/html; charset=utf-8")
		a.body = []byte("<!doctype html><title>Not found</title>")
	}),
	"deletions-of-nothing-are-refused-twice-in-one-body": refused("DeleteTaskPushNotificationConfig", taskNotFound, func(a *answer) {
		a.body = bytes.Repeat(a.body, 2)
	}),
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

// refused changes how an operation is refused over HTTP+JSON for one reason.
func refused(operation string, kind *errorKind, change func(a *answer)) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.kind == kind && isOp(c, operation) && c.binding == BindingREST {
				change(&a)
			}
			return a
		}
	}
}

// ofUnknownTasksWithoutDetails leaves the details out of the refusal of an operation over HTTP+JSON on a task that there is not.
func ofUnknownTasksWithoutDetails(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.envelope = func(c *call, f *failure, e object) any {
			if f.kind == taskNotFound && isOp(c, operation) && c.binding == BindingREST {
				delete(e, "details")
			}
			return conformantErrors.envelope(c, f, e)
		}
	}
}
