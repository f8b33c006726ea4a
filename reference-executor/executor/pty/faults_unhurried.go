// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"sync"
	"time"
)

// unhurriedFaults answer one request after the other, and fail clients that do not wait for the answer, or that follow more than one task.
var unhurriedFaults = map[string]func(*Behaviour){
	"streams-begun-at-once-are-taken-for-one": newestTask("SendStreamingMessage", func(c *connection, r *request, t Task) { c.session.stream(c, r, t) }),
	"messages-sent-at-once-are-taken-for-one": newestTask("SendMessage", func(c *connection, r *request, t Task) {
		c.say(reply("SendMessage.Response", r.id, map[string]any{"task": c.rendered(r.op, t, -1)}))
	}),
	"tasks-read-at-once-are-the-last-one":     newestPayload("GetTask"),
	"tasks-canceled-at-once-are-the-last-one": newestPayload("CancelTask"),
	"updates-overtake-on-connections-with-a-stream": func(b *Behaviour) {
		was := b.tasks.first
		b.tasks.first = func(c *connection, t Task, accept, follow func()) {
			if len(c.subscribed) == 0 {
				was(c, t, accept, follow)
				return
			}
			follow()
			c.session.emit(c.b.tasks.updateFrame(t))
			accept()
		}
	},
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
	"foreign-session-ignored-by-cancels": foreignSessionIgnoredBy("CancelTask"),
	"foreign-session-ignored-by-reads":   foreignSessionIgnoredBy("GetTask"),
	"subscribers-hear-the-terminal-before-they-join": func(b *Behaviour) {
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if f.op != opTerminal || f.only != nil {
				return all
			}
			return append(except(s.connections, func(c *connection) bool { return c.joined || c == f.by || len(c.subscribed) == 0 }), all...)
		})
	},
}

// meanwhile is how long something takes during which a client that does not wait asks for the next thing.
const meanwhile = 50 * time.Millisecond

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
