// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// taskFaults are about tasks over the binding.
var taskFaults = map[string]func(*Behaviour){
	"walks-of-a-session-share-their-place": func(b *Behaviour) {
		var places sync.Map // the cursor, by session
		real := b.tasks.list
		b.tasks.list = func(c *connection, q Query) ([]Task, string, *Refusal) {
			if place, is := places.Load(c.session); is && q.Cursor != "" && place != "" {
				q.Cursor = place.(string)
			}
			tasks, next, p := real(c, q)
			places.Store(c.session, next)
			return tasks, next, p
		}
	},
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
		listsWithout(b, func(c, by *connection) bool { return by == c })
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
	"unsubscribe-ends-the-only-subscription": func(b *Behaviour) {
		real := b.tasks.unsub
		b.tasks.unsub = func(c *connection, r *request, id string) {
			c.session.mu.Lock()
			several := len(c.subscribed) > 1
			c.session.mu.Unlock()
			if several {
				answersOnly(c, r, id)
				return
			}
			real(c, r, id)
		}
	},
	"second-messages-are-of-their-connection-alone": func(b *Behaviour) {
		var sent, owners sync.Map // connections; of tasks
		send, get := b.tasks.send, b.tasks.get
		b.tasks.send = func(c *connection, message map[string]any, r *request) (Task, *Refusal) {
			t, refused := send(c, message, r)
			if _, again := sent.LoadOrStore(c, true); again && refused == nil && r.op == "SendMessage" {
				owners.LoadOrStore(t.ID, c)
			}
			return t, refused
		}
		b.tasks.get = func(c *connection, id string) (Task, bool) {
			if owner, owned := owners.Load(id); owned && owner != c {
				return Task{}, false
			}
			return get(c, id)
		}
	},
	"tasks-canceled-over-rest-are-canceled-again": func(b *Behaviour) {
		var here sync.Map // tasks
		was := b.tasks.cancel
		b.tasks.cancel = func(c *connection, id string) (Task, *Refusal) {
			_, again := here.LoadOrStore(id, true)
			if t, known := c.b.tasks.get(c, id); known && t.State == canceled && !again {
				return t, nil
			}
			return was(c, id)
		}
	},
	"streams-are-left-without-an-answer": leaves(true, func(c *connection, _ *request, id string) { c.session.unsubscribe(c, id) }),
	"terminals-list-times-as-null": shownBy("ListTasks", func(rendered map[string]any) {
		if status, is := rendered["status"].(map[string]any); is {
			status["timestamp"] = nil
		}
	}),
	"every-other-task-read-has-no-state": everyOtherShown("GetTask", withoutState),
	"every-other-canceled-task-is-at-work": everyOtherShown("CancelTask", func(rendered map[string]any) {
		if status, is := rendered["status"].(map[string]any); is {
			status["state"] = working
		}
	}),
	"terminals-show-ended-tasks-of-rest-at-work": func(b *Behaviour) {
		made := madeBySending(b, "")
		b.tasks.shown = func(_ *connection, op string, t Task, rendered map[string]any) map[string]any {
			if _, here := made.Load(t.ID); op == "GetTask" && !here {
				reopened(working)(rendered)
			}
			return rendered
		}
	},
	"terminals-list-ended-tasks-as-submitted": shownBy("ListTasks", reopened("submitted")),
	"listed-tasks-of-terminals-have-no-state": shownBy("ListTasks", withoutState),
	"deltas-of-later-tasks-are-empty": func(b *Behaviour) {
		var first atomic.Value
		b.tasks.payload = func(payload map[string]any) {
			delta, _ := payload["delta"].(map[string]any)
			first.CompareAndSwap(nil, delta["taskId"])
			if delta["taskId"] != first.Load() {
				delta["status"] = map[string]any{}
			}
		}
	},
	"listtasks-pages-without-end": func(b *Behaviour) {
		b.tasks.list = func(*connection, Query) ([]Task, string, *Refusal) { return nil, "next", nil }
	},
	"unsubscribe-leaves-streams-open": leaves(true, answersOnly),
	"cancels-of-others-do-nothing": func(b *Behaviour) {
		var makers, feigned sync.Map // connections, by task; tasks
		send, cancel, shown := b.tasks.send, b.tasks.cancel, b.tasks.shown
		b.tasks.send = func(c *connection, message map[string]any, r *request) (Task, *Refusal) {
			t, p := send(c, message, r)
			makers.LoadOrStore(t.ID, c)
			return t, p
		}
		b.tasks.cancel = func(c *connection, id string) (Task, *Refusal) {
			if maker, known := makers.Load(id); known && maker != c {
				if t, found := b.tasks.get(c, id); found && !t.Over {
					feigned.Store(id, true)
					return t, nil
				}
			}
			return cancel(c, id)
		}
		b.tasks.shown = func(c *connection, op string, t Task, rendered map[string]any) map[string]any {
			if _, is := feigned.Load(t.ID); is && op == "CancelTask" {
				rendered["status"].(map[string]any)["state"] = canceled
			}
			return shown(c, op, t, rendered)
		}
	},
	"streams-begun-at-once-are-taken-for-one":          newestTask("SendStreamingMessage", func(c *connection, r *request, t Task) { c.session.stream(c, r, t) }),
	"tasks-read-at-once-are-the-last-one":              newestPayload("GetTask"),
	"tasks-canceled-at-once-are-the-last-one":          newestPayload("CancelTask"),
	"updates-overtake-on-connections-with-a-stream":    overtaking(1),
	"updates-overtake-on-connections-with-two-streams": overtaking(2),
	"subscriptions-bring-back-what-was-unsubscribed": func(b *Behaviour) {
		var gone sync.Map
		unsub, subscribe := b.tasks.unsub, b.tasks.subscribe
		b.tasks.unsub = func(c *connection, r *request, id string) {
			gone.Store(follower{c, id}, true)
			unsub(c, r, id)
		}
		b.tasks.subscribe = func(c *connection, r *request, id string) bool {
			known := subscribe(c, r, id)
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			gone.Range(func(k, _ any) bool {
				if f := k.(follower); f.c == c {
					c.subscribed[f.task] = time.Now()
				}
				return true
			})
			return known
		}
	},
	"unsubscribe-ends-streams-only": leaves(false, answersOnly),
	"push-operations-are-answered-once": func(b *Behaviour) {
		type asked struct {
			c  *connection
			op string
		}
		var before sync.Map
		was := b.tasks.unknown
		b.tasks.unknown = func(c *connection, r *request) *frameError {
			if _, again := before.LoadOrStore(asked{c, r.op}, true); again {
				return &frameError{silent: true}
			}
			return was(c, r)
		}
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

// listsWithout has ListTasks leave out tasks, by who asks and the connection that began them with a message; nil: none did.
func listsWithout(b *Behaviour, out func(c, by *connection) bool) {
	made := madeBySending(b, "")
	was := b.tasks.list
	b.tasks.list = func(c *connection, q Query) ([]Task, string, *Refusal) {
		tasks, next, p := was(c, q)
		return slices.DeleteFunc(tasks, func(t Task) bool {
			by, _ := made.Load(t.ID)
			sender, _ := by.(*connection)
			return out(c, sender)
		}), next, p
	}
}

// ListsBySession has ListTasks name only what was begun in the session. That is half of a fault: cards may say so, and the
// other half keeps them silent.
func ListsBySession(b *Behaviour) {
	listsWithout(b, func(c, by *connection) bool { return by == nil || by.session != c.session })
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

// everyOtherShown changes every other task that an operation shows.
func everyOtherShown(operation string, change func(rendered map[string]any)) func(*Behaviour) {
	return func(b *Behaviour) {
		var n atomic.Int64
		shownBy(operation, func(rendered map[string]any) {
			if n.Add(1)%2 == 0 {
				change(rendered)
			}
		})(b)
	}
}

// shownBy changes the tasks that an operation shows.
func shownBy(operation string, change func(rendered map[string]any)) func(*Behaviour) {
	return func(b *Behaviour) {
		b.tasks.shown = func(_ *connection, op string, _ Task, rendered map[string]any) map[string]any {
			if op == operation {
				change(rendered)
			}
			return rendered
		}
	}
}

// reopened shows a canceled task in another state.
func reopened(state string) func(rendered map[string]any) {
	return func(rendered map[string]any) {
		if status, is := rendered["status"].(map[string]any); is && status["state"] == canceled {
			status["state"] = state
			delete(status, "terminal_at")
		}
	}
}

func withoutState(rendered map[string]any) {
	if status, is := rendered["status"].(map[string]any); is {
		delete(status, "state")
	}
}

// A follower is a connection that is told of a task.
type follower struct {
	c    *connection
	task string
}

// leaves does something else where a connection unsubscribes from a task whose stream it has begun, or from one that it has only subscribed to.
func leaves(begun bool, instead func(c *connection, r *request, id string)) func(*Behaviour) {
	return func(b *Behaviour) {
		var streams sync.Map
		first, unsub := b.tasks.first, b.tasks.unsub
		b.tasks.first = func(c *connection, t Task, accept, follow func()) {
			streams.Store(follower{c, t.ID}, true)
			first(c, t, accept, follow)
		}
		b.tasks.unsub = func(c *connection, r *request, id string) {
			if _, is := streams.Load(follower{c, id}); is == begun {
				instead(c, r, id)
				return
			}
			unsub(c, r, id)
		}
	}
}

// answersOnly says that a task is unsubscribed from, and goes on telling of it.
func answersOnly(c *connection, r *request, _ string) {
	c.say(reply("Unsubscribe.Response", r.id, map[string]any{}))
}

// newestPayload has an operation take a while, and then do what the newest request of the connection asks for.
func newestPayload(name string) func(*Behaviour) {
	return func(b *Behaviour) {
		var newest sync.Map // payloads, by connection
		b.setOperation(name, func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				newest.Store(c, r.payload)
				c.hub.run(func() {
					if !c.hub.pause(meanwhile) {
						return
					}
					last := *r
					payload, _ := newest.Load(c)
					last.payload = payload.(map[string]any)
					if err := run(c, &last); err != nil {
						c.refuse(r.id, err)
					}
				})
				return nil
			}
			return op
		})
	}
}

// overtaking tells of a task before its message is acknowledged, on connections that follow so many tasks or more.
func overtaking(streams int) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.tasks.first
		b.tasks.first = func(c *connection, t Task, accept, follow func()) {
			if len(c.subscribed) < streams {
				was(c, t, accept, follow)
				return
			}
			follow()
			c.session.emit(c.b.tasks.updateFrame(t))
			accept()
		}
	}
}
