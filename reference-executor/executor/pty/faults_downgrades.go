// SPDX-License-Identifier: Apache-2.0

package pty

import "sync"

// downgradeFaults are about clients that wanted to be controllers, for whom there was no room.
var downgradeFaults = map[string]func(*Behaviour){
	"downgraded-joins-without-membership": ofDowngraded(func(b *Behaviour, is func(*connection) bool) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.kind != kindMembership || f.cause != causeJoin || !is(f.by) {
				return all
			}
			return except(all, func(c *connection) bool { return c == f.by })
		})
	}),
	"downgraded-may-resize": ofDowngraded(func(b *Behaviour, is func(*connection) bool) {
		b.roles.mayResize = letting(b.roles.mayResize, is)
	}),
	"downgraded-may-type": ofDowngraded(func(b *Behaviour, is func(*connection) bool) {
		b.roles.mayType = letting(b.roles.mayType, is)
	}),
}

// ofDowngraded is a fault that knows whom a join has downgraded, though its scope would have allowed more.
func ofDowngraded(change func(b *Behaviour, is func(*connection) bool)) func(*Behaviour) {
	return func(b *Behaviour) {
		var downgraded sync.Map // connections
		onJoin := b.roles.onJoin
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			granted, reason := onJoin(s, c, controller)
			if controller && !granted && s.b.roles.mayControl(c) {
				downgraded.Store(c, true)
			}
			return granted, reason
		}
		change(b, func(c *connection) bool {
			_, is := downgraded.Load(c)
			return is
		})
	}
}

// letting lets some members do what they may not.
func letting(was func(*session, *connection) *frameError, some func(*connection) bool) func(*session, *connection) *frameError {
	return func(s *session, c *connection) *frameError {
		if c.joined && some(c) {
			return nil
		}
		return was(s, c)
	}
}
