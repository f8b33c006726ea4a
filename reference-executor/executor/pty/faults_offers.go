// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"net/http"
	"slices"
	"strings"
)

// offerFaults are about upgrades that say the usual in another way, and about what is taken for a credential or a subprotocol.
var offerFaults = map[string]func(*Behaviour){
	"upgrades-beside-keep-alive-are-refused": func(b *Behaviour) {
		was := b.upgrade.handshake
		b.upgrade.handshake = func(u *upgrade) *Refusal {
			if refused := was(u); refused != nil || strings.EqualFold(u.r.Header.Get("Connection"), "upgrade") {
				return refused
			}
			return refuse(http.StatusBadRequest, "handshake.invalid", "Connection is not Upgrade")
		}
	},
	"offers-without-blanks-are-one-offer": func(b *Behaviour) {
		b.upgrade.offers = func(h http.Header) []string {
			return strings.Split(strings.Join(h.Values("Sec-WebSocket-Protocol"), ", "), ", ")
		}
	},
	"tokens-beside-foreign-offers-are-enough": func(b *Behaviour) {
		was := b.upgrade.strange
		b.upgrade.strange = func(u *upgrade) *Refusal {
			if len(u.offered) > 1 && slices.ContainsFunc(u.offered, func(s string) bool { return strings.HasPrefix(s, embeddedPrefix) }) {
				return nil
			}
			return was(u)
		}
	},
	"offers-behind-others-are-matched-in-any-case": func(b *Behaviour) {
		was := b.upgrade.choose
		b.upgrade.choose = func(u *upgrade) *Refusal {
			refused := was(u)
			if refused == nil || len(u.offered) < 2 {
				return refused
			}
			for _, token := range []string{subprotocolJSON, subprotocolBinary} {
				if slices.ContainsFunc(u.offered[1:], func(s string) bool { return strings.EqualFold(s, token) }) {
					u.chosen = token
					return nil
				}
			}
			return refused
		}
	},
	"sessions-without-a-client-need-no-subprotocol": func(b *Behaviour) {
		was := b.upgrade.absent
		b.upgrade.absent = func(u *upgrade) *Refusal {
			if clients, found := u.clients(); !found || clients > 0 {
				return was(u)
			}
			return nil
		}
	},
	"sessions-are-found-by-their-beginning": func(b *Behaviour) {
		was := b.upgrade.session
		b.upgrade.session = func(h *Hub, u *upgrade) *session {
			if s := was(h, u); s != nil || len(u.id) < 16 {
				return s
			}
			for _, s := range h.all() {
				if s.instance.ID() == u.instance.ID() && strings.HasPrefix(s.id, u.id) {
					return s
				}
			}
			return nil
		}
	},
	"sessions-with-a-client-need-no-token": func(b *Behaviour) {
		was := b.upgrade.missing
		b.upgrade.missing = func(u *upgrade) *Refusal {
			if clients, _ := u.clients(); clients == 0 {
				return was(u)
			}
			return anonymous(instances)(u)
		}
	},
}

// clients are how many there are of the session that is asked for, if there is one.
func (u *upgrade) clients() (n int, found bool) {
	s := u.hub.find(u.instance.ID(), u.id)
	if s == nil {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.connections), true
}
