// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"slices"
	"unicode/utf8"
)

// serverErrorFaults answer what the client did wrong as if something had gone wrong here.
var serverErrorFaults = map[string]func(*behaviour){
	"ids-that-are-no-utf-8-are-a-fault": func(b *behaviour) {
		b.tasks.missing = func(c *call, id string) *failure {
			if !utf8.ValidString(id) {
				return fail(internal, "something went wrong here")
			}
			return conformantTasks.missing(c, id)
		}
	},
	"messages-without-a-body-are-a-fault": func(b *behaviour) {
		b.rest.body = func(c *call) (object, *failure) {
			if c.r.ContentLength == 0 && isOp(c, "SendMessage") {
				return nil, fail(internal, "something went wrong here")
			}
			return c.restBody()
		}
	},
	"messages-that-are-null-are-a-fault": func(b *behaviour) {
		b.rest.body = func(c *call) (object, *failure) {
			v, f := c.restBody()
			if f != nil && c.r.ContentLength == int64(len("null")) && isOp(c, "SendMessage") {
				return nil, fail(internal, "something went wrong here")
			}
			return v, f
		}
	},
	"streams-of-invalid-messages-are-a-fault": func(b *behaviour) {
		b.errors.kind = func(c *call, f *failure) *errorKind {
			if f.kind == invalidParams && isOp(c, "SendStreamingMessage") {
				return internal
			}
			return conformantErrors.kind(c, f)
		}
	},
	"invalid-answers-are-a-fault": func(b *behaviour) {
		b.errors.kind = func(c *call, f *failure) *errorKind {
			if message, is := c.params["message"].(object); is && f.kind == invalidParams && message["taskId"] != nil && isOp(c, "SendMessage") {
				return internal
			}
			return conformantErrors.kind(c, f)
		}
	},
	"configs-of-other-tasks-are-a-fault": func(b *behaviour) {
		b.push.missing = func(c *call, task, id string) *failure {
			for other, list := range c.s.push {
				if other != task && slices.ContainsFunc(list, func(p *pushConfig) bool { return p.id == id }) {
					return fail(internal, "something went wrong here")
				}
			}
			return conformantPush.missing(c, task, id)
		}
	},
	"deleted-configs-are-a-fault": func(b *behaviour) {
		deleted := map[[2]string]bool{} // by task and id, guarded by the lock
		b.push.removes = func(c *call, task, id string) bool {
			found := conformantPush.removes(c, task, id)
			if found {
				deleted[[2]string{task, id}] = true
			}
			return found
		}
		b.push.missing = func(c *call, task, id string) *failure {
			if deleted[[2]string{task, id}] {
				return fail(internal, "something went wrong here")
			}
			return conformantPush.missing(c, task, id)
		}
	},
	"cancels-of-ended-tasks-are-a-fault": func(b *behaviour) {
		b.tasks.cancels = func(c *call, t *task) *failure {
			if f := conformantTasks.cancels(c, t); f != nil {
				return fail(internal, "something went wrong here")
			}
			return nil
		}
	},
}
