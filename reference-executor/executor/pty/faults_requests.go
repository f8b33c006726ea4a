// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

// requestFaults are about what is asked for in another way than usual: without what it needs, once too often, by an old
// clock, in several parts, in small pages.
var requestFaults = map[string]func(*Behaviour){
	"unsubscribe-needs-no-task": func(b *Behaviour) {
		was := b.tasks.noTask
		b.tasks.noTask = func(c *connection, r *request, err *frameError) *frameError {
			if r.op != "Unsubscribe" {
				return was(c, r, err)
			}
			c.say(reply("Unsubscribe.Response", r.id, map[string]any{}))
			return &frameError{silent: true}
		}
	},
	"parameters-to-be-updated-may-be-missing": func(b *Behaviour) {
		b.editRequest("UpdateServiceParameters", func(payload map[string]any) {
			if payload["service_parameters"] == nil {
				payload["service_parameters"] = map[string]any{}
			}
		})
	},
	"old-requests-about-tasks-are-stale":     timely(func(age time.Duration) bool { return age > 24*time.Hour }),
	"early-requests-about-tasks-are-refused": timely(func(age time.Duration) bool { return age < -24*time.Hour }),
	"third-error-ends-the-connection": func(b *Behaviour) {
		third := everyOf(3)
		was := b.errors.after
		b.errors.after = func(c *connection) {
			if was(c); third(c) {
				c.end(closeBadEnvelope, "too many errors")
			}
		}
	},
	"frames-of-executors-are-ignored": func(b *Behaviour) {
		was := b.tasks.unknown
		b.tasks.unknown = func(c *connection, r *request) *frameError {
			if strings.HasSuffix(r.op, ".Response") || strings.HasSuffix(r.op, ".Accepted") || r.op == opUpdate {
				return &frameError{silent: true}
			}
			return was(c, r)
		}
	},
	"pages-of-one-task-have-the-default-size": func(b *Behaviour) {
		was := b.tasks.list
		b.tasks.list = func(c *connection, q Query) ([]Task, string, *Refusal) {
			if q.Limit <= 1 {
				q.Limit = defaultPage
			}
			return was(c, q)
		}
	},
	"messages-of-several-parts-get-a-task-without-status": func(b *Behaviour) {
		var several sync.Map // tasks
		send, shown := b.tasks.send, b.tasks.shown
		b.tasks.send = func(c *connection, message map[string]any, r *request) (Task, *Refusal) {
			t, p := send(c, message, r)
			if parts, _ := message["parts"].([]any); len(parts) > 1 {
				several.Store(t.ID, true)
			}
			return t, p
		}
		b.tasks.shown = func(c *connection, op string, t Task, rendered map[string]any) map[string]any {
			rendered = shown(c, op, t, rendered)
			if _, is := several.Load(t.ID); is && op == "SendMessage" {
				return without(rendered, "status")
			}
			return rendered
		}
	},
	"tasks-are-found-by-their-beginning": func(b *Behaviour) {
		was := b.tasks.get
		b.tasks.get = func(c *connection, id string) (Task, bool) {
			if t, found := was(c, id); found || len(id) < 16 {
				return t, found
			}
			tasks, _, _ := c.session.instance.Tasks(Query{Limit: maxPage})
			if i := slices.IndexFunc(tasks, func(t Task) bool { return strings.HasPrefix(t.ID, id) }); i >= 0 {
				return tasks[i], true
			}
			return Task{}, false
		}
	},
	"pongs-are-text": func(b *Behaviour) {
		b.wire.pong = func(ping []byte) []byte { return []byte(strings.ToValidUTF8(string(ping), "\uFFFD")) }
	},
	"operations-are-trimmed": func(b *Behaviour) {
		was := b.reading.sequence
		b.reading.sequence = func(c *connection, r *request) {
			was(c, r)
			r.op = strings.TrimSpace(r.op)
		}
	},
	"pings-of-binary-clients-get-an-empty-pong": func(b *Behaviour) {
		real := b.outgoing.line
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			if c.binary && d.control != nil && d.control.Opcode == ws.OpPong {
				d.control = &websocket.Message{Opcode: ws.OpPong}
			}
			return real(c, d)
		}
	},
	"unknown-operations-of-binary-clients-are-ignored": func(b *Behaviour) {
		real := b.tasks.unknown
		b.tasks.unknown = func(c *connection, r *request) *frameError {
			if c.binary {
				return &frameError{silent: true}
			}
			return real(c, r)
		}
	},
	"every-other-message-gets-a-task-without-status": everyOtherShown("SendMessage", func(rendered map[string]any) { delete(rendered, "status") }),
	"terminals-show-times-in-words": shownBy("GetTask", func(rendered map[string]any) {
		if status, is := rendered["status"].(map[string]any); is {
			status["timestamp"] = "just now"
		}
	}),
	"terminals-show-contexts-as-numbers": shownBy("GetTask", func(rendered map[string]any) { rendered["contextId"] = 7 }),
	"messages-sent-at-once-are-taken-for-one": newestTask("SendMessage", func(c *connection, r *request, t Task) {
		c.say(reply("SendMessage.Response", r.id, map[string]any{"task": c.rendered(r.op, t, -1)}))
	}),
}

// timely refuses operations of some age by the clock of the client.
func timely(refused func(age time.Duration) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			if !strings.HasPrefix(r.op, "pty.") && !r.ts.IsZero() && refused(time.Since(r.ts)) {
				return badRequest("ts is not of this time")
			}
			return was(c, r)
		}
	}
}

// ListsOfSendersBySession has ListTasks name only what was begun in the session, for connections that have begun something
// themselves. That is half of a fault, as [ListsBySession] is.
func ListsOfSendersBySession(b *Behaviour) {
	made := madeBySending(b, "")
	was := b.tasks.list
	b.tasks.list = func(c *connection, q Query) ([]Task, string, *Refusal) {
		tasks, next, p := was(c, q)
		sends := false
		made.Range(func(_, by any) bool {
			sends = by == c
			return !sends
		})
		if !sends {
			return tasks, next, p
		}
		return slices.DeleteFunc(tasks, func(t Task) bool {
			by, ours := made.Load(t.ID)
			return !ours || by.(*connection).session != c.session
		}), next, p
	}
}

// newestTask has an operation take a while to answer its message, and then answer with the newest task of the connection.
func newestTask(name string, answer func(c *connection, r *request, t Task)) func(*Behaviour) {
	return func(b *Behaviour) {
		var newest sync.Map // tasks, by connection
		b.setOperation(name, func(op operation) operation {
			op.run = func(c *connection, r *request) *frameError {
				t, err := c.sendMessage(r)
				if err != nil {
					return err
				}
				newest.Store(c, t)
				c.hub.run(func() {
					if c.hub.pause(meanwhile) {
						t, _ := newest.Load(c)
						answer(c, r, t.(Task))
					}
				})
				return nil
			}
			return op
		})
	}
}

// meanwhile is how long something takes during which a client that does not wait asks for the next thing.
const meanwhile = 50 * time.Millisecond
