// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"strings"
	"sync"
)

// overlookedFaults break what one look does not show: another key, another instance, a later page, another principal.
var overlookedFaults = map[string]func(*Behaviour){
	"handshake-knows-the-sample-key": func(b *Behaviour) { // the accept value of the example in RFC 6455, section 1.3
		b.upgrade.accepts(func(string) string { return "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" })
	},
	"handshake-accept-is-cached": func(b *Behaviour) {
		var once sync.Once
		var cached string
		b.upgrade.accepts(func(key string) string {
			once.Do(func() { cached = acceptKey(key) })
			return cached
		})
	},
	"sessions-of-every-instance": func(b *Behaviour) {
		was := b.upgrade.session
		b.upgrade.session = func(h *Hub, u *upgrade) *session {
			if s := was(h, u); s != nil {
				return s
			}
			return h.everywhere(u.id)
		}
	},
	"listtasks-pages-without-end": func(b *Behaviour) {
		b.tasks.list = func(*connection, Query) ([]Task, string, *Refusal) { return nil, "next", nil }
	},
	"internal-hidden-behind-success": func(b *Behaviour) {
		b.ending.internal = func(*connection) *frameError { return nil }
	},
	"foreign-session-ignored-by-messages": func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			if r.op == "SendMessage" {
				return nil
			}
			return was(c, r)
		}
	},
	"replay-cut-for-observe-tokens": func(b *Behaviour) {
		was := b.replay.since
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			frames, lost := was(s, c, from)
			if c.scope >= ScopeControl {
				return frames, lost
			}
			var seen []*frame
			for i, f := range frames {
				if i%3 != 1 {
					seen = append(seen, f)
				}
			}
			return seen, lost
		}
	},
}

// accepts changes the Sec-WebSocket-Accept of the answers.
func (b *upgradeBehaviour) accepts(of func(key string) string) {
	was := b.header
	b.header = func(u *upgrade, lines []string) []string {
		for i, line := range lines {
			if strings.HasPrefix(line, "Sec-WebSocket-Accept: ") {
				lines[i] = "Sec-WebSocket-Accept: " + of(u.r.Header.Get("Sec-WebSocket-Key"))
			}
		}
		return was(u, lines)
	}
}
