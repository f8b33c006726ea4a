// SPDX-License-Identifier: Apache-2.0

package pty

// againFaults show only when there is a second subscription, or nothing to replay.
var againFaults = map[string]func(*Behaviour){
	"unsubscribe-ends-all-subscriptions": func(b *Behaviour) {
		b.tasks.unsub = func(c *connection, r *request, id string) {
			c.session.mu.Lock()
			clear(c.subscribed)
			c.session.mu.Unlock()
			conformantTasks.unsub(c, r, id)
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
}
