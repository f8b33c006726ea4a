// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"sync"
)

// leavingFaults are about what a client gets that leaves, and what becomes of the session.
var leavingFaults = map[string]func(*Behaviour){
	"leave-closes-with-1001": leaving(func(c *connection) {
		c.say(goodbyeFrame("session_closed"))
		c.end(1001, "")
	}),
	"leave-cuts":                   leaving(func(c *connection) { c.conn.Close() }),
	"leavers-get-another-reason":   leaving(func(c *connection) { c.session.farewell(c, "left") }),
	"leave-without-goodbye":        leaving(func(c *connection) { c.end(closeNormal, "") }),
	"leavers-untold":               untold(causeLeave, func(f *frame, c *connection) bool { return c == f.by }),
	"last-controller-ends-session": lastControllerEnds,
	"later-controllers-type-in-vain": func(b *Behaviour) {
		was := b.terminal.write
		b.terminal.write = func(s *session, c *connection, r *request, data []byte) error {
			s.mu.Lock()
			first := len(s.connections) > 0 && slices.Index(s.connections, c) == 0
			s.mu.Unlock()
			if !first {
				return nil
			}
			return was(s, c, r, data)
		}
	},

	"drops-of-controllers-are-silent":   silentDrop(func(c *connection) bool { return c.controller }),
	"closes-without-a-leave-are-silent": silentDrop(func(c *connection) bool { return c.out.IsSealed() }), // it was closed, and not cut
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
}

func leaving(farewell func(c *connection)) func(*Behaviour) {
	return func(b *Behaviour) {
		b.ending.left = func(s *session, c *connection) {
			s.part(c, causeLeave)
			farewell(c)
		}
	}
}

func lastControllerEnds(b *Behaviour) {
	was := b.ending.left
	b.ending.left = func(s *session, c *connection) {
		was(s, c)
		if s.members.controllers() == 0 {
			s.close("last_member_left", nil, "")
			if s.process != nil {
				s.process.Kill()
			}
		}
	}
}

// closedFaults are about the end of a session and what is kept of it.
var closedFaults = map[string]func(*Behaviour){
	"closed-twice-to-observers": func(b *Behaviour) {
		was := b.ending.over
		b.ending.over = func(s *session) {
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
	"end-untold-to-controllers":   endUntold(func(c *connection) bool { return c.controller }),
	"end-untold-to-observers":     endUntold(func(c *connection) bool { return !c.controller }),
	"end-counted-for-each-client": countedForEach(func(f *frame) bool { return f.kind == kindClosed }),
	"exit-code-as-text": func(b *Behaviour) {
		b.ending.closed = func(payload map[string]any) {
			if payload["exit_code"] != nil {
				payload["exit_code"] = "7"
			}
		}
	},
	"closed-by-number":         closedReason(1),
	"closed-as-finished":       closedReason("finished"),
	"closed-as-command-result": closedReason("command_result"),
	"observers-lag-behind-the-end": func(b *Behaviour) {
		was := b.ending.over
		b.ending.over = func(s *session) {
			for _, c := range s.members {
				if !c.controller {
					s.emit(strayOutput(c))
				}
			}
			was(s)
		}
	},
	"resizes-after-closed": func(b *Behaviour) {
		was := b.ending.over
		b.ending.over = func(s *session) {
			s.emit(terminalFrame(kindResize, map[string]any{"kind": kindResize, "cols": 99, "rows": 33}))
			was(s)
		}
	},
	"closed-sessions-refuse-joins": func(b *Behaviour) {
		was := b.join.host
		b.join.host = func(j *joining) *frameError {
			if j.session.closed != nil {
				return badRequest("the session has ended")
			}
			return was(j)
		}
	},
	"closed-renumbered-in-replays": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			if d.frame.kind == kindClosed && len(c.session.connections) == 1 {
				other := *d.frame
				other.sequence += 5
				d.frame = &other
			}
			return []delivery{d}
		})
	},
	"closed-replayed-twice": func(b *Behaviour) {
		b.replay.pick(func(s *session, frames []*frame) []*frame {
			if s.closed == nil {
				return frames
			}
			return append(slices.Clone(frames), s.closed)
		})
	},
	"end-says-goodbye-for-other-reasons": over(func(c *connection) { c.session.farewell(c, "other") }),
	"end-closes-with-1001": over(func(c *connection) {
		c.say(goodbyeFrame("session_closed"))
		c.end(1001, "")
	}),
	"observers-left-open-at-the-end": over(func(c *connection) {
		if c.controller {
			c.session.farewell(c, "session_closed")
		}
	}),
}

func endUntold(whom func(c *connection) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.kind != kindClosed {
				return all
			}
			return except(all, whom)
		})
	}
}

func closedReason(reason any) func(*Behaviour) {
	return func(b *Behaviour) {
		b.ending.closed = func(payload map[string]any) { payload["reason"] = reason }
	}
}

// over changes how the connections of a session that has ended are closed.
func over(farewell func(c *connection)) func(*Behaviour) {
	return func(b *Behaviour) {
		b.ending.over = func(s *session) {
			for _, c := range s.connections {
				farewell(c)
			}
		}
	}
}

// silentDrop has some connections go without a word to those that stay.
func silentDrop(of func(c *connection) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.ending.dropped
		b.ending.dropped = func(s *session, c *connection) {
			if of(c) {
				s.quit(c)
			}
			was(s, c)
		}
	}
}
