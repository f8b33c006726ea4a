// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// taskFaults are about tasks over the binding, and service parameters.
var taskFaults = map[string]func(*Behaviour){
	"sendmessage-without-status": func(b *Behaviour) {
		b.tasks.shown = func(_ *connection, op string, _ Task, rendered map[string]any) map[string]any {
			if op != "SendMessage" {
				return rendered
			}
			return without(rendered, "status")
		}
	},
	"task-not-stored": func(b *Behaviour) {
		made := madeBySending(b, "SendMessage")
		was := b.tasks.get
		b.tasks.get = func(c *connection, id string) (Task, bool) {
			if _, forgotten := made.Load(id); forgotten {
				return Task{}, false
			}
			return was(c, id)
		}
	},
	"ws-tasks-separate": func(b *Behaviour) {
		made := madeBySending(b, "")
		was := b.tasks.get
		b.tasks.get = func(c *connection, id string) (Task, bool) {
			if _, ours := made.Load(id); !ours {
				return Task{}, false
			}
			return was(c, id)
		}
	},
	"accepted-camel-case": func(b *Behaviour) {
		b.tasks.accepted = func(payload map[string]any) map[string]any {
			if id, given := payload["task_id"]; given {
				return map[string]any{"taskId": id}
			}
			return payload
		}
	},
	"update-before-accepted": func(b *Behaviour) {
		b.tasks.first = func(c *connection, t Task, accept, follow func()) {
			follow()
			c.session.emit(c.b.tasks.updateFrame(t))
			accept()
		}
	},
	"delta-missing": func(b *Behaviour) {
		b.tasks.payload = func(payload map[string]any) { delete(payload, "delta") }
	},
	"update-after-terminal": func(b *Behaviour) {
		b.tasks.ended = func(s *session, t Task) {
			f := s.b.tasks.updateFrame(t)
			if status, is := f.payload["delta"].(map[string]any)["status"].(map[string]any); is { // which the task shares
				status["state"] = working
				delete(status, "terminal_at")
			}
			s.emit(f)
		}
	},
	"gettask-wrong-task": func(b *Behaviour) {
		was := b.tasks.get
		b.tasks.get = func(c *connection, id string) (Task, bool) {
			t, found := was(c, id)
			if newest, _, p := c.session.instance.Tasks(Query{Limit: 1}); found && p == nil && len(newest) > 0 {
				return newest[0], true
			}
			return t, found
		}
	},
	"gettask-always-with-history": func(b *Behaviour) {
		b.tasks.shown = func(_ *connection, op string, t Task, rendered map[string]any) map[string]any {
			if op != "GetTask" {
				return rendered
			}
			return t.Render(-1, nil)
		}
	},
	"listtasks-token-is-an-object": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.op == "ListTasks.Response" {
				payload := maps.Clone(f.payload)
				payload["next_page_token"] = map[string]any{"token": f.payload["next_page_token"]}
				env["payload"] = payload
			}
		})
	},
	"later-clients-get-one-page": forLatecomers(func(f *frame, env map[string]any) {
		if f.op == "ListTasks.Response" {
			env["payload"] = without(f.payload, "next_page_token")
		}
	}),
	"listtasks-omits-new": func(b *Behaviour) {
		made := madeBySending(b, "")
		was := b.tasks.list
		b.tasks.list = func(c *connection, q Query) ([]Task, string, *Refusal) {
			tasks, next, p := was(c, q)
			return slices.DeleteFunc(tasks, func(t Task) bool {
				by, _ := made.Load(t.ID)
				return by == c
			}), next, p
		}
	},
	"page-size-ignored": func(b *Behaviour) {
		b.tasks.list = func(c *connection, q Query) ([]Task, string, *Refusal) {
			q.Limit, q.Cursor = 1<<20, ""
			tasks, _, p := c.session.instance.Tasks(q)
			return tasks, "", p
		}
	},
	"cancel-stale-snapshot": func(b *Behaviour) {
		was := b.tasks.cancel
		b.tasks.cancel = func(c *connection, id string) (Task, *Refusal) {
			before, _ := c.session.instance.Task(id)
			if t, p := was(c, id); p != nil {
				return t, p
			}
			return before, nil
		}
	},
	"cancel-silent": func(b *Behaviour) {
		b.tasks.announces = func(_ *session, t Task) bool { return t.State != canceled }
	},
	"subscribe-without-sequence": func(b *Behaviour) {
		b.tasks.accepted = func(payload map[string]any) map[string]any { return without(payload, "current_sequence") }
	},
	"subscription-expires": func(b *Behaviour) {
		b.tasks.receives = func(c *connection, f *frame) bool {
			since := c.subscribed[f.task]
			return !since.IsZero() && time.Since(since) < c.hub.pingEvery()/6 // five seconds, with the usual pings
		}
	},
	"unsubscribe-silent": func(b *Behaviour) {
		b.tasks.unsub = func(c *connection, _ *request, id string) { c.session.unsubscribe(c, id) }
	},
	"unsubscribe-ignored": func(b *Behaviour) {
		b.tasks.unsub = func(c *connection, r *request, _ string) {
			c.say(reply("Unsubscribe.Response", r.id, map[string]any{}))
		}
	},
	"push-ops-silent": func(b *Behaviour) {
		silentWhen(b, func(op string) bool { return strings.Contains(op, "PushNotificationConfig") })
	},
	"unknown-op-ignored": func(b *Behaviour) {
		silentWhen(b, func(op string) bool { return !strings.Contains(op, "PushNotificationConfig") })
	},
	"subscribe-unknown-accepted": func(b *Behaviour) {
		was := b.tasks.subscribe
		b.tasks.subscribe = func(c *connection, r *request, id string) bool {
			if !was(c, r, id) {
				c.say(reply("SubscribeToTask.Accepted", r.id, map[string]any{"current_sequence": c.session.newest()}))
			}
			return true
		}
	},
	"cancel-twice-ok": func(b *Behaviour) {
		was := b.tasks.cancel
		b.tasks.cancel = func(c *connection, id string) (Task, *Refusal) {
			t, p := was(c, id)
			if p == nil {
				return t, nil
			}
			if t, found := c.session.instance.Task(id); found {
				return t, nil
			}
			return t, p
		}
	},
	"subscribe-ignores-replay": func(b *Behaviour) {
		b.tasks.replays = func(*request) *uint64 { return nil }
	},
	"params-not-propagated": func(b *Behaviour) {
		b.tasks.stamped = func(*connection) map[string]any { return nil }
	},
	"params-of-an-example": func(b *Behaviour) {
		params := b.reading.params
		b.reading.params = func(c *connection, r *request) {
			params(c, r)
			if kept := c.params.Load(); kept != nil && !c.begun {
				changed := maps.Clone(*kept)
				changed["trace_id"] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" // of the W3C's recommendation
				c.params.Store(&changed)
			}
		}
	},
	"params-update-ignored": func(b *Behaviour) {
		b.tasks.update = func(*connection, map[string]any) {}
	},
}

// newest is the newest number of the counter.
func (s *session) newest() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head
}

// madeBySending remembers which connection made a task by an operation; an empty one means either of the two.
func madeBySending(b *Behaviour, op string) *sync.Map {
	made := &sync.Map{}
	was := b.tasks.send
	b.tasks.send = func(c *connection, message map[string]any, r *request) (Task, *Refusal) {
		t, p := was(c, message, r)
		if p == nil && (op == "" || op == r.op) {
			made.Store(t.ID, c)
		}
		return t, p
	}
	return made
}

// ListsBySession has ListTasks name only what was begun in the session. That is half of a fault: cards may say so, and the
// other half keeps them silent.
func ListsBySession(b *Behaviour) {
	made := madeBySending(b, "")
	was := b.tasks.list
	b.tasks.list = func(c *connection, q Query) ([]Task, string, *Refusal) {
		tasks, next, p := was(c, q)
		return slices.DeleteFunc(tasks, func(t Task) bool {
			by, ours := made.Load(t.ID)
			return !ours || by.(*connection).session != c.session
		}), next, p
	}
}

// Notes calls sent with each task that a message over a terminal begins, before it is answered, and canceled with each that is
// about to be canceled over one. It breaks nothing by itself.
func Notes(b *Behaviour, sent, canceled func(task string)) {
	send, cancel := b.tasks.send, b.tasks.cancel
	b.tasks.send = func(c *connection, message map[string]any, r *request) (Task, *Refusal) {
		t, refused := send(c, message, r)
		if refused == nil {
			sent(t.ID)
		}
		return t, refused
	}
	b.tasks.cancel = func(c *connection, id string) (Task, *Refusal) {
		canceled(id)
		return cancel(c, id)
	}
}

// silentWhen leaves operations that are not served without an answer.
func silentWhen(b *Behaviour, ignored func(op string) bool) {
	was := b.tasks.unknown
	b.tasks.unknown = func(c *connection, r *request) *frameError {
		if ignored(r.op) {
			return &frameError{silent: true}
		}
		return was(c, r)
	}
}

// errorFaults are about Error frames and what becomes of requests that fail.
var errorFaults = map[string]func(*Behaviour){
	"close-on-error": func(b *Behaviour) {
		b.errors.after = func(c *connection) { c.end(closeBadEnvelope, "an error was sent") }
	},
	"error-without-message": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, payload map[string]any) { delete(payload, "message") }
	},
	"errors-are-retryable-in-words": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, payload map[string]any) { payload["retryable"] = "no" }
	},
	"refused-hosts-are-retryable-in-words": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, payload map[string]any) {
			if code, _ := payload["code"].(string); strings.HasPrefix(code, "session_") {
				payload["retryable"] = "no"
			}
		}
	},
	"a2a-error-null": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, payload map[string]any) { payload["a2a_error"] = nil }
	},
	"a2a-error-mismatch": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, payload map[string]any) {
			payload["a2a_error"] = map[string]any{"type": "Internal", "code": -32603, "message": payload["message"]}
		}
	},
	"limit-drops-frames": func(b *Behaviour) {
		b.ending.throttled = func(*connection) *frameError { return &frameError{silent: true} }
		b.upgrade.limit = func(*upgrade) *Refusal { return nil }
	},
	"internal-hang": func(b *Behaviour) {
		b.ending.internal = func(*connection) *frameError { return &frameError{silent: true} }
	},
	"close-code-4999": func(b *Behaviour) {
		b.wire.closeCode = func(code int) int {
			if code == closeNormal || code == closeInternal {
				return code
			}
			return 4999
		}
	},
}
