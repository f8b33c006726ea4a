// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"sync"
	"time"
	"unicode/utf8"
)

// unnoticedFaults are what whoever writes a server hardly notices: each shows only in one order of requests, or in one
// kind of output.
var unnoticedFaults = map[string]func(*Behaviour){
	"unfinished-characters-wait": func(b *Behaviour) {
		var held sync.Map // by session
		b.terminal.output = func(s *session, data []byte) []byte {
			if before, is := held.Load(s); is {
				data = append(before.([]byte), data...)
			}
			whole := data[:len(data)-unfinished(data)]
			held.Store(s, append([]byte(nil), data[len(whole):]...))
			return whole
		}
	},
	"anchors-are-of-output-only": func(b *Behaviour) {
		b.terminal.keyframe = func(s *session, payload map[string]any) {
			payload["anchor_sequence"] = uint64(0)
			for _, k := range s.log.frames {
				if k.frame.kind == kindOutput {
					payload["anchor_sequence"] = k.frame.sequence
				}
			}
		}
	},
	"later-controllers-resize": func(b *Behaviour) {
		b.join.resizes = func(_ *session, j *joining) bool { return j.c.controller }
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
	"seventeenth-read-at-once-is-dropped": func(b *Behaviour) {
		const most, within, dropped = 16, time.Second, "dropped"
		var mu sync.Mutex
		came := map[*connection][]time.Time{}
		unknown := b.tasks.unknown
		b.reading.sequence = func(c *connection, r *request) {
			if r.op != "GetTask" {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			at := time.Now()
			for len(came[c]) > 0 && at.Sub(came[c][0]) > within {
				came[c] = came[c][1:]
			}
			if len(came[c]) >= most {
				r.op = dropped
				return
			}
			came[c] = append(came[c], at)
		}
		b.tasks.unknown = func(c *connection, r *request) *frameError {
			if r.op == dropped {
				return nil
			}
			return unknown(c, r)
		}
	},
	"unsubscribe-leaves-streams-open": func(b *Behaviour) {
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
				c.say(reply("Unsubscribe.Response", r.id, map[string]any{}))
				return
			}
			unsub(c, r, id)
		}
	},
	"roles-asked-for-again-take-places": func(b *Behaviour) {
		taken := map[*session]int{}
		var mu sync.Mutex
		request := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			if controller && c.controller {
				mu.Lock()
				taken[s]++
				mu.Unlock()
			}
			return request(s, c, controller)
		}
		b.roles.hasRoom = func(s *session) bool {
			mu.Lock()
			defer mu.Unlock()
			return s.members.controllers()+taken[s] < s.hub.limits.controllers
		}
	},
}

// unfinished is how many bytes at the end begin a character and do not end it.
func unfinished(data []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(data)); n++ {
		if tail := data[len(data)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			return 0
		}
	}
	return 0
}

// againFaults show only when there is a second subscription, or nothing to replay.
var againFaults = map[string]func(*Behaviour){
	"unsubscribe-ends-all-subscriptions": func(b *Behaviour) {
		b.tasks.unsub = func(c *connection, r *request, id string) {
			c.session.mu.Lock()
			clear(c.subscribed)
			c.session.mu.Unlock()
			conformantTasks.unsub(c, r, id)
		}
	},
	"replay-from-the-head-repeats-a-frame": func(b *Behaviour) {
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			frames, lost := conformantReplay.since(s, c, from)
			if !lost && len(frames) == 0 && from > 0 {
				return conformantReplay.since(s, c, from-1)
			}
			return frames, lost
		}
	},
}
