// SPDX-License-Identifier: Apache-2.0

package executor

// repaintFaults are about what a client is shown that joins in mid-session or comes back.
var repaintFaults = map[string]func(*behaviour){
	"replay-behind-the-keyframe": func(b *behaviour) {
		replay, repaint := b.pty.join.replay, b.pty.join.repaint
		b.pty.join.replay = func(j *joining) {
			if j.lost {
				replay(j)
			}
		}
		b.pty.join.repaint = func(j *joining) {
			repaint(j)
			if !j.lost {
				replay(j)
			}
		}
	},
	"replay-ends-with-an-old-keyframe": func(b *behaviour) {
		assign, repaint := b.pty.join.assign, b.pty.join.repaint
		b.pty.join.assign = func(j *joining) {
			if s := j.session; j.replays && !j.lost {
				members := s.members
				s.members = nil
				s.keyframe(nil, causeCadence) // of before the join, and of its past
				s.members = members
			}
			assign(j)
		}
		b.pty.join.repaint = func(j *joining) {
			if !j.replays || j.lost {
				repaint(j)
				return
			}
			s := j.session
			retained, _ := s.b.replay.since(s, j.c, *j.r.replayFrom)
			for _, f := range retained {
				if f.kind == kindKeyframe && f.sequence == j.head+1 {
					s.deliver(j.c, delivery{frame: s.b.replay.copied(f), replayed: true})
				}
			}
		}
	},
	"whole-replay-without-keyframe": func(b *behaviour) {
		unlessJoin(b, func(j *joining) bool { return j.replays && !j.lost && *j.r.replayFrom <= 1 })
	},
	"out-of-range-no-role": func(b *behaviour) {
		was := b.pty.join.assign
		b.pty.join.assign = func(j *joining) {
			if !j.lost {
				was(j)
			}
		}
	},
	"out-of-range-no-live-output": func(b *behaviour) {
		was := b.pty.join.repaint
		b.pty.join.repaint = func(j *joining) {
			was(j)
			if s := j.session; j.lost {
				s.members = except(s.members, func(c *ptyConnection) bool { return c == j.c })
			}
		}
	},
	"late-joiners-unlisted": func(b *behaviour) {
		b.pty.stream.reach(func(s *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind != kindMembership || f.cause != causeJoin || s.anchor == 0 {
				return all
			}
			return except(all, func(c *ptyConnection) bool { return c == f.by })
		})
	},
	"join-anchors-at-the-start": func(b *behaviour) {
		b.pty.join.repaint = func(j *joining) {
			s := j.session
			anchor := s.anchor
			s.anchor = 0
			s.keyframe(j.c, causeJoin)
			s.anchor = anchor
		}
	},
	"membership-behind-the-keyframe": func(b *behaviour) {
		announce, repaint := b.pty.join.announce, b.pty.join.repaint
		b.pty.join.announce = func(*joining) {}
		b.pty.join.repaint = func(j *joining) { repaint(j); announce(j) }
	},
}
