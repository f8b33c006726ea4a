// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// carriedOverFaults keep the contract for what is new; they break it with what is left of something else: of another frame, of another
// client, of who has gone.
var carriedOverFaults = map[string]func(*Behaviour){
	"output-just-before-a-rejoin-is-not-replayed": func(b *Behaviour) {
		real := b.replay.since
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			frames, lost := real(s, c, from)
			const before = 150 * time.Millisecond
			if last := len(frames) - 1; last >= 0 && frames[last].kind == kindOutput && time.Since(s.log.frames[len(s.log.frames)-1].at) < before {
				frames = frames[:last]
			}
			return frames, lost
		}
	},
	"output-of-binary-input-is-not-kept": func(b *Behaviour) {
		var binary sync.Map // sessions whose last input came as PW1I
		var passing sync.Map
		write, output := b.terminal.write, b.terminal.output
		b.terminal.write = func(s *session, c *connection, r *request, data []byte) error {
			binary.Store(s, r.binary)
			return write(s, c, r, data)
		}
		b.terminal.output = func(s *session, data []byte) []byte {
			data = output(s, data)
			if last, _ := binary.Load(s); last == true && len(data) > 0 {
				passing.Store(&data[0], true)
			}
			return data
		}
		b.replay.keeps = func(f *frame) bool {
			if len(f.data) == 0 {
				return true
			}
			_, drops := passing.LoadAndDelete(&f.data[0])
			return !drops
		}
	},
	"anchors-of-the-cadence-are-those-of-the-last-keyframe": func(b *Behaviour) {
		var last, due sync.Map // by session
		cadence, keyframe := b.terminal.cadence, b.terminal.keyframe
		b.terminal.cadence = func(s *session) bool {
			is := cadence(s)
			if is {
				due.Store(s, true)
			}
			return is
		}
		b.terminal.keyframe = func(s *session, payload map[string]any) {
			keyframe(s, payload)
			was, before := last.Swap(s, payload["anchor_sequence"])
			if _, is := due.LoadAndDelete(s); is && before {
				payload["anchor_sequence"] = was
			}
		}
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
	"long-output-comes-in-two-binary-frames-of-one-number": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			const most = 2048
			if !c.b.outgoing.asBinary(c, d) || len(d.frame.data) <= most {
				return []delivery{d}
			}
			head, tail := *d.frame, *d.frame
			head.data, tail.data = d.frame.data[:most], d.frame.data[most:]
			return []delivery{{frame: &head}, {frame: &tail}}
		})
	},
	"who-is-closed-for-bad-text-keeps-the-role": func(b *Behaviour) {
		var closed sync.Map
		ends, dropped := b.errors.ends, b.ending.dropped
		b.errors.ends = func(c *connection, e *frameError) bool {
			if e.unread {
				closed.Store(c, true)
				return true
			}
			return ends(c, e)
		}
		b.ending.dropped = func(s *session, c *connection) {
			if _, is := closed.Load(c); !is {
				dropped(s, c)
			}
		}
	},
	"pongs-drop-zeros-at-the-end": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			text, _ := f.payload["client_ts"].(string)
			if at, err := time.Parse(time.RFC3339Nano, text); err == nil && f.op == "pong" {
				env["payload"] = map[string]any{"client_ts": at.Format(time.RFC3339Nano), "server_ts": f.payload["server_ts"]}
			}
		})
	},
	"places-of-observers-that-broke-off-stay-taken": func(b *Behaviour) {
		var taken sync.Map // *atomic.Int64, by session
		of := func(s *session) *atomic.Int64 {
			n, _ := taken.LoadOrStore(s, &atomic.Int64{})
			return n.(*atomic.Int64)
		}
		dropped := b.ending.dropped
		b.ending.dropped = func(s *session, c *connection) {
			if c.joined && !c.controller {
				of(s).Add(1)
			}
			dropped(s, c)
		}
		b.roles.admits = func(s *session) bool {
			return len(s.members)-s.members.controllers()+int(of(s).Load()) < s.hub.limits.observers
		}
	},
	"rosters-list-an-observer-in-place-of-the-controller": func(b *Behaviour) {
		roster := b.stream.roster
		b.stream.roster = func(by *connection, payload map[string]any) {
			roster(by, payload)
			controllers, observers := payload["controllers"].([]any), payload["observers"].([]any)
			if !by.joined && len(controllers) == 0 && len(observers) > 0 {
				payload["controllers"], payload["observers"] = observers[:1], slices.Clone(observers[1:])
			}
		}
	},
	"errors-of-binary-frames-repeat-the-last-id": func(b *Behaviour) {
		var last sync.Map // by connection
		activate, binary := b.reading.activate, b.reading.binary
		b.reading.activate = func(c *connection, r *request) {
			last.Store(c, strings.Clone(r.id))
			activate(c, r)
		}
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			input, err := binary(c, frame)
			if id, known := last.Load(c); err != nil && known {
				c.refuse(id.(string), err)
				return nil, &frameError{silent: true}
			}
			return input, err
		}
	},
}
