// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/gobwas/ws"
)

// reach changes who gets a frame.
func (b *streamBehaviour) reach(change func(s *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection) {
	was := b.audience
	b.audience = func(s *ptySession, f *ptyFrame) []*ptyConnection { return change(s, f, was(s, f)) }
}

// except is everyone of whom leave does not say that they are left out.
func except(all []*ptyConnection, leave func(c *ptyConnection) bool) []*ptyConnection {
	return slices.DeleteFunc(slices.Clone(all), leave)
}

// streamFaults are about the session's counter and order.
var streamFaults = map[string]func(*behaviour){
	"sequence-swapped": func(b *behaviour) {
		b.pty.outgoing.queue(func(c *ptyConnection, d delivery) []delivery {
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
	"per-connection-counter": func(b *behaviour) {
		b.pty.outgoing.sequence = func(c *ptyConnection, f *ptyFrame) uint64 {
			if !f.stream() {
				return f.sequence
			}
			c.seen++
			return c.seen
		}
	},
	"sequence-gap": func(b *behaviour) {
		b.pty.stream.next = func(last uint64) uint64 {
			if (last+2)%10 == 0 {
				return last + 2
			}
			return last + 1
		}
	},
	"cross-session-broadcast": func(b *behaviour) {
		b.pty.stream.reach(func(s *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind == kindOutput {
				s.hub.run(func() { s.hub.spread(s, f) })
			}
			return all
		})
	},
}

// spread sends a frame to the members of all other sessions of the instance.
func (h *ptyHub) spread(from *ptySession, f *ptyFrame) {
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
var replayFaults = map[string]func(*behaviour){
	"replay-skips-resize": func(b *behaviour) {
		b.pty.replay.pick(func(_ *ptySession, frames []*ptyFrame) []*ptyFrame {
			return slices.DeleteFunc(frames, func(f *ptyFrame) bool { return f.kind == kindResize })
		})
	},
	"replay-inclusive": func(b *behaviour) {
		was := b.pty.replay.since
		b.pty.replay.since = func(s *ptySession, c *ptyConnection, from uint64) ([]*ptyFrame, bool) {
			return was(s, c, max(from, 1)-1)
		}
	},
	"replay-trims-output": func(b *behaviour) {
		b.pty.replay.copied = func(f *ptyFrame) *ptyFrame {
			trimmed := *f
			trimmed.data = bytes.TrimRight(f.data, " \t\r\n")
			return &trimmed
		}
	},
	"replay-per-principal-cut": func(b *behaviour) {
		var replays sync.Map // how many a session has seen
		b.pty.replay.pick(func(s *ptySession, frames []*ptyFrame) []*ptyFrame {
			if _, again := replays.LoadOrStore(s, true); !again {
				return frames
			}
			var half []*ptyFrame
			for i := 0; i < len(frames); i += 2 {
				half = append(half, frames[i])
			}
			return half
		})
	},
	"stale-cursor-clamped": func(b *behaviour) {
		was := b.pty.replay.since
		b.pty.replay.since = func(s *ptySession, c *ptyConnection, from uint64) ([]*ptyFrame, bool) {
			return was(s, c, max(from, s.log.lost))
		}
	},
	"replay-window-500": func(b *behaviour) { b.pty.replay.window(500) },
	"replay-cap-1000":   func(b *behaviour) { b.pty.replay.window(1000) },
	"always-replay": func(b *behaviour) {
		was := b.pty.replay.cursor
		b.pty.replay.cursor = func(c *ptyConnection, r *ptyRequest) *uint64 {
			if from := was(c, r); from != nil {
				return from
			}
			return new(uint64)
		}
	},
}

// pick changes which frames a replay has.
func (b *replayBehaviour) pick(change func(s *ptySession, frames []*ptyFrame) []*ptyFrame) {
	was := b.since
	b.since = func(s *ptySession, c *ptyConnection, from uint64) ([]*ptyFrame, bool) {
		frames, lost := was(s, c, from)
		return change(s, frames), lost
	}
}

// window keeps the newest frames only.
func (b *replayBehaviour) window(most int) {
	was := b.since
	b.since = func(s *ptySession, c *ptyConnection, from uint64) ([]*ptyFrame, bool) {
		frames, lost := was(s, c, from)
		if len(frames) > most {
			return nil, true
		}
		return frames, lost
	}
}

// keepaliveFaults are about pings and broken connections.
var keepaliveFaults = map[string]func(*behaviour){
	"pong-empty": func(b *behaviour) { b.pty.wire.pong = func([]byte) []byte { return nil } },
	"no-server-ping": func(b *behaviour) {
		b.pty.wire.pings = false
		b.pty.wire.reaps = false // nobody would survive it
	},
	"stale-never-reaped": func(b *behaviour) { b.pty.wire.reaps = false },
	"ping-unanswered": func(b *behaviour) {
		b.pty.setOperation("ping", func(op ptyOperation) ptyOperation {
			op.run = func(*ptyConnection, *ptyRequest) *ptyError { return nil }
			return op
		})
	},
	"pong-without-server-ts": func(b *behaviour) {
		b.pty.outgoing.edit(func(_ *ptyConnection, f *ptyFrame, env map[string]any) {
			if f.op == "pong" {
				env["payload"] = without(f.payload, "server_ts")
			}
		})
	},
	"close-unanswered": func(b *behaviour) { b.pty.wire.answersClose = false },
	"close-answered-with-one-byte": func(b *behaviour) {
		b.pty.wire.goodbye = func([]byte) []byte { return []byte{3} }
	},
	"role-leak-on-drop": func(b *behaviour) { b.pty.ending.dropped = func(*ptySession, *ptyConnection) {} },
	"drop-silent": func(b *behaviour) {
		b.pty.ending.dropped = func(s *ptySession, c *ptyConnection) { s.quit(c) }
	},
}

// quit takes a member out of the roster and tells nobody.
func (s *ptySession) quit(c *ptyConnection) {
	s.members = except(s.members, func(other *ptyConnection) bool { return other == c })
	c.joined, c.controller = false, false
}

// binaryFaults are about the binary subprotocol.
var binaryFaults = map[string]func(*behaviour){
	"binary-output-as-json": func(b *behaviour) {
		b.pty.outgoing.asBinary = func(*ptyConnection, delivery) bool { return false }
	},
	"binary-sequence-little-endian": func(b *behaviour) {
		was := b.pty.outgoing.pw1o
		b.pty.outgoing.pw1o = func(c *ptyConnection, f *ptyFrame) []byte {
			frame := was(c, f)
			slices.Reverse(frame[4:12])
			return frame
		}
	},
	"binary-own-counter": func(b *behaviour) {
		b.pty.outgoing.pw1o = func(c *ptyConnection, f *ptyFrame) []byte {
			c.seen++
			return encodePW1O(c.seen, f.data)
		}
	},
	"binary-keyframes": func(b *behaviour) {
		b.pty.outgoing.opcode = func(c *ptyConnection, d delivery) ws.OpCode {
			if c.binary && d.frame.kind == kindKeyframe {
				return ws.OpBinary
			}
			return ws.OpText
		}
	},
	"binary-input-ignored": func(b *behaviour) {
		was := b.pty.reading.binary
		b.pty.reading.binary = func(c *ptyConnection, frame []byte) ([]byte, *ptyError) {
			_, err := was(c, frame)
			return nil, err
		}
	},
	"binary-input-unchecked": func(b *behaviour) {
		was := b.pty.reading.binary
		b.pty.reading.binary = func(c *ptyConnection, frame []byte) ([]byte, *ptyError) {
			input, err := was(c, frame)
			if err == nil && len(input) > 0 {
				c.session.force(input)
			}
			return nil, err
		}
	},
	"binary-magic-unchecked": func(b *behaviour) {
		was := b.pty.reading.binary
		b.pty.reading.binary = func(c *ptyConnection, frame []byte) ([]byte, *ptyError) {
			if !c.binary {
				return was(c, frame)
			}
			return frame[min(4, len(frame)):], nil
		}
	},
	"binary-replay": func(b *behaviour) {
		b.pty.outgoing.asBinary = func(c *ptyConnection, d delivery) bool {
			return c.binary && d.frame.kind == kindOutput
		}
	},
}

// force types without looking at who does.
func (s *ptySession) force(data []byte) {
	s.mu.Lock()
	process := s.process
	s.mu.Unlock()
	if process != nil {
		_ = process.write(data)
	}
}

// later is how long something is put off that a fault delays.
const later = 1500 * time.Millisecond
