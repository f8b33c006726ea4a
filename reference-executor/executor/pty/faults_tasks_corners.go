// SPDX-License-Identifier: Apache-2.0

package pty

import "sync"

// taskCornerFaults keep the contract for the usual task on a terminal's connection, and break it for another: the second of two, that of another client.
var taskCornerFaults = map[string]func(*Behaviour){
	"last-updates-have-no-parameters": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.op != opUpdate {
				return
			}
			shown, _ := f.payload["task"].(map[string]any)["status"].(map[string]any)
			if state, _ := shown["state"].(string); state == "completed" || state == "failed" || state == canceled {
				delete(env, "service_parameters")
			}
		})
	},
	"listtasks-pages-without-end": func(b *Behaviour) {
		b.tasks.list = func(*connection, Query) ([]Task, string, *Refusal) { return nil, "next", nil }
	},
	"params-of-the-newest-connection": func(b *Behaviour) {
		var newest sync.Map // by session
		params, update := b.reading.params, b.tasks.update
		b.reading.params = func(c *connection, r *request) {
			params(c, r)
			if !c.begun && r.params != nil {
				newest.Store(c.session, r.params)
			}
		}
		b.tasks.update = func(c *connection, params map[string]any) {
			update(c, params)
			newest.Store(c.session, params)
		}
		stamped := b.tasks.stamped
		b.tasks.stamped = func(c *connection) map[string]any {
			if params, found := newest.Load(c.session); found {
				return params.(map[string]any)
			}
			return stamped(c)
		}
	},
	"unsubscribe-is-for-everyone": func(b *Behaviour) {
		real := b.tasks.unsub
		b.tasks.unsub = func(c *connection, r *request, id string) {
			c.session.mu.Lock()
			for _, other := range c.session.connections {
				delete(other.subscribed, id)
			}
			c.session.mu.Unlock()
			real(c, r, id)
		}
	},
	"parameters-only-on-own-cancels": func(b *Behaviour) {
		var by sync.Map // connections, by task
		real, envelope := b.tasks.cancel, b.outgoing.envelope
		b.tasks.cancel = func(c *connection, id string) (Task, *Refusal) {
			by.Store(id, c)
			return real(c, id)
		}
		b.outgoing.envelope = func(c *connection, d delivery, env map[string]any) {
			envelope(c, d, env)
			if d.frame.op != opUpdate {
				return
			}
			task, _ := d.frame.payload["task"].(map[string]any)
			status, _ := task["status"].(map[string]any)
			if one, _ := by.Load(d.frame.task); status["state"] == canceled && one != c {
				delete(env, "service_parameters")
			}
		}
	},
	"unsubscribe-leaves-streams-open": leaves(true, answersOnly),
	"unsubscribe-ends-all-subscriptions": func(b *Behaviour) {
		b.tasks.unsub = func(c *connection, r *request, id string) {
			c.session.mu.Lock()
			clear(c.subscribed)
			c.session.mu.Unlock()
			conformantTasks.unsub(c, r, id)
		}
	},
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
