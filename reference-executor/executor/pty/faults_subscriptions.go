// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"sync"
)

// subscriptionFaults are about who follows a task: a second subscription, one from the beginning, one of the connection
// that the task streams to; and the service parameters on what comes of it.
var subscriptionFaults = map[string]func(*Behaviour){
	"subscribing-again-is-not-answered": func(b *Behaviour) {
		was := b.tasks.subscribe
		b.tasks.subscribe = func(c *connection, r *request, id string) bool {
			c.session.mu.Lock()
			again := !c.subscribed[id].IsZero()
			c.session.mu.Unlock()
			return again || was(c, r, id)
		}
	},
	"unsubscribing-again-is-not-answered": func(b *Behaviour) {
		was := b.tasks.unsub
		b.tasks.unsub = func(c *connection, r *request, id string) {
			c.session.mu.Lock()
			subscribed := !c.subscribed[id].IsZero()
			c.session.mu.Unlock()
			if subscribed {
				was(c, r, id)
			}
		}
	},
	"who-cancels-is-not-told": func(b *Behaviour) {
		var by sync.Map // connections, by task
		cancel, receives := b.tasks.cancel, b.tasks.receives
		b.tasks.cancel = func(c *connection, id string) (Task, *Refusal) {
			by.Store(id, c)
			return cancel(c, id)
		}
		b.tasks.receives = func(c *connection, f *frame) bool {
			who, _ := by.Load(f.task)
			return who != c && receives(c, f)
		}
	},
	"cancels-over-rest-are-untold": func(b *Behaviour) {
		var here sync.Map // tasks
		cancel, announces := b.tasks.cancel, b.tasks.announces
		b.tasks.cancel = func(c *connection, id string) (Task, *Refusal) {
			here.Store(id, true)
			return cancel(c, id)
		}
		b.tasks.announces = func(s *session, t Task) bool {
			_, is := here.Load(t.ID)
			return announces(s, t) && (is || t.State != canceled)
		}
	},
	"unsubscribed-is-for-good": func(b *Behaviour) {
		var gone sync.Map
		unsub, receives := b.tasks.unsub, b.tasks.receives
		b.tasks.unsub = func(c *connection, r *request, id string) {
			gone.Store(follower{c, id}, true)
			unsub(c, r, id)
		}
		b.tasks.receives = func(c *connection, f *frame) bool {
			_, is := gone.Load(follower{c, f.task})
			return !is && receives(c, f)
		}
	},
	"who-unsubscribes-does-so-for-all": func(b *Behaviour) {
		var gone sync.Map // tasks
		unsub, subscribe, receives := b.tasks.unsub, b.tasks.subscribe, b.tasks.receives
		b.tasks.unsub = func(c *connection, r *request, id string) {
			gone.Store(id, true)
			unsub(c, r, id)
		}
		b.tasks.subscribe = func(c *connection, r *request, id string) bool {
			gone.Delete(id)
			return subscribe(c, r, id)
		}
		b.tasks.receives = func(c *connection, f *frame) bool {
			_, is := gone.Load(f.task)
			return !is && receives(c, f)
		}
	},
	"completions-are-told-twice": func(b *Behaviour) {
		was := b.tasks.ended
		b.tasks.ended = func(s *session, t Task) {
			was(s, t)
			if t.State == "completed" {
				s.emit(s.b.tasks.updateFrame(t))
			}
		}
	},
	"questions-are-not-told-to-terminals": func(b *Behaviour) {
		was := b.tasks.announces
		b.tasks.announces = func(s *session, t Task) bool { return was(s, t) && t.State != "input-required" }
	},
	"later-subscriptions-replace-the-first": func(b *Behaviour) {
		was := b.tasks.subscribe
		b.tasks.subscribe = func(c *connection, r *request, id string) bool {
			c.session.mu.Lock()
			clear(c.subscribed)
			c.session.mu.Unlock()
			return was(c, r, id)
		}
	},
	"streams-that-are-subscribed-to-end-twice": func(b *Behaviour) {
		type stream struct {
			c    *connection
			task string
		}
		var streams, both sync.Map
		first, subscribe, ended := b.tasks.first, b.tasks.subscribe, b.tasks.ended
		b.tasks.first = func(c *connection, t Task, accept, follow func()) {
			streams.Store(stream{c, t.ID}, true)
			first(c, t, accept, follow)
		}
		b.tasks.subscribe = func(c *connection, r *request, id string) bool {
			known := subscribe(c, r, id)
			if _, is := streams.Load(stream{c, id}); is && known {
				both.Store(id, c)
			}
			return known
		}
		b.tasks.ended = func(s *session, t Task) {
			ended(s, t)
			if c, is := both.Load(t.ID); is {
				f := s.b.tasks.updateFrame(t)
				f.only = c.(*connection)
				s.emit(f)
			}
		}
	},
	"subscribers-are-told-the-end-twice": func(b *Behaviour) {
		var streams sync.Map
		first, ended := b.tasks.first, b.tasks.ended
		b.tasks.first = func(c *connection, t Task, accept, follow func()) {
			streams.Store(follower{c, t.ID}, true)
			first(c, t, accept, follow)
		}
		b.tasks.ended = func(s *session, t Task) {
			ended(s, t)
			for _, c := range s.connections {
				if _, is := streams.Load(follower{c, t.ID}); is || c.subscribed[t.ID].IsZero() {
					continue
				}
				f := s.b.tasks.updateFrame(t)
				f.only = c
				s.emit(f)
			}
		}
	},
	"subscriptions-always-replay": func(b *Behaviour) {
		was := b.tasks.replays
		b.tasks.replays = func(r *request) *uint64 {
			if from := was(r); from != nil {
				return from
			}
			return new(uint64)
		}
	},
	"subscriptions-replay-the-terminal": func(b *Behaviour) {
		was := b.tasks.subscribe
		b.tasks.subscribe = func(c *connection, r *request, id string) bool {
			known := was(c, r, id)
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			if known && r.replayFrom != nil && !c.joined {
				frames, _ := c.session.log.since(*r.replayFrom)
				for _, f := range frames {
					if f.op == opTerminal {
						c.session.deliver(c, delivery{frame: f, replayed: true})
					}
				}
			}
			return known
		}
	},
	"joins-replay-no-updates-of-tasks": func(b *Behaviour) {
		was := b.join.replay
		b.join.replay = func(j *joining) {
			j.replay = slices.DeleteFunc(slices.Clone(j.replay), func(f *frame) bool { return f.op == opUpdate })
			was(j)
		}
	},
	"terminals-cancel-completed-tasks": func(b *Behaviour) {
		was := b.tasks.cancel
		b.tasks.cancel = func(c *connection, id string) (Task, *Refusal) {
			if t, known := c.b.tasks.get(c, id); known && t.State == "completed" {
				return t, nil
			}
			return was(c, id)
		}
	},
	"subscriptions-replay-nothing-from-0": func(b *Behaviour) {
		was := b.tasks.replays
		b.tasks.replays = func(r *request) *uint64 {
			if from := was(r); from != nil && *from > 0 {
				return from
			}
			return nil
		}
	},
	"subscriptions-replay-from-0-only": func(b *Behaviour) {
		was := b.tasks.replays
		b.tasks.replays = func(r *request) *uint64 {
			if from := was(r); from != nil && *from == 0 {
				return from
			}
			return nil
		}
	},
	"subscriptions-tell-the-head-of-the-upgrade": func(b *Behaviour) {
		var heads sync.Map // by connection
		b.hello.edit(func(c *connection, _ map[string]any) { heads.Store(c, c.session.head) })
		b.outgoing.edit(func(c *connection, f *frame, env map[string]any) {
			if head, known := heads.Load(c); known && f.op == "SubscribeToTask.Accepted" {
				env["payload"] = map[string]any{"current_sequence": head}
			}
		})
	},
	"parameters-of-joins-are-not-kept": func(b *Behaviour) {
		was := b.reading.params
		b.reading.params = func(c *connection, r *request) {
			if r.op != "pty.join_session" {
				was(c, r)
			}
		}
	},
	"subscriptions-of-binary-clients-replay-nothing": func(b *Behaviour) {
		b.tasks.subscribe = func(c *connection, r *request, id string) bool {
			if c.binary {
				without := *r
				without.replayFrom = nil
				r = &without
			}
			return c.session.subscribe(c, r, id)
		}
	},
}
