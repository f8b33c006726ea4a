// SPDX-License-Identifier: Apache-2.0

package pty

import "sync"

// taskCornerFaults keep the contract for the usual task on a terminal's connection, and break it for another: the second of two, that of another client.
var taskCornerFaults = map[string]func(*Behaviour){
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
	"unsubscribe-leaves-streams-open": leavesStream(func(c *connection, r *request, _ string) {
		c.say(reply("Unsubscribe.Response", r.id, map[string]any{}))
	}),
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

// leavesStream does something else where the connection that has begun the stream of a task unsubscribes from it.
func leavesStream(instead func(c *connection, r *request, id string)) func(*Behaviour) {
	return func(b *Behaviour) {
		type stream struct {
			c    *connection
			task string
		}
		var streams sync.Map
		first, unsub := b.tasks.first, b.tasks.unsub
		b.tasks.first = func(c *connection, t Task, accept, follow func()) {
			streams.Store(stream{c, t.ID}, true)
			first(c, t, accept, follow)
		}
		b.tasks.unsub = func(c *connection, r *request, id string) {
			if _, is := streams.Load(stream{c, id}); is {
				instead(c, r, id)
				return
			}
			unsub(c, r, id)
		}
	}
}
