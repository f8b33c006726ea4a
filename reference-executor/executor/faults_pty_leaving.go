// SPDX-License-Identifier: Apache-2.0

package executor

import "slices"

// leavingFaults are about what a client gets that leaves, and what becomes of the session.
var leavingFaults = map[string]func(*behaviour){
	"leave-closes-with-1001": leaving(func(c *ptyConnection) {
		c.say(goodbyeFrame("session_closed"))
		c.end(1001, "")
	}),
	"leave-cuts":                   leaving(func(c *ptyConnection) { c.conn.Close() }),
	"leavers-get-another-reason":   leaving(func(c *ptyConnection) { c.session.farewell(c, "left") }),
	"leave-without-goodbye":        leaving(func(c *ptyConnection) { c.end(closeNormal, "") }),
	"leavers-untold":               untold(causeLeave, func(f *ptyFrame, c *ptyConnection) bool { return c == f.by }),
	"last-controller-ends-session": lastControllerEnds,
	"later-controllers-type-in-vain": func(b *behaviour) {
		was := b.pty.terminal.write
		b.pty.terminal.write = func(s *ptySession, c *ptyConnection, r *ptyRequest, data []byte) error {
			s.mu.Lock()
			first := len(s.connections) > 0 && slices.Index(s.connections, c) == 0
			s.mu.Unlock()
			if !first {
				return nil
			}
			return was(s, c, r, data)
		}
	},
}

func leaving(farewell func(c *ptyConnection)) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.ending.left = func(s *ptySession, c *ptyConnection) {
			s.part(c, causeLeave)
			farewell(c)
		}
	}
}

func lastControllerEnds(b *behaviour) {
	was := b.pty.ending.left
	b.pty.ending.left = func(s *ptySession, c *ptyConnection) {
		was(s, c)
		if s.controllers() == 0 {
			s.close("last_member_left", nil, "")
			if s.process != nil {
				s.process.kill()
			}
		}
	}
}

// closedFaults are about the end of a session and what is kept of it.
var closedFaults = map[string]func(*behaviour){
	"closed-twice-to-observers": func(b *behaviour) {
		was := b.pty.ending.over
		b.pty.ending.over = func(s *ptySession) {
			for _, c := range s.members {
				if !c.controller {
					again := *s.closed
					again.only = c
					s.emit(&again)
				}
			}
			was(s)
		}
	},
	"end-untold-to-controllers":   endUntold(func(c *ptyConnection) bool { return c.controller }),
	"end-untold-to-observers":     endUntold(func(c *ptyConnection) bool { return !c.controller }),
	"end-counted-for-each-client": countedForEach(func(f *ptyFrame) bool { return f.kind == kindClosed }),
	"exit-code-as-text": func(b *behaviour) {
		b.pty.ending.closed = func(payload map[string]any) {
			if payload["exit_code"] != nil {
				payload["exit_code"] = "7"
			}
		}
	},
	"closed-by-number":         closedReason(1),
	"closed-as-finished":       closedReason("finished"),
	"closed-as-command-result": closedReason("command_result"),
	"observers-lag-behind-the-end": func(b *behaviour) {
		was := b.pty.ending.over
		b.pty.ending.over = func(s *ptySession) {
			for _, c := range s.members {
				if !c.controller {
					s.emit(s.stray(c))
				}
			}
			was(s)
		}
	},
	"resizes-after-closed": func(b *behaviour) {
		was := b.pty.ending.over
		b.pty.ending.over = func(s *ptySession) {
			s.emit(terminalFrame(kindResize, map[string]any{"kind": kindResize, "cols": 99, "rows": 33}))
			was(s)
		}
	},
	"closed-sessions-refuse-joins": func(b *behaviour) {
		was := b.pty.join.host
		b.pty.join.host = func(j *joining) *ptyError {
			if j.session.closed != nil {
				return badRequest("the session has ended")
			}
			return was(j)
		}
	},
	"closed-renumbered-in-replays": func(b *behaviour) {
		b.pty.outgoing.queue(func(c *ptyConnection, d delivery) []delivery {
			if d.frame.kind == kindClosed && len(c.session.connections) == 1 {
				other := *d.frame
				other.sequence += 5
				d.frame = &other
			}
			return []delivery{d}
		})
	},
	"closed-replayed-twice": func(b *behaviour) {
		b.pty.replay.pick(func(s *ptySession, frames []*ptyFrame) []*ptyFrame {
			if s.closed == nil {
				return frames
			}
			return append(slices.Clone(frames), s.closed)
		})
	},
	"end-says-goodbye-for-other-reasons": over(func(c *ptyConnection) { c.session.farewell(c, "other") }),
	"end-closes-with-1001": over(func(c *ptyConnection) {
		c.say(goodbyeFrame("session_closed"))
		c.end(1001, "")
	}),
	"observers-left-open-at-the-end": over(func(c *ptyConnection) {
		if c.controller {
			c.session.farewell(c, "session_closed")
		}
	}),
}

func endUntold(whom func(c *ptyConnection) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.stream.reach(func(_ *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind != kindClosed {
				return all
			}
			return except(all, whom)
		})
	}
}

func closedReason(reason any) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.ending.closed = func(payload map[string]any) { payload["reason"] = reason }
	}
}

// over changes how the connections of a session that has ended are closed.
func over(farewell func(c *ptyConnection)) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.ending.over = func(s *ptySession) {
			for _, c := range s.connections {
				farewell(c)
			}
		}
	}
}
