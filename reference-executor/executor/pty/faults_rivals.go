// SPDX-License-Identifier: Apache-2.0

package pty

import "sync"

// rivalFaults break the contract for a client that wants the role that another has, and for one that follows a task instead of
// streaming it.
var rivalFaults = map[string]func(*Behaviour){
	"joins-that-are-downgraded-resize": func(b *Behaviour) {
		was := b.join.resizes
		b.join.resizes = func(s *session, j *joining) bool { return was(s, j) || j.downgraded }
	},
	"service-params-on-streams-only": func(b *Behaviour) {
		var streams sync.Map
		first := b.tasks.first
		b.tasks.first = func(c *connection, t Task, accept, follow func()) {
			streams.Store(follower{c, t.ID}, true)
			first(c, t, accept, follow)
		}
		b.outgoing.edit(func(c *connection, f *frame, env map[string]any) {
			if f.op != opUpdate {
				return
			}
			if _, is := streams.Load(follower{c, f.task}); !is {
				delete(env, "service_parameters")
			}
		})
	},
}
