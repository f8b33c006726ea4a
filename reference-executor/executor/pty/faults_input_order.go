// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"sync"
	"time"
)

// inputOrderFaults write what clients type at another time than its turn.
var inputOrderFaults = map[string]func(*Behaviour){
	"large-inputs-come-later": func(b *Behaviour) {
		const large, delay = 512, 200 * time.Millisecond
		was := b.terminal.write
		b.terminal.write = func(s *session, c *connection, r *request, data []byte) error {
			if len(data) < large {
				return was(s, c, r, data)
			}
			s.hub.run(func() {
				if s.hub.pause(delay) {
					s.force(data)
				}
			})
			return nil
		}
	},
	"early-input-is-typed-at-the-join": func(b *Behaviour) {
		var early sync.Map // by connection
		b.insist(opInput, func(c *connection, _ *request, _ *frameError) bool { return !c.joins() },
			func(c *connection, r *request) {
				data, _ := decodeInput(r.payload["data"], true)
				early.Store(c, data)
			})
		was := b.join.repaint
		b.join.repaint = func(j *joining) {
			was(j)
			if data, kept := early.LoadAndDelete(j.c); kept && j.c.controller && j.session.process != nil {
				_ = j.session.process.Write(data.([]byte))
			}
		}
	},
}
