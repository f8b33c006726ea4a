// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"slices"
	"sync"
)

// joinFaults are about joining.
var joinFaults = map[string]func(*behaviour){
	"backend-fallback": func(b *behaviour) { b.pty.join.host = func(*joining) *ptyError { return nil } },
	"role-before-validation": func(b *behaviour) {
		was := b.pty.join.host
		b.pty.join.host = func(j *joining) *ptyError {
			err := was(j)
			if err != nil && !j.c.joined && j.session.admit(j) == nil {
				j.session.b.join.assign(j)
				j.session.b.join.announce(j)
			}
			return err
		}
	},
	"alias-ignored": func(b *behaviour) {
		b.pty.join.aliases = func(payload map[string]any, name, _ string) (any, bool) {
			v, given := payload[name]
			return v, given
		}
	},
	"label-unbounded": func(b *behaviour) {
		b.pty.join.label = func(m *members) string { return m.text("client_label", false) }
	},
	"duplicate-member": func(b *behaviour) {
		b.pty.roles.again = func(s *ptySession, c *ptyConnection, j *joining) *ptyError {
			s.members = append(slices.Clone(s.members), c)
			s.b.join.assign(j)
			s.b.join.announce(j)
			s.b.join.repaint(j)
			return nil
		}
	},
	"join-resizes": func(b *behaviour) {
		b.pty.join.resizes = func(s *ptySession, j *joining) bool { return true }
	},
	"default-80x24": func(b *behaviour) {
		was := b.pty.join.geometry
		b.pty.join.geometry = func(j *joining) (int, int) {
			if j.cols == 0 || j.rows == 0 {
				return 80, 24
			}
			return was(j)
		}
	},
	"membership-late": func(b *behaviour) {
		b.pty.stream.reach(func(s *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind != kindMembership || f.cause != causeJoin {
				return all
			}
			s.hub.run(func() {
				if s.hub.pause(later) {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.deliver(f.by, delivery{frame: f})
				}
			})
			return except(all, func(c *ptyConnection) bool { return c == f.by })
		})
	},
}

// roleFaults are about who gets which role.
var roleFaults = map[string]func(*behaviour){
	"role-flag-string": func(b *behaviour) {
		b.pty.roles.assigned = func(payload map[string]any) { payload["downgraded"] = "false" }
	},
	"role-broadcast": func(b *behaviour) {
		b.pty.stream.reach(func(s *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind != kindRole {
				return all
			}
			return append(except(s.members, func(c *ptyConnection) bool { return c == f.only }), all...)
		})
	},
	"client-id-renewed": func(b *behaviour) {
		b.pty.roles.clientID = func(c *ptyConnection) string {
			if c.named {
				c.clientID = newUUIDv7()
			}
			c.named = true
			return c.clientID
		}
	},
	"first-observer-honoured": func(b *behaviour) {
		was := b.pty.roles.onJoin
		b.pty.roles.onJoin = func(s *ptySession, c *ptyConnection, controller bool) (bool, string) {
			granted, reason := was(s, c, controller)
			return granted && controller, reason
		}
	},
	"observer-upgraded": func(b *behaviour) {
		was := b.pty.roles.onJoin
		b.pty.roles.onJoin = func(s *ptySession, c *ptyConnection, controller bool) (bool, string) {
			// With a capacity of one there would never be room for a second: the faulty server counts one more.
			if !controller && s.b.roles.mayControl(c) && s.controllers() <= s.hub.limits.controllers {
				return true, ""
			}
			return was(s, c, controller)
		}
	},
	"controller-over-capacity": func(b *behaviour) {
		was := b.pty.roles.onJoin
		b.pty.roles.onJoin = func(s *ptySession, c *ptyConnection, controller bool) (bool, string) {
			if controller && s.b.roles.mayControl(c) && s.closed == nil {
				return true, ""
			}
			return was(s, c, controller)
		}
	},
	"observers-unlimited": func(b *behaviour) { b.pty.roles.admits = func(*ptySession) bool { return true } },
	"demotion-keeps-write": func(b *behaviour) {
		var demoted sync.Map // connections
		was := b.pty.roles.mayType
		b.pty.roles.demoted = func(_ *ptySession, c *ptyConnection) { demoted.Store(c, true) }
		b.pty.roles.mayType = func(s *ptySession, c *ptyConnection) *ptyError {
			if _, once := demoted.Load(c); once {
				return nil
			}
			return was(s, c)
		}
	},
	"promotion-never": func(b *behaviour) {
		was := b.pty.roles.onRequest
		b.pty.roles.onRequest = func(s *ptySession, c *ptyConnection, controller bool) (bool, *ptyError) {
			granted, err := was(s, c, controller)
			return granted && c.controller, err
		}
	},
	"promotion-over-capacity": func(b *behaviour) {
		was := b.pty.roles.onRequest
		b.pty.roles.onRequest = func(s *ptySession, c *ptyConnection, controller bool) (bool, *ptyError) {
			granted, err := was(s, c, controller)
			return granted || controller && err == nil, err
		}
	},
}

// rosterFaults are about MembershipChanged.
var rosterFaults = map[string]func(*behaviour){
	"label-dropped": func(b *behaviour) {
		b.pty.roles.member = func(_ *ptyConnection, entry map[string]any) { delete(entry, "label") }
	},
	"member-label-null": func(b *behaviour) {
		b.pty.roles.member = func(c *ptyConnection, entry map[string]any) {
			if c.label == "" {
				entry["label"] = nil
			}
		}
	},
	"join-announced-to-controllers": func(b *behaviour) {
		b.pty.stream.reach(func(_ *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind != kindMembership || f.cause != causeJoin {
				return all
			}
			return except(all, func(c *ptyConnection) bool { return !c.controller && c != f.by })
		})
	},
	"membership-delta": func(b *behaviour) {
		b.pty.stream.roster = func(by *ptyConnection, payload map[string]any) {
			for _, list := range []string{"controllers", "observers"} {
				payload[list] = slices.DeleteFunc(payload[list].([]any), func(entry any) bool {
					return entry.(map[string]any)["client_id"] != by.clientID
				})
			}
		}
	},
	"leave-silent": func(b *behaviour) {
		b.pty.ending.left = func(s *ptySession, c *ptyConnection) {
			s.quit(c)
			s.farewell(c, "session_closed")
		}
	},
}
