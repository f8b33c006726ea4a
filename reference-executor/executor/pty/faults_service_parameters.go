// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"maps"
	"sync"
	"sync/atomic"
)

// serviceParameterFaults are about the service parameters of a connection, and what shows them.
var serviceParameterFaults = map[string]func(*Behaviour){
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
	"updates-have-the-parameters-of-the-first-who-gets-them": func(b *Behaviour) {
		var told sync.Map // by frame
		b.outgoing.queue(func(_ *connection, d delivery) []delivery {
			if d.frame.op == opUpdate && len(d.params) > 0 {
				params, _ := told.LoadOrStore(d.frame, d.params)
				d.params = params.(map[string]any)
			}
			return []delivery{d}
		})
	},
	"later-params-updates-ignored": func(b *Behaviour) {
		var counts sync.Map // *atomic.Int64, by connection
		real := b.tasks.update
		b.tasks.update = func(c *connection, params map[string]any) {
			count, _ := counts.LoadOrStore(c, &atomic.Int64{})
			if count.(*atomic.Int64).Add(1) == 1 {
				real(c, params)
			}
		}
	},
	"parameters-of-binary-clients-are-not-kept": func(b *Behaviour) {
		real := b.reading.params
		b.reading.params = func(c *connection, r *request) {
			if !c.binary {
				real(c, r)
			}
		}
	},
	"service-params-on-streams-only": func(b *Behaviour) {
		var streams sync.Map
		first := b.tasks.first
		b.tasks.first = func(c *connection, t Task, accept, follow func()) {
			streams.Store(follower{c, t.ID}, true)
			first(c, t, accept, follow)
		}
		b.outgoing.edit(func(c *connection, f *frame, env map[string]any) {
			if f.op != opUpdate {
				return
			}
			if _, is := streams.Load(follower{c, f.task}); !is {
				delete(env, "service_parameters")
			}
		})
	},
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
}
