// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/gobwas/ws"
)

// reach changes who gets a frame.
func (b *streamBehaviour) reach(change func(s *session, f *frame, all []*connection) []*connection) {
	was := b.audience
	b.audience = func(s *session, f *frame) []*connection { return change(s, f, was(s, f)) }
}

// except is everyone of whom leave does not say that they are left out.
func except(all []*connection, leave func(c *connection) bool) []*connection {
	return slices.DeleteFunc(slices.Clone(all), leave)
}

// streamFaults are about the session's counter and order.
var streamFaults = map[string]func(*Behaviour){
	"sequence-swapped": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			if !d.frame.stream() {
				return []delivery{d}
			}
			if c.held != nil {
				held := *c.held
				c.held = nil
				return []delivery{d, held}
			}
			// Only a Resize: somebody who types waits for the output, and that successor would never come.
			if c.lines++; c.lines >= 20 && d.frame.kind == kindResize {
				c.held, c.lines = &d, 0
				return nil
			}
			return []delivery{d}
		})
	},
	"per-connection-counter": func(b *Behaviour) {
		b.outgoing.sequence = func(c *connection, f *frame) uint64 {
			if !f.stream() {
				return f.sequence
			}
			c.seen++
			return c.seen
		}
	},
	"sequence-gap": func(b *Behaviour) {
		b.stream.next = func(last uint64) uint64 {
			if (last+2)%10 == 0 {
				return last + 2
			}
			return last + 1
		}
	},
	"cross-session-broadcast": func(b *Behaviour) {
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if f.kind == kindOutput {
				s.hub.run(func() { s.hub.spread(s, f) })
			}
			return all
		})
	},
}

// spread sends a frame to the members of all other sessions of the instance.
func (h *Hub) spread(from *session, f *frame) {
	for _, s := range h.all() {
		if s == from || s.instance != from.instance {
			continue
		}
		s.mu.Lock()
		for _, c := range s.members {
			s.deliver(c, delivery{frame: f})
		}
		s.mu.Unlock()
	}
}

// replayFaults are about what is kept and sent again.
var replayFaults = map[string]func(*Behaviour){
	"replays-lose-a-frame-between-batches": func(b *Behaviour) {
		const batch = 50
		since := b.replay.since
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			all, lost := since(s, c, from)
			var frames []*frame
			for i, f := range all {
				if i == 0 || i%batch != 0 {
					frames = append(frames, f)
				}
			}
			return frames, lost
		}
	},
	"replay-skips-resize": func(b *Behaviour) {
		b.replay.pick(func(_ *session, frames []*frame) []*frame {
			return slices.DeleteFunc(frames, func(f *frame) bool { return f.kind == kindResize })
		})
	},
	"replay-inclusive": func(b *Behaviour) {
		was := b.replay.since
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			return was(s, c, max(from, 1)-1)
		}
	},
	"replay-trims-output": func(b *Behaviour) {
		b.replay.copied = func(f *frame) *frame {
			trimmed := *f
			trimmed.data = bytes.TrimRight(f.data, " \t\r\n")
			return &trimmed
		}
	},
	"replay-per-principal-cut": func(b *Behaviour) {
		var replays sync.Map // how many a session has seen
		b.replay.pick(func(s *session, frames []*frame) []*frame {
			if _, again := replays.LoadOrStore(s, true); !again {
				return frames
			}
			var half []*frame
			for i := 0; i < len(frames); i += 2 {
				half = append(half, frames[i])
			}
			return half
		})
	},
	"stale-cursor-clamped": func(b *Behaviour) {
		was := b.replay.since
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			return was(s, c, max(from, s.log.lost))
		}
	},
	"replay-window-500": func(b *Behaviour) { b.replay.window(500) },
	"replay-cap-1000":   func(b *Behaviour) { b.replay.window(1000) },
	"sizes-are-kept-for-a-while": func(b *Behaviour) {
		const while = 200
		b.replay.pick(func(s *session, frames []*frame) []*frame {
			return slices.DeleteFunc(frames, func(f *frame) bool { return f.kind == kindResize && s.head-f.sequence > while })
		})
	},
	"replay-from-0-is-none": func(b *Behaviour) {
		was := b.replay.cursor
		b.replay.cursor = func(c *connection, r *request) *uint64 {
			if from := was(c, r); from != nil && *from > 0 {
				return from
			}
			return nil
		}
	},
	"always-replay": func(b *Behaviour) {
		was := b.replay.cursor
		b.replay.cursor = func(c *connection, r *request) *uint64 {
			if from := was(c, r); from != nil {
				return from
			}
			return new(uint64)
		}
	},
}

// pick changes which frames a replay has.
func (b *replayBehaviour) pick(change func(s *session, frames []*frame) []*frame) {
	was := b.since
	b.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
		frames, lost := was(s, c, from)
		return change(s, frames), lost
	}
}

// window keeps the newest frames only.
func (b *replayBehaviour) window(most int) {
	was := b.since
	b.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
		frames, lost := was(s, c, from)
		if len(frames) > most {
			return nil, true
		}
		return frames, lost
	}
}

// keepaliveFaults are about pings and broken connections.
var keepaliveFaults = map[string]func(*Behaviour){
	"pong-empty": func(b *Behaviour) { b.wire.pong = func([]byte) []byte { return nil } },
	"no-server-ping": func(b *Behaviour) {
		b.wire.pings = false
		b.wire.reaps = false // nobody would survive it
	},
	"stale-never-reaped": func(b *Behaviour) { b.wire.reaps = false },
	"ping-unanswered": func(b *Behaviour) {
		b.setOperation("ping", func(op operation) operation {
			op.run = func(*connection, *request) *frameError { return nil }
			return op
		})
	},
	"pong-without-server-ts": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.op == "pong" {
				env["payload"] = without(f.payload, "server_ts")
			}
		})
	},
	"pong-tells-the-time-of-the-client-in-utc": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.op != "pong" {
				return
			}
			text, _ := f.payload["client_ts"].(string)
			if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
				env["payload"] = map[string]any{"client_ts": at.UTC().Format("2006-01-02T15:04:05.000Z"), "server_ts": f.payload["server_ts"]}
			}
		})
	},
	"later-clients-get-an-empty-pong": forLatecomers(func(f *frame, env map[string]any) {
		if f.op == "pong" {
			env["payload"] = map[string]any{}
		}
	}),
	"close-unanswered": func(b *Behaviour) { b.wire.answersClose = false },
	"close-answered-with-one-byte": func(b *Behaviour) {
		b.wire.goodbye = func([]byte) []byte { return []byte{3} }
	},
	"role-leak-on-drop": func(b *Behaviour) { b.ending.dropped = func(*session, *connection) {} },
	"drop-silent": func(b *Behaviour) {
		b.ending.dropped = func(s *session, c *connection) { s.quit(c) }
	},
}

// quit takes a member out of the roster and tells nobody.
func (s *session) quit(c *connection) {
	s.members = except(s.members, func(other *connection) bool { return other == c })
	c.joined, c.controller = false, false
}

// binaryFaults are about the binary subprotocol.
var binaryFaults = map[string]func(*Behaviour){
	"binary-output-as-json": func(b *Behaviour) {
		b.outgoing.asBinary = func(*connection, delivery) bool { return false }
	},
	"long-binary-output-as-json": func(b *Behaviour) {
		was := b.outgoing.asBinary
		b.outgoing.asBinary = func(c *connection, d delivery) bool { return was(c, d) && len(d.frame.data) < 1<<10 }
	},
	"binary-sequence-little-endian": func(b *Behaviour) {
		was := b.outgoing.pw1o
		b.outgoing.pw1o = func(c *connection, f *frame) []byte {
			frame := was(c, f)
			slices.Reverse(frame[4:12])
			return frame
		}
	},
	"binary-own-counter": func(b *Behaviour) {
		b.outgoing.pw1o = func(c *connection, f *frame) []byte {
			c.seen++
			return encodePW1O(c.seen, f.data)
		}
	},
	"binary-keyframes": func(b *Behaviour) {
		b.outgoing.opcode = func(c *connection, d delivery) ws.OpCode {
			if c.binary && d.frame.kind == kindKeyframe {
				return ws.OpBinary
			}
			return ws.OpText
		}
	},
	"binary-input-ignored": func(b *Behaviour) {
		was := b.reading.binary
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			_, err := was(c, frame)
			return nil, err
		}
	},
	"binary-input-unchecked": func(b *Behaviour) {
		was := b.reading.binary
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			input, err := was(c, frame)
			if err == nil && len(input) > 0 {
				c.session.force(input)
			}
			return nil, err
		}
	},
	"binary-magic-unchecked": func(b *Behaviour) {
		was := b.reading.binary
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			if !c.binary {
				return was(c, frame)
			}
			return frame[min(4, len(frame)):], nil
		}
	},
	"binary-replay": func(b *Behaviour) {
		b.outgoing.asBinary = func(c *connection, d delivery) bool {
			return c.binary && d.frame.kind == kindOutput
		}
	},
	"output-just-before-a-rejoin-is-not-replayed": func(b *Behaviour) {
		real := b.replay.since
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			frames, lost := real(s, c, from)
			// A terminal that has much to say: by bytes, as a busy machine reads the same output in fewer pieces.
			const before, busy = 2 * time.Second, 2048
			last, size := -1, 0
			for i, f := range frames {
				if f.kind == kindOutput {
					last, size = i, size+len(f.data)
				}
			}
			if size >= busy && time.Since(s.log.frames[len(s.log.frames)-1].at) < before {
				frames = slices.Delete(slices.Clone(frames), last, last+1)
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
	"refused-sizes-take-a-number": func(b *Behaviour) {
		real := b.roles.mayResize
		b.roles.mayResize = func(s *session, c *connection) *frameError {
			err := real(s, c)
			if err != nil {
				s.head++
			}
			return err
		}
	},
	"keyframes-repeat-the-last-number": func(b *Behaviour) {
		envelope := b.outgoing.envelope
		b.outgoing.envelope = func(c *connection, d delivery, env map[string]any) {
			envelope(c, d, env)
			if d.frame.kind == kindKeyframe && d.frame.sequence > 1 {
				env["sequence"] = d.frame.sequence - 1
			}
		}
	},
	"same-sizes-take-a-number": func(b *Behaviour) {
		was := b.terminal.tells
		b.terminal.tells = func(s *session, cols, rows int) bool {
			if cols == s.cols && rows == s.rows {
				s.head = s.b.stream.next(s.head)
				return false
			}
			return was(s, cols, rows)
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
	"sessions-of-every-instance": func(b *Behaviour) {
		was := b.upgrade.session
		b.upgrade.session = func(h *Hub, u *upgrade) *session {
			if s := was(h, u); s != nil {
				return s
			}
			return h.everywhere(u.id)
		}
	},
}

// force types without looking at who does.
func (s *session) force(data []byte) {
	s.mu.Lock()
	process := s.process
	s.mu.Unlock()
	if process != nil {
		_ = process.Write(data)
	}
}

// later is how long something is put off that a fault delays.
const later = 1500 * time.Millisecond
