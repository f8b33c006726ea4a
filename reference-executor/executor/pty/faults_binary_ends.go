// SPDX-License-Identifier: Apache-2.0

package pty

// binaryEndFaults are about binary connections at the end of a task, of the session or of the connection, and after a message that is
// too big.
var binaryEndFaults = map[string]func(*Behaviour){
	"output-after-closed-to-binary-clients": func(b *Behaviour) {
		was := b.ending.over
		b.ending.over = func(s *session) {
			for _, c := range s.members {
				if c.binary {
					s.emit(strayOutput(c))
				}
			}
			was(s)
		}
	},
	"oversize-on-binary-kills-session": oversizeEndsSession(func(c *connection) bool { return c.binary }),
	"ends-untold-to-binary-subscribers": func(b *Behaviour) {
		was := b.tasks.receives
		b.tasks.receives = func(c *connection, f *frame) bool {
			task, _ := f.payload["task"].(map[string]any)
			status, _ := task["status"].(map[string]any)
			return was(c, f) && !(c.binary && status["state"] == canceled)
		}
	},
	"drops-of-binary-clients-are-silent": silentDrop(func(c *connection) bool { return c.binary }),
	"end-not-replayed-to-binary-clients": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			if d.replayed && d.frame.kind == kindClosed && c.binary {
				return nil
			}
			return []delivery{d}
		})
	},
	"unsubscribe-is-for-everyone": func(b *Behaviour) {
		real := b.tasks.unsub
		b.tasks.unsub = func(c *connection, r *request, id string) {
			c.session.mu.Lock()
			for _, other := range c.session.connections {
				delete(other.subscribed, id)
			}
			c.session.mu.Unlock()
			real(c, r, id)
		}
	},
	"unsubscribe-ends-all-subscriptions": func(b *Behaviour) {
		b.tasks.unsub = func(c *connection, r *request, id string) {
			c.session.mu.Lock()
			clear(c.subscribed)
			c.session.mu.Unlock()
			conformantTasks.unsub(c, r, id)
		}
	},
}
