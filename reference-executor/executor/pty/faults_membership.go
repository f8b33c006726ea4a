// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// assignmentFaults are about RoleAssigned.
var assignmentFaults = map[string]func(*Behaviour){
	"observers-are-viewers": func(b *Behaviour) {
		b.roles.assigned = func(payload map[string]any) {
			if payload["role"] == roleObserver {
				payload["role"] = "viewer"
			}
		}
	},
	"downgrade-reason-is-a-number": func(b *Behaviour) {
		b.roles.assigned = func(payload map[string]any) {
			if payload["reason"] != nil {
				payload["reason"] = 1
			}
		}
	},
	"role-with-a-session": func(b *Behaviour) {
		b.roles.assigned = func(payload map[string]any) { payload["session_id"] = "this one" }
	},
	"client-ids-are-shared": func(b *Behaviour) {
		b.roles.clientID = func(c *connection) string {
			c.clientID = c.session.id
			return c.clientID
		}
	},
	"controllers-over-capacity-refused": func(b *Behaviour) {
		was := b.join.host
		b.join.host = func(j *joining) *frameError {
			if j.controller && j.session.touched && !j.session.b.roles.hasRoom(j.session) {
				return denied("the session has its controllers")
			}
			return was(j)
		}
	},
	"demotion-refused": func(b *Behaviour) {
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			if c.controller && !controller {
				return false, denied("a controller stays one")
			}
			return was(s, c, controller)
		}
	},
	"promoted-may-not-type": func(b *Behaviour) {
		var promoted sync.Map // connections
		request, may := b.roles.onRequest, b.roles.mayType
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			if controller && !c.controller {
				promoted.Store(c, true)
			}
			return request(s, c, controller)
		}
		b.roles.mayType = func(s *session, c *connection) *frameError {
			if _, once := promoted.Load(c); once {
				return denied("only who joined as a controller may do this")
			}
			return may(s, c)
		}
	},
}

// listingFaults are about who stands where in MembershipChanged, and who gets it.
var listingFaults = map[string]func(*Behaviour){
	"roster-renames-the-demoted": func(b *Behaviour) {
		b.roles.demoted = func(_ *session, c *connection) { c.clientID = newUUIDv7() }
	},
	"observers-displace-the-controller": func(b *Behaviour) {
		b.stream.roster = func(by *connection, payload map[string]any) {
			if !by.controller {
				payload["observers"] = append(payload["controllers"].([]any), payload["observers"].([]any)...)
				payload["controllers"] = []any{}
			}
		}
	},
	"downgraded-listed-as-controllers": func(b *Behaviour) {
		var downgraded sync.Map // the clients' ids
		assign := b.join.assign
		b.join.assign = func(j *joining) {
			assign(j)
			if j.downgraded {
				downgraded.Store(j.c.clientID, true)
			}
		}
		b.stream.roster = func(_ *connection, payload map[string]any) {
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
	"refused-observers-listed": func(b *Behaviour) {
		was := b.roles.admits
		b.roles.admits = func(s *session) bool {
			ok := was(s)
			if !ok {
				s.emitListed(s.members[0], "observers", map[string]any{"client_id": newUUIDv7()})
			}
			return ok
		}
	},
	"refused-promotions-listed": func(b *Behaviour) {
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := was(s, c, controller)
			if controller && !granted {
				s.emitListed(c, "controllers", map[string]any{"client_id": c.clientID})
			}
			return granted, err
		}
	},
	"second-join-adds-an-observer": func(b *Behaviour) {
		var twice sync.Map // connections
		b.roles.again = func(s *session, c *connection, j *joining) *frameError {
			twice.Store(s.id, c.clientID)
			s.b.join.assign(j)
			return nil
		}
		b.stream.roster = func(by *connection, payload map[string]any) {
			if id, again := twice.Load(by.session.id); again {
				payload["observers"] = append(payload["observers"].([]any), map[string]any{"client_id": id})
			}
		}
	},
	"role-changes-silent": roleChanges(func(*connection) bool { return true }),
	"role-changes-told-to-the-client-only": func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.kind != kindMembership || f.cause != causeRole {
				return all
			}
			return []*connection{f.by}
		})
	},
	"places-of-observers-that-broke-off-stay-taken": func(b *Behaviour) {
		var taken sync.Map // *atomic.Int64, by session
		of := func(s *session) *atomic.Int64 {
			n, _ := taken.LoadOrStore(s, &atomic.Int64{})
			return n.(*atomic.Int64)
		}
		dropped := b.ending.dropped
		b.ending.dropped = func(s *session, c *connection) {
			if c.joined && !c.controller {
				of(s).Add(1)
			}
			dropped(s, c)
		}
		b.roles.admits = func(s *session) bool {
			return len(s.members)-s.members.controllers()+int(of(s).Load()) < s.hub.limits.observers
		}
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
	"demotion-keeps-sizes": func(b *Behaviour) {
		var once sync.Map // controllers
		demoted, resize := b.roles.demoted, b.roles.mayResize
		b.roles.demoted = func(s *session, c *connection) {
			once.Store(c, true)
			demoted(s, c)
		}
		b.roles.mayResize = func(s *session, c *connection) *frameError {
			if _, was := once.Load(c); was {
				return nil
			}
			return resize(s, c)
		}
	},
	"who-leaves-makes-room-for-two": func(b *Behaviour) {
		gone := map[*session]int{} // controllers
		var mu sync.Mutex
		left, room := b.ending.left, b.roles.hasRoom
		b.ending.left = func(s *session, c *connection) {
			if mu.Lock(); c.controller {
				gone[s]++
			}
			mu.Unlock()
			left(s, c)
		}
		b.roles.hasRoom = func(s *session) bool {
			mu.Lock()
			defer mu.Unlock()
			return room(s) || s.members.controllers()-gone[s] < s.hub.limits.controllers
		}
	},
	"roles-asked-for-again-take-places": func(b *Behaviour) {
		taken := map[*session]int{}
		var mu sync.Mutex
		request := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			if controller && c.controller {
				mu.Lock()
				taken[s]++
				mu.Unlock()
			}
			return request(s, c, controller)
		}
		b.roles.hasRoom = func(s *session) bool {
			mu.Lock()
			defer mu.Unlock()
			return s.members.controllers()+taken[s] < s.hub.limits.controllers
		}
	},
	"vacant-places-go-to-binary-clients": func(b *Behaviour) {
		was := b.roles.onJoin
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			if c.binary && s.touched && s.closed == nil && s.members.controllers() == 0 && s.b.roles.mayControl(c) {
				return true, ""
			}
			return was(s, c, controller)
		}
	},
	"insisting-observers-exceed-the-capacity": func(b *Behaviour) {
		var kept sync.Map // connections
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := was(s, c, controller)
			if err != nil || granted || !controller {
				return granted, err
			}
			_, again := kept.LoadOrStore(c, true)
			return again, nil
		}
	},
}

// roleChanges tells some clients nothing of a change of roles.
func roleChanges(untold func(c *connection) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.kind != kindMembership || f.cause != causeRole {
				return all
			}
			return except(all, untold)
		})
	}
}

// emitListed sends a MembershipChanged that lists one more.
func (s *session) emitListed(by *connection, list string, entry map[string]any) {
	f := s.rosterFrame(by, causeJoin)
	f.payload[list] = append(f.payload[list].([]any), entry)
	s.emit(f)
}
