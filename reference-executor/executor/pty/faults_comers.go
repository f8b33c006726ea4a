// SPDX-License-Identifier: Apache-2.0

package pty

import "strconv"

// comerFaults are about who comes to a session: the first one of it, those behind it, and those who take the place of others.
var comerFaults = map[string]func(*Behaviour){
	"later-observers-get-no-output": func(b *Behaviour) {
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if f.kind != kindOutput {
				return all
			}
			observers := 0
			return except(all, func(c *connection) bool {
				if !c.controller {
					observers++
				}
				return !c.controller && observers > 1
			})
		})
	},
	"binary-clients-are-told-output-alone": func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.only != nil || f.op != opTerminal || f.kind == kindOutput || f.kind == kindKeyframe {
				return all
			}
			return except(all, func(c *connection) bool { return c.binary })
		})
	},
	"client-ids-count-those-present": func(b *Behaviour) {
		was := b.join.host
		b.join.host = func(j *joining) *frameError {
			if !j.c.joined {
				j.c.clientID = "client-" + strconv.Itoa(len(j.session.members)+1)
			}
			return was(j)
		}
	},
	"refused-joins-take-the-first-place": func(b *Behaviour) {
		was := b.join.host
		b.join.host = func(j *joining) *frameError {
			err := was(j)
			if err != nil {
				j.session.touched = true
			}
			return err
		}
	},
}
