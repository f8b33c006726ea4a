// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"sync"
	"unicode/utf8"
)

// membershipCornerFaults keep the contract for the usual member of a session, and break it for another: a later one, one that asks again, one of the other subprotocol.
var membershipCornerFaults = map[string]func(*Behaviour){
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
	"labels-are-measured-in-bytes": func(b *Behaviour) {
		real := b.join.label
		b.join.label = func(m *members) string {
			label := real(m)
			if len(label) > maxLabel {
				m.fail("client_label", "has more than 128 characters")
			}
			return label
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
	"unfinished-characters-wait": func(b *Behaviour) {
		var held sync.Map // by session
		b.terminal.output = func(s *session, data []byte) []byte {
			if before, is := held.Load(s); is {
				data = append(before.([]byte), data...)
			}
			whole := data[:len(data)-unfinished(data)]
			held.Store(s, append([]byte(nil), data[len(whole):]...))
			return whole
		}
	},
	"later-controllers-resize": func(b *Behaviour) {
		b.join.resizes = func(_ *session, j *joining) bool { return j.c.controller }
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
}

// unfinished is how many bytes at the end begin a character and do not end it.
func unfinished(data []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(data)); n++ {
		if tail := data[len(data)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			return 0
		}
	}
	return 0
}
