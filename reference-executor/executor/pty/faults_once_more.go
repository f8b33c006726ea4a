// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"strings"
	"sync"
	"sync/atomic"
)

// onceMoreFaults keep the contract the first time, and where there is one of a kind; they break it with the second.
var onceMoreFaults = map[string]func(*Behaviour){
	"unsubscribe-ends-the-only-subscription": func(b *Behaviour) {
		real := b.tasks.unsub
		b.tasks.unsub = func(c *connection, r *request, id string) {
			c.session.mu.Lock()
			several := len(c.subscribed) > 1
			c.session.mu.Unlock()
			if several {
				answersOnly(c, r, id)
				return
			}
			real(c, r, id)
		}
	},
	"later-params-updates-ignored": func(b *Behaviour) {
		var counts sync.Map // *atomic.Int64, by connection
		real := b.tasks.update
		b.tasks.update = func(c *connection, params map[string]any) {
			count, _ := counts.LoadOrStore(c, &atomic.Int64{})
			if count.(*atomic.Int64).Add(1) == 1 {
				real(c, params)
			}
		}
	},
	"roles-of-joins-in-any-case": func(b *Behaviour) {
		b.editRequest("pty.join_session", func(payload map[string]any) {
			if role, is := payload["role"].(string); is {
				payload["role"] = strings.ToLower(role)
			}
		})
	},
	"keyframes-repeat-the-last-number": func(b *Behaviour) {
		envelope := b.outgoing.envelope
		b.outgoing.envelope = func(c *connection, d delivery, env map[string]any) {
			envelope(c, d, env)
			if d.frame.kind == kindKeyframe && d.frame.sequence > 1 {
				env["sequence"] = d.frame.sequence - 1
			}
		}
	},
}
