// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// joinFaults are about joining.
var joinFaults = map[string]func(*Behaviour){
	"backend-fallback": func(b *Behaviour) { b.join.host = func(*joining) *frameError { return nil } },
	"role-before-validation": func(b *Behaviour) {
		was := b.join.host
		b.join.host = func(j *joining) *frameError {
			err := was(j)
			if err != nil && !j.c.joined && j.session.admit(j) == nil {
				j.session.b.join.assign(j)
				j.session.b.join.announce(j)
			}
			return err
		}
	},
	"alias-ignored": func(b *Behaviour) {
		b.join.aliases = func(payload map[string]any, name, _ string) (any, bool) {
			v, given := payload[name]
			return v, given
		}
	},
	"join-sizes-may-have-fractions": func(b *Behaviour) {
		was := b.join.members
		b.join.members = func(j *joining, m *members) {
			if n, is := m.v["cols"].(json.Number); is {
				if f, err := n.Float64(); err == nil && f > 1 {
					m.v["cols"] = json.Number(strconv.Itoa(int(f)))
				}
			}
			was(j, m)
		}
	},
	"join-cols-may-be-texts": func(b *Behaviour) {
		was := b.join.members
		b.join.members = func(j *joining, m *members) {
			if text, is := m.v["cols"].(string); is {
				m.v["cols"] = json.Number(text)
			}
			was(j, m)
		}
	},
	"label-unbounded": func(b *Behaviour) {
		b.join.label = func(m *members) string { return m.text("client_label", false) }
	},
	"duplicate-member": func(b *Behaviour) {
		b.roles.again = func(s *session, c *connection, j *joining) *frameError {
			s.members = append(slices.Clone(s.members), c)
			s.b.join.assign(j)
			s.b.join.announce(j)
			s.b.join.repaint(j)
			return nil
		}
	},
	"join-resizes": func(b *Behaviour) {
		b.join.resizes = func(s *session, j *joining) bool { return true }
	},
	"joins-are-shown-the-size-they-ask-for": func(b *Behaviour) {
		var asked sync.Map // sizes, by session
		resizes, keyframe := b.join.resizes, b.terminal.keyframe
		b.join.resizes = func(s *session, j *joining) bool {
			if j.cols > 0 && j.rows > 0 {
				asked.Store(s, [2]int{j.cols, j.rows})
			}
			return resizes(s, j)
		}
		b.terminal.keyframe = func(s *session, payload map[string]any) {
			keyframe(s, payload)
			if size, is := asked.LoadAndDelete(s); is {
				payload["snapshot_cols"], payload["snapshot_rows"] = size.([2]int)[0], size.([2]int)[1]
			}
		}
	},
	"default-80x24": func(b *Behaviour) {
		was := b.join.geometry
		b.join.geometry = func(j *joining) (int, int) {
			if j.cols == 0 || j.rows == 0 {
				return 80, 24
			}
			return was(j)
		}
	},
	"membership-late": func(b *Behaviour) {
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
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
			return except(all, func(c *connection) bool { return c == f.by })
		})
	},
}

// roleFaults are about who gets which role.
var roleFaults = map[string]func(*Behaviour){
	"role-flag-string": func(b *Behaviour) {
		b.roles.assigned = func(payload map[string]any) { payload["downgraded"] = "false" }
	},
	"downgrades-are-denied": func(b *Behaviour) {
		b.roles.assigned = func(payload map[string]any) {
			if payload["downgraded"] == true {
				payload["downgraded"] = false
			}
		}
	},
	"role-broadcast": func(b *Behaviour) {
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if f.kind != kindRole {
				return all
			}
			return append(except(s.members, func(c *connection) bool { return c == f.only }), all...)
		})
	},
	"client-id-renewed": func(b *Behaviour) {
		b.roles.clientID = func(c *connection) string {
			if c.named {
				c.clientID = newUUIDv7()
			}
			c.named = true
			return c.clientID
		}
	},
	"first-observer-honoured": func(b *Behaviour) {
		was := b.roles.onJoin
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			granted, reason := was(s, c, controller)
			return granted && controller, reason
		}
	},
	"observer-upgraded": func(b *Behaviour) {
		was := b.roles.onJoin
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			// With a capacity of one there would never be room for a second: the faulty server counts one more.
			if !controller && s.b.roles.mayControl(c) && s.members.controllers() <= s.hub.limits.controllers {
				return true, ""
			}
			return was(s, c, controller)
		}
	},
	"controller-over-capacity": func(b *Behaviour) {
		was := b.roles.onJoin
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			if controller && s.b.roles.mayControl(c) && s.closed == nil {
				return true, ""
			}
			return was(s, c, controller)
		}
	},
	"observers-unlimited": func(b *Behaviour) { b.roles.admits = func(*session) bool { return true } },
	"demotion-keeps-write": func(b *Behaviour) {
		var demoted sync.Map // connections
		was := b.roles.mayType
		b.roles.demoted = func(_ *session, c *connection) { demoted.Store(c, true) }
		b.roles.mayType = func(s *session, c *connection) *frameError {
			if _, once := demoted.Load(c); once {
				return nil
			}
			return was(s, c)
		}
	},
	"promotion-never": func(b *Behaviour) {
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := was(s, c, controller)
			return granted && c.controller, err
		}
	},
	"promotion-over-capacity": func(b *Behaviour) {
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := was(s, c, controller)
			return granted || controller && err == nil, err
		}
	},
}

// rosterFaults are about MembershipChanged.
var rosterFaults = map[string]func(*Behaviour){
	"label-dropped": func(b *Behaviour) {
		b.roles.member = func(_ *connection, entry map[string]any) { delete(entry, "label") }
	},
	"member-label-null": func(b *Behaviour) {
		b.roles.member = func(c *connection, entry map[string]any) {
			if c.label == "" {
				entry["label"] = nil
			}
		}
	},
	"join-announced-to-controllers": func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.kind != kindMembership || f.cause != causeJoin {
				return all
			}
			return except(all, func(c *connection) bool { return !c.controller && c != f.by })
		})
	},
	"membership-delta": func(b *Behaviour) {
		b.stream.roster = func(by *connection, payload map[string]any) {
			for _, list := range []string{"controllers", "observers"} {
				payload[list] = slices.DeleteFunc(payload[list].([]any), func(entry any) bool {
					return entry.(map[string]any)["client_id"] != by.clientID
				})
			}
		}
	},
	"leave-silent": func(b *Behaviour) {
		b.ending.left = func(s *session, c *connection) {
			s.quit(c)
			s.farewell(c, "session_closed")
		}
	},
	"refused-joins-take-the-first-place": func(b *Behaviour) {
		was := b.join.host
		b.join.host = func(j *joining) *frameError {
			err := was(j)
			if err != nil {
				j.session.touched = true
			}
			return err
		}
	},
	"first-observer-with-a-cursor-is-honoured": func(b *Behaviour) {
		var returning sync.Map // connections
		read, onJoin := b.join.members, b.roles.onJoin
		b.join.members = func(j *joining, m *members) {
			read(j, m)
			if j.r.replayFrom != nil {
				returning.Store(j.c, true)
			}
		}
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			if _, is := returning.Load(c); is && !controller {
				return false, ""
			}
			return onJoin(s, c, controller)
		}
	},
	"binary-clients-begin-with-80x24": func(b *Behaviour) {
		was := b.join.geometry
		b.join.geometry = func(j *joining) (int, int) {
			if j.c.binary && j.cols == 0 && j.rows == 0 {
				return 80, 24
			}
			return was(j)
		}
	},
	"sessions-begin-with-the-last-other-size": func(b *Behaviour) {
		var last atomic.Pointer[[2]int]
		real := b.join.geometry
		b.join.geometry = func(j *joining) (int, int) {
			if size := last.Load(); size != nil && j.cols == 0 && j.rows == 0 {
				return size[0], size[1]
			}
			cols, rows := real(j)
			if cols != j.session.cols || rows != j.session.rows {
				last.Store(&[2]int{cols, rows})
			}
			return cols, rows
		}
	},
}
