// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"fmt"
	"sync"
)

// securityTaskFaults show tasks to those whose tasks they are not.
var securityTaskFaults = map[string]func(*behaviour){
	"ended-tasks-of-others-cannot-be-canceled": othersHear("CancelTask", func(c *call, t *task, f *failure) *failure {
		if refused := c.s.b.tasks.cancels(c, t); refused != nil {
			return refused
		}
		return f
	}),
	"ended-tasks-of-others-cannot-be-subscribed": othersHear("SubscribeToTask", func(c *call, t *task, f *failure) *failure {
		if refused := c.s.b.stream.opens(c, t); refused != nil {
			return refused
		}
		return f
	}),
	"states-open-the-list": func(b *behaviour) {
		b.list.owned = func(c *call, q query, t *task) bool { return q.state != "" || conformantList.owned(c, q, t) }
	},
	"tasks-of-others-are-forbidden": othersHear("GetTask", func(_ *call, t *task, _ *failure) *failure {
		return fail(forbidden, "the task is not yours").about(t.id)
	}),
	"tasks-of-others-are-named": othersHear("GetTask", func(_ *call, _ *task, f *failure) *failure {
		f.message += ": it belongs to somebody else"
		return f
	}),
	"tasks-of-others-tell-their-context": othersHear("GetTask", func(_ *call, t *task, f *failure) *failure {
		f.metadata = map[string]string{"taskId": t.id, "contextId": t.context}
		return f
	}),
	"tasks-of-others-are-shown": anybodys("GetTask"),
	"anybody-cancels":           anybodys("CancelTask"),
	"anybody-cancels-and-is-told-otherwise": othersHear("CancelTask", func(c *call, t *task, f *failure) *failure {
		if !terminal(t.state) {
			t.cancel()
			c.s.enter(t, canceled, "")
		}
		return f
	}),
	"anybody-subscribes":                  anybodys("SubscribeToTask"),
	"anybody-configures-push":             anybodys("CreateTaskPushNotificationConfig"),
	"anybody-lists-push-configurations":   anybodys("ListTaskPushNotificationConfigs"),
	"anybody-deletes-push-configurations": anybodys("DeleteTaskPushNotificationConfig"),
	"anybody-reads-push-configurations": func(b *behaviour) {
		anybodys("GetTaskPushNotificationConfig")(b)
		b.push.missing = func(c *call, task, _ string) *failure {
			return fail(taskNotFound, "there is no task of that id").about(task)
		} // so that no configuration tells nothing
	},
	"reading-push-configurations-shows-that-a-task-is-there": othersHear("GetTaskPushNotificationConfig", func(_ *call, t *task, _ *failure) *failure {
		return fail(forbidden, "the task is not yours").about(t.id)
	}),
	"anybody-continues": anybodys("SendMessage"),
	"messages-with-one-id-have-one-task": func(b *behaviour) {
		tasks := map[string]string{} // by messageId; the lock of the server is held whenever they are asked for
		again := func(c *call) bool {
			message, _ := c.params["message"].(object)
			return isOp(c, "SendMessage") && message["taskId"] == nil
		}
		b.tasks.id = func(c *call, message object) string {
			id := conformantTasks.id(c, message)
			tasks[fmt.Sprint(message["messageId"])] = id
			return id
		}
		b.tasks.names = func(c *call, message object) string {
			if again(c) {
				return tasks[fmt.Sprint(message["messageId"])]
			}
			return conformantTasks.names(c, message)
		}
		b.security.owns = func(c *call, t *task) bool { return again(c) || conformantSecurity.owns(c, t) }
		b.tasks.closed = func(c *call, t *task) *failure {
			if again(c) {
				return nil
			}
			return conformantTasks.closed(c, t)
		}
	},
	"anybody-continues-and-is-told-otherwise": othersHear("SendMessage", func(c *call, t *task, f *failure) *failure {
		if message, ok := c.params["message"].(object); ok {
			c.s.file(c, t, clone(message).(object))
		}
		return f
	}),
	"refused-answers-of-others-are-taken": othersHear("SendMessage", func(c *call, t *task, f *failure) *failure {
		if conformantAgent.waits(t) {
			c.s.enter(t, working, "")
		}
		return f
	}),
	"lists-have-the-tasks-of-all": func(b *behaviour) { b.list.owned = func(*call, query, *task) bool { return true } },
	"totals-count-the-tasks-of-all": func(b *behaviour) {
		b.list.answer = func(c *call, q query, v object) object {
			if q.context == "" {
				v["totalSize"] = c.s.count(func(*task) bool { return true })
			}
			return v
		}
	},
	"totals-count-what-others-have-as-well": func(b *behaviour) {
		b.list.answer = func(c *call, q query, v object) object {
			v["totalSize"] = c.s.count(func(t *task) bool { return conformantList.matches(c, q, t) })
			return v
		}
	},
	"contexts-open-the-list": func(b *behaviour) {
		b.list.owned = func(c *call, q query, t *task) bool { return q.context != "" || t.owner == c.who.name }
	},
	"contexts-show-who-began-them-all": func(b *behaviour) {
		b.list.owned = func(c *call, q query, t *task) bool {
			return t.owner == c.who.name || q.context != "" && first(c.s, t.context).owner == c.who.name
		}
	},
	"contexts-are-counted": func(b *behaviour) {
		b.list.answer = func(c *call, q query, v object) object {
			if q.context != "" {
				v["totalSize"] = c.s.count(func(t *task) bool { return conformantList.matches(c, q, t) })
			}
			return v
		}
	},
	"ended-tasks-of-others-are-told-by-their-state": othersHear("SendMessage", thatItHasEnded),
	"tasks-of-others-are-shown-with-their-history": func(b *behaviour) {
		b.security.owns = func(c *call, t *task) bool {
			return isOp(c, "GetTask") && c.params["historyLength"] != nil || conformantSecurity.owns(c, t)
		}
	},
	"tasks-of-others-are-shown-while-they-are-worked-on": func(b *behaviour) {
		b.security.owns = func(c *call, t *task) bool {
			return isOp(c, "GetTask") && !terminal(t.state) || conformantSecurity.owns(c, t)
		}
	},
	"tasks-of-others-are-told-by-their-context": othersHear("SendMessage", func(c *call, t *task, f *failure) *failure {
		message, _ := c.params["message"].(object)
		if context, given := message["contextId"].(string); given && context != t.context {
			return c.s.b.tasks.mismatch(c, t, context)
		}
		return f
	}),
	"webhooks-of-ended-tasks-of-others-are-refused-otherwise": othersHear("CreateTaskPushNotificationConfig", thatItHasEnded),
	"contexts-are-listed-to-all-who-have-a-task-in-them": func(b *behaviour) {
		b.list.owned = func(c *call, q query, t *task) bool {
			if q.context != "" && t.context == q.context {
				for _, other := range c.s.tasks {
					if other.context == q.context && other.owner == c.who.name {
						return true
					}
				}
			}
			return conformantList.owned(c, q, t)
		}
	},
	"refused-messages-to-others-leave-their-webhook": refusedToOthers("SendMessage", func(c *call, t *task) {
		configuration, _ := c.params["configuration"].(object)
		given, _ := configuration["taskPushNotificationConfig"].(object)
		if p, f := c.s.b.push.reads(c, given, ""); given != nil && f == nil {
			p.task = t.id
			c.s.addConfig(p)
		}
	}),
	"page-tokens-open-the-list-of-their-owner": func(b *behaviour) {
		var owners sync.Map // by token
		owner := func(q query) query {
			if name, known := owners.Load(q.pageToken); known {
				q.owner = name.(string)
			}
			return q
		}
		b.list.token = func(s *Server, q query, at position) string {
			q = owner(q)
			token := conformantList.token(s, q, at)
			owners.Store(token, q.owner)
			return token
		}
		b.list.position = func(s *Server, q query) (position, *failure) { return conformantList.position(s, owner(q)) }
		b.list.owned = func(_ *call, q query, t *task) bool { return t.owner == owner(q).owner }
	},
	"later-pages-have-the-tasks-of-all": func(b *behaviour) {
		b.list.owned = func(c *call, q query, t *task) bool { return q.pageToken != "" || conformantList.owned(c, q, t) }
	},
	"references-to-foreign-tasks-are-told-from-unknown-ones": func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			references, _ := message["referenceTaskIds"].([]any)
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			for _, id := range references {
				if id, is := id.(string); is && c.s.tasks[id] == nil {
					return conformantTasks.missing(c, id)
				}
			}
			return nil
		}
	},
}

// anybodys lets everybody at every task in one operation.
func anybodys(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.security.owns = func(c *call, t *task) bool {
			return c.op.name == operation || conformantSecurity.owns(c, t)
		}
	}
}

// othersHear changes what the caller of one operation is told of the task of another. The lock is held.
func othersHear(operation string, told func(c *call, t *task, f *failure) *failure) func(*behaviour) {
	return func(b *behaviour) {
		b.security.hidden = func(c *call, t *task, f *failure) *failure {
			if c.op.name != operation {
				return f
			}
			return told(c, t, f)
		}
	}
}

// count counts tasks, whosever they are.
func (s *Server) count(which func(t *task) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, t := range s.tasks {
		if which(t) {
			n++
		}
	}
	return n
}

// thatItHasEnded refuses what is asked of an ended task, whosever it is, as its owner is refused.
func thatItHasEnded(_ *call, t *task, f *failure) *failure {
	if terminal(t.state) {
		return fail(unsupportedOperation, "the task has ended").about(t.id)
	}
	return f
}

// first is the oldest task of a context; the lock is held.
func first(s *Server, context string) *task {
	var oldest *task
	for _, t := range s.tasks {
		if t.context == context && (oldest == nil || t.created.Before(oldest.created)) {
			oldest = t
		}
	}
	return oldest
}
