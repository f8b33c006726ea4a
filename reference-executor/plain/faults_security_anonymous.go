// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"strings"
)

// anonymousFaults do something for callers who do not say who they are, or tell them something, though they are refused.
var anonymousFaults = map[string]func(*behaviour){
	"refused-messages-of-anybody-are-heard": refusedToAnybody("SendMessage", func(c *call) {
		params, unread := c.s.b.rest.body(c)
		message, _ := params["message"].(object)
		id, _ := message["taskId"].(string)
		if t := c.s.tasks[id]; unread == nil && t != nil {
			c.s.file(c, t, message)
		}
	}),
	"refused-webhooks-of-anybody-are-kept": refusedToAnybody("CreateTaskPushNotificationConfig", func(c *call) {
		task, _, _ := strings.Cut(strings.TrimPrefix(c.r.URL.Path, restPath+"/tasks/"), "/")
		params, unread := c.s.b.rest.body(c)
		if unread != nil || c.s.tasks[task] == nil {
			return
		}
		if p, f := c.s.b.push.reads(c, params, ""); f == nil {
			p.task = task
			c.s.addConfig(p)
		}
	}),
	"refused-deletions-of-anybody-are-done": refusedToAnybody("DeleteTaskPushNotificationConfig", func(c *call) {
		task, id, _ := strings.Cut(strings.TrimPrefix(c.r.URL.Path, restPath+"/tasks/"), "/pushNotificationConfigs/")
		c.s.b.push.removes(c, task, id)
	}),
	"refused-cancels-with-wrong-tokens-are-done": func(b *behaviour) {
		refusedToAnybody("CancelTask", func(c *call) {
			_, given := bearer(c.r.Header)
			t := c.s.tasks[strings.TrimSuffix(strings.TrimPrefix(c.r.URL.Path, restPath+"/tasks/"), ":cancel")]
			if given && t != nil && !terminal(t.state) {
				c.s.b.tasks.cancel(c, t)
			}
		})(b)
	},
	"anonymous-callers-learn-which-tasks-could-be-spoken-to": beforeCredentials(func(c *call, f *failure) *failure {
		if t := c.spokenTo(); t != nil {
			f.message = "this task belongs to somebody who has a bearer token"
		}
		return f
	}),
	"replies-need-no-credentials": beforeCredentials(func(c *call, f *failure) *failure {
		if t := c.spokenTo(); t != nil {
			return fail(unsupportedOperation, "the task has ended and takes no more messages").about(t.id)
		}
		return f
	}),
}

// refusedToAnybody does something of an operation over HTTP+JSON before the caller is refused; the lock is held.
func refusedToAnybody(name string, do func(c *call)) func(*behaviour) {
	return beforeCredentials(func(c *call, f *failure) *failure {
		if c.binding == BindingREST && isOp(c, name) {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			do(c)
		}
		return f
	})
}

// spokenTo is the task that a message over HTTP+JSON names; nil: it names none that there is.
func (c *call) spokenTo() *task {
	if c.binding != BindingREST || !isOp(c, "SendMessage") {
		return nil
	}
	params, unread := c.s.b.rest.body(c)
	message, _ := params["message"].(object)
	id, _ := message["taskId"].(string)
	if unread != nil {
		return nil
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.s.tasks[id]
}
