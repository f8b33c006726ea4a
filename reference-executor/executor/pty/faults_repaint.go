// SPDX-License-Identifier: Apache-2.0

package pty

// repaintFaults are about what a client is shown that joins in mid-session or comes back.
var repaintFaults = map[string]func(*Behaviour){
	"replay-behind-the-keyframe": func(b *Behaviour) {
		replay, repaint := b.join.replay, b.join.repaint
		b.join.replay = func(j *joining) {
			if j.lost {
				replay(j)
			}
		}
		b.join.repaint = func(j *joining) {
			repaint(j)
			if !j.lost {
				replay(j)
			}
		}
	},
	"replay-ends-with-an-old-keyframe": func(b *Behaviour) {
		assign, repaint := b.join.assign, b.join.repaint
		b.join.assign = func(j *joining) {
			if s := j.session; j.replays && !j.lost {
				members := s.members
				s.members = nil
				s.keyframe(nil, causeCadence) // of before the join, and of its past
				s.members = members
			}
			assign(j)
		}
		b.join.repaint = func(j *joining) {
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
	"whole-replay-without-keyframe": func(b *Behaviour) {
		unlessJoin(b, func(j *joining) bool { return j.replays && !j.lost && *j.r.replayFrom <= 1 })
	},
	"out-of-range-no-role": func(b *Behaviour) {
		was := b.join.assign
		b.join.assign = func(j *joining) {
			if !j.lost {
				was(j)
			}
		}
	},
	"out-of-range-no-live-output": func(b *Behaviour) {
		was := b.join.repaint
		b.join.repaint = func(j *joining) {
			was(j)
			if s := j.session; j.lost {
				s.members = except(s.members, func(c *connection) bool { return c == j.c })
			}
		}
	},
	"late-joiners-unlisted": func(b *Behaviour) {
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if f.kind != kindMembership || f.cause != causeJoin || s.anchor == 0 {
				return all
			}
			return except(all, func(c *connection) bool { return c == f.by })
		})
	},
	"join-anchors-at-the-start": func(b *Behaviour) {
		b.join.repaint = func(j *joining) {
			s := j.session
			anchor := s.anchor
			s.anchor = 0
			s.keyframe(j.c, causeJoin)
			s.anchor = anchor
		}
	},
	"membership-behind-the-keyframe": func(b *Behaviour) {
		announce, repaint := b.join.announce, b.join.repaint
		b.join.announce = func(*joining) {}
		b.join.repaint = func(j *joining) { repaint(j); announce(j) }
	},
}
