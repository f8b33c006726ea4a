// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"strings"
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

// clauseFaults break one clause of what a requirement says: of the second of two, or of what another client does.
var clauseFaults = map[string]func(*Behaviour){
	"second-leaves-are-silent": func(b *Behaviour) {
		left := map[*session]int{}
		var mu sync.Mutex
		was := b.ending.left
		b.ending.left = func(s *session, c *connection) {
			mu.Lock()
			left[s]++
			second := left[s] > 1
			mu.Unlock()
			if i := slices.Index(s.members, c); second && i >= 0 {
				s.members = slices.Delete(slices.Clone(s.members), i, i+1)
				c.joined, c.controller = false, false
			}
			was(s, c)
		}
	},
	"second-replays-without-keyframe": func(b *Behaviour) {
		var replayed sync.Map
		was := b.join.repaint
		b.join.repaint = func(j *joining) {
			if j.replays && !j.lost {
				if _, again := replayed.LoadOrStore(j.session, true); again {
					return
				}
			}
			was(j)
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
	"joins-go-on-where-somebody-left": func(b *Behaviour) {
		var heads sync.Map // by session
		left, dropped, cursor := b.ending.left, b.ending.dropped, b.replay.cursor
		b.ending.left = func(s *session, c *connection) {
			heads.Store(s, s.head)
			left(s, c)
		}
		b.ending.dropped = func(s *session, c *connection) {
			heads.Store(s, s.head)
			dropped(s, c)
		}
		b.replay.cursor = func(c *connection, r *request) *uint64 {
			if head, known := heads.Load(c.session); known && r.replayFrom == nil {
				from := head.(uint64)
				return &from
			}
			return cursor(c, r)
		}
	},
	"operations-are-trimmed": func(b *Behaviour) {
		was := b.reading.sequence
		b.reading.sequence = func(c *connection, r *request) {
			was(c, r)
			r.op = strings.TrimSpace(r.op)
		}
	},
}
