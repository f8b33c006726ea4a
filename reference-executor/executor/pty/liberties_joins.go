// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"strings"
	"time"
)

// joinLiberties are about joins, roles and the roster.
var joinLiberties = map[string]func(*Behaviour){
	// Notation of the catalogs: a join is collected for up to 3 s.
	"joins-take-a-second": func(b *Behaviour) {
		b.setOperation("pty.join_session", func(o operation) operation {
			run := o.run
			o.run = func(c *connection, r *request) *frameError {
				time.Sleep(700 * time.Millisecond)
				return run(c, r)
			}
			return o
		})
	},
	// A17: after the Keyframe on a reconnect.
	"the-roster-comes-last-on-a-return": func(b *Behaviour) {
		announce, repaint := b.join.announce, b.join.repaint
		b.join.announce = func(j *joining) {
			if !j.replays {
				announce(j)
			}
		}
		b.join.repaint = func(j *joining) {
			repaint(j)
			if j.replays {
				announce(j)
			}
		}
	},
	// A18: a further Keyframe before the replay is accepted.
	"a-keyframe-comes-before-the-replay": func(b *Behaviour) {
		replay := b.join.replay
		b.join.replay = func(j *joining) {
			if j.replays && !j.lost {
				j.session.keyframe(j.c, causeJoin)
			}
			replay(j)
		}
	},
	// PTX-018: a Resize before the Keyframe of the first join is fine.
	"a-first-join-tells-the-size": func(b *Behaviour) {
		announce := b.join.announce
		b.join.announce = func(j *joining) {
			announce(j)
			if s := j.session; j.c.controller && len(s.members) == 1 && s.closed == nil {
				s.applySize(j.c, s.cols, s.rows, true)
			}
		}
	},
	// PTX-015: a label that was not given is absent, null or empty; no sentence orders the roster.
	"rosters-are-in-another-order": func(b *Behaviour) {
		b.roles.member = func(c *connection, entry map[string]any) {
			if c.label == "" {
				entry["label"] = ""
			}
		}
		b.stream.roster = func(_ *connection, v map[string]any) {
			for _, name := range []string{"controllers", "observers"} {
				list, _ := v[name].([]any)
				slices.Reverse(list)
			}
		}
	},
	// No sentence: a roster may be told again, it is complete each time.
	"rosters-are-told-twice": func(b *Behaviour) {
		announce := b.join.announce
		b.join.announce = func(j *joining) {
			announce(j)
			announce(j)
		}
	},
	// PTX-022: PERMISSION_DENIED is accepted.
	"roles-beyond-capacity-are-denied": func(b *Behaviour) {
		onRequest := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := onRequest(s, c, controller)
			if err == nil && controller && !granted {
				err = denied("the session has its controllers")
			}
			return granted, err
		}
	},
	// A58: RoleAssigned again, or an Error.
	"second-joins-are-assigned-again": func(b *Behaviour) {
		b.roles.again = func(s *session, c *connection, _ *joining) *frameError {
			s.emit(s.roleFrame(c, false, ""))
			return nil
		}
	},
	// PTX-008: downgraded and reason are optional.
	"roles-tell-why": func(b *Behaviour) {
		b.roles.assigned = func(v map[string]any) {
			if v["reason"] == nil {
				v["reason"] = strings.Repeat("é", 256)
			}
			if v["downgraded"] == false {
				delete(v, "downgraded")
			}
		}
	},
	// The wire reference, 3.2: detail may stand in a goodbye; RFC 6455, 5.5.1: a close may have a reason.
	"goodbyes-say-more": func(b *Behaviour) {
		b.ending.goodbye = func(c *connection, reason string) {
			f := goodbyeFrame(reason)
			f.payload["detail"] = "see you"
			c.say(f)
			c.end(closeNormal, "über")
		}
		b.ending.closed = func(v map[string]any) { v["detail"] = strings.Repeat("x", 1024) }
	},
}
