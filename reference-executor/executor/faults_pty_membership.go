// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"slices"
	"sync"
)

// assignmentFaults are about RoleAssigned.
var assignmentFaults = map[string]func(*behaviour){
	"observers-are-viewers": func(b *behaviour) {
		b.pty.roles.assigned = func(payload map[string]any) {
			if payload["role"] == roleObserver {
				payload["role"] = "viewer"
			}
		}
	},
	"downgrade-reason-is-a-number": func(b *behaviour) {
		b.pty.roles.assigned = func(payload map[string]any) {
			if payload["reason"] != nil {
				payload["reason"] = 1
			}
		}
	},
	"role-with-a-session": func(b *behaviour) {
		b.pty.roles.assigned = func(payload map[string]any) { payload["session_id"] = "this one" }
	},
	"client-ids-are-shared": func(b *behaviour) {
		b.pty.roles.clientID = func(c *ptyConnection) string {
			c.clientID = c.session.id
			return c.clientID
		}
	},
	"controllers-over-capacity-refused": func(b *behaviour) {
		b.pty.join.host = func(j *joining) *ptyError {
			if j.controller && j.session.touched && !j.session.b.roles.hasRoom(j.session) {
				return denied("the session has its controllers")
			}
			return nil
		}
	},
	"demotion-refused": func(b *behaviour) {
		was := b.pty.roles.onRequest
		b.pty.roles.onRequest = func(s *ptySession, c *ptyConnection, controller bool) (bool, *ptyError) {
			if c.controller && !controller {
				return false, denied("a controller stays one")
			}
			return was(s, c, controller)
		}
	},
	"promoted-may-not-type": func(b *behaviour) {
		var promoted sync.Map // connections
		request, may := b.pty.roles.onRequest, b.pty.roles.mayType
		b.pty.roles.onRequest = func(s *ptySession, c *ptyConnection, controller bool) (bool, *ptyError) {
			if controller && !c.controller {
				promoted.Store(c, true)
			}
			return request(s, c, controller)
		}
		b.pty.roles.mayType = func(s *ptySession, c *ptyConnection) *ptyError {
			if _, once := promoted.Load(c); once {
				return denied("only who joined as a controller may do this")
			}
			return may(s, c)
		}
	},
}

// listingFaults are about who stands where in MembershipChanged, and who gets it.
var listingFaults = map[string]func(*behaviour){
	"roster-renames-the-demoted": func(b *behaviour) {
		b.pty.roles.demoted = func(_ *ptySession, c *ptyConnection) { c.clientID = newUUIDv7() }
	},
	"observers-displace-the-controller": func(b *behaviour) {
		b.pty.stream.roster = func(by *ptyConnection, payload map[string]any) {
			if !by.controller {
				payload["observers"] = append(payload["controllers"].([]any), payload["observers"].([]any)...)
				payload["controllers"] = []any{}
			}
		}
	},
	"downgraded-listed-as-controllers": func(b *behaviour) {
		var downgraded sync.Map // the clients' ids
		assign := b.pty.join.assign
		b.pty.join.assign = func(j *joining) {
			assign(j)
			if j.downgraded {
				downgraded.Store(j.c.clientID, true)
			}
		}
		b.pty.stream.roster = func(_ *ptyConnection, payload map[string]any) {
			observers := payload["observers"].([]any)
			payload["observers"] = slices.DeleteFunc(slices.Clone(observers), func(entry any) bool {
				_, is := downgraded.Load(entry.(map[string]any)["client_id"])
				if is {
					payload["controllers"] = append(payload["controllers"].([]any), entry)
				}
				return is
			})
		}
	},
	"refused-observers-listed": func(b *behaviour) {
		was := b.pty.roles.admits
		b.pty.roles.admits = func(s *ptySession) bool {
			ok := was(s)
			if !ok {
				s.emitListed(s.members[0], "observers", map[string]any{"client_id": newUUIDv7()})
			}
			return ok
		}
	},
	"refused-promotions-listed": func(b *behaviour) {
		was := b.pty.roles.onRequest
		b.pty.roles.onRequest = func(s *ptySession, c *ptyConnection, controller bool) (bool, *ptyError) {
			granted, err := was(s, c, controller)
			if controller && !granted {
				s.emitListed(c, "controllers", map[string]any{"client_id": c.clientID})
			}
			return granted, err
		}
	},
	"second-join-adds-an-observer": func(b *behaviour) {
		var twice sync.Map // connections
		b.pty.roles.again = func(s *ptySession, c *ptyConnection, j *joining) *ptyError {
			twice.Store(s.id, c.clientID)
			s.b.join.assign(j)
			return nil
		}
		b.pty.stream.roster = func(by *ptyConnection, payload map[string]any) {
			if id, again := twice.Load(by.session.id); again {
				payload["observers"] = append(payload["observers"].([]any), map[string]any{"client_id": id})
			}
		}
	},
	"role-changes-silent": roleChanges(func(*ptyConnection) bool { return true }),
	"role-changes-told-to-the-client-only": func(b *behaviour) {
		b.pty.stream.reach(func(_ *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind != kindMembership || f.cause != causeRole {
				return all
			}
			return []*ptyConnection{f.by}
		})
	},
}

// roleChanges tells some clients nothing of a change of roles.
func roleChanges(untold func(c *ptyConnection) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.stream.reach(func(_ *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind != kindMembership || f.cause != causeRole {
				return all
			}
			return except(all, untold)
		})
	}
}

// emitListed sends a MembershipChanged that lists one more.
func (s *ptySession) emitListed(by *ptyConnection, list string, entry map[string]any) {
	f := s.rosterFrame(by, causeJoin)
	f.payload[list] = append(f.payload[list].([]any), entry)
	s.emit(f)
}
