// SPDX-License-Identifier: Apache-2.0

package pty

import "sync"

// vacancyFaults are about roles that change hands: a place that somebody has left, has asked for in vain, or has got later than by joining.
var vacancyFaults = map[string]func(*Behaviour){
	"who-was-demoted-makes-room-twice": func(b *Behaviour) {
		var mu sync.Mutex
		former, room := map[*connection]bool{}, map[*session]int{}
		demoted, dropped, hasRoom := b.roles.demoted, b.ending.dropped, b.roles.hasRoom
		b.roles.demoted = func(s *session, c *connection) {
			mu.Lock()
			former[c] = true
			mu.Unlock()
			demoted(s, c)
		}
		b.ending.dropped = func(s *session, c *connection) {
			mu.Lock()
			if former[c] && !c.controller {
				room[s]++
			}
			mu.Unlock()
			dropped(s, c)
		}
		b.roles.hasRoom = func(s *session) bool {
			mu.Lock()
			defer mu.Unlock()
			return hasRoom(s) || s.members.controllers()-room[s] < s.hub.limits.controllers
		}
	},
	"places-of-those-gone-are-for-joins-alone": func(b *Behaviour) {
		var mu sync.Mutex
		gone := map[*session]int{}
		left, dropped, onRequest := b.ending.left, b.ending.dropped, b.roles.onRequest
		going := func(s *session, c *connection) {
			if c.controller {
				mu.Lock()
				gone[s]++
				mu.Unlock()
			}
		}
		b.ending.left = func(s *session, c *connection) { going(s, c); left(s, c) }
		b.ending.dropped = func(s *session, c *connection) { going(s, c); dropped(s, c) }
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := onRequest(s, c, controller)
			mu.Lock()
			defer mu.Unlock()
			if granted && !c.controller && s.members.controllers()+gone[s] >= s.hub.limits.controllers {
				return false, err
			}
			return granted, err
		}
	},
	"who-is-downgraded-is-not-counted":    admitsJoins(func(j *joining) bool { return j.controller }),
	"binary-observers-are-not-limited":    admitsJoins(func(j *joining) bool { return j.c.binary }),
	"who-steps-down-stays-in-both-lists":  listedTwice("observers", "controllers"),
	"who-is-promoted-stays-in-both-lists": listedTwice("controllers", "observers"),
	"vacant-places-go-to-observers": func(b *Behaviour) {
		was := b.roles.onJoin
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			if s.touched && s.closed == nil && s.members.controllers() == 0 && s.b.roles.mayControl(c) {
				return true, ""
			}
			return was(s, c, controller)
		}
	},
	"who-was-refused-stays-refused": func(b *Behaviour) {
		var refused sync.Map // connections
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := was(s, c, controller)
			if err != nil || !controller {
				return granted, err
			}
			_, before := refused.Load(c)
			if !granted {
				refused.Store(c, true)
			}
			return granted && !before, nil
		}
	},
	"former-controllers-may-always-return": func(b *Behaviour) {
		var former sync.Map // connections
		demoted, onRequest := b.roles.demoted, b.roles.onRequest
		b.roles.demoted = func(s *session, c *connection) {
			former.Store(c, true)
			demoted(s, c)
		}
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			if _, is := former.Load(c); is && controller {
				return true, nil
			}
			return onRequest(s, c, controller)
		}
	},
	"roles-asked-for-outlive-their-connection": func(b *Behaviour) {
		promoted := b.promotions()
		was := b.ending.dropped
		b.ending.dropped = func(s *session, c *connection) {
			if _, is := promoted.Load(c); !is {
				was(s, c)
			}
		}
	},
	"labels-are-lost-with-the-role": func(b *Behaviour) {
		changed := b.promotions()
		demoted, member := b.roles.demoted, b.roles.member
		b.roles.demoted = func(s *session, c *connection) {
			changed.Store(c, true)
			demoted(s, c)
		}
		b.roles.member = func(c *connection, entry map[string]any) {
			member(c, entry)
			if _, is := changed.Load(c); is {
				delete(entry, "label")
			}
		}
	},
	"answers-to-requests-for-a-role-go-to-all": func(b *Behaviour) {
		var asked sync.Map // connections
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			asked.Store(c, true)
			return was(s, c, controller)
		}
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if f.kind != kindRole {
				return all
			}
			if _, is := asked.LoadAndDelete(f.only); is {
				return s.members
			}
			return all
		})
	},
}

// promotions remembers the connections that have become controllers because they asked for it once they had joined.
func (b *Behaviour) promotions() *sync.Map {
	var promoted sync.Map
	was := b.roles.onRequest
	b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
		granted, err := was(s, c, controller)
		if granted && err == nil && !c.controller {
			promoted.Store(c, true)
		}
		return granted, err
	}
	return &promoted
}

// admitsJoins lets some clients in, however many observers there are.
func admitsJoins(some func(j *joining) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		var joins sync.Map // whether the one that is under way is such a join, by session
		host, admits := b.join.host, b.roles.admits
		b.join.host = func(j *joining) *frameError {
			joins.Store(j.session, some(j))
			return host(j)
		}
		b.roles.admits = func(s *session) bool {
			is, _ := joins.Load(s)
			return is == true || admits(s)
		}
	}
}

// listedTwice goes on to list who has changed its role where it stood before.
func listedTwice(now, before string) func(*Behaviour) {
	return func(b *Behaviour) {
		var changed sync.Map // client ids
		onRequest, roster := b.roles.onRequest, b.stream.roster
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := onRequest(s, c, controller)
			if err == nil && granted != c.controller {
				changed.Store(c.clientID, true)
			}
			return granted, err
		}
		b.stream.roster = func(by *connection, payload map[string]any) {
			roster(by, payload)
			was, _ := payload[before].([]any)
			for _, entry := range payload[now].([]any) {
				if _, is := changed.Load(entry.(map[string]any)["client_id"]); is {
					was = append(was, entry)
				}
			}
			payload[before] = was
		}
	}
}
