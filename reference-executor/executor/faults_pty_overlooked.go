// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"strings"
	"sync"
)

// overlookedFaults break what one look does not show: another key, another instance, a later page, another principal.
var overlookedFaults = map[string]func(*behaviour){
	"handshake-knows-the-sample-key": func(b *behaviour) { // the accept value of the example in RFC 6455, section 1.3
		b.pty.upgrade.accepts(func(string) string { return "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" })
	},
	"handshake-accept-is-cached": func(b *behaviour) {
		var once sync.Once
		var cached string
		b.pty.upgrade.accepts(func(key string) string {
			once.Do(func() { cached = acceptKey(key) })
			return cached
		})
	},
	"sessions-of-every-instance": func(b *behaviour) {
		was := b.pty.upgrade.session
		b.pty.upgrade.session = func(h *ptyHub, u *upgrade) *ptySession {
			if s := was(h, u); s != nil {
				return s
			}
			return h.everywhere(u.id)
		}
	},
	"listtasks-pages-without-end": func(b *behaviour) {
		b.pty.tasks.list = func(*ptyConnection, listQuery) ([]task, string, *problem) { return nil, "next", nil }
	},
	"internal-hidden-behind-success": func(b *behaviour) {
		b.pty.ending.internal = func(*ptyConnection) *ptyError { return nil }
	},
	"foreign-session-ignored-by-messages": func(b *behaviour) {
		was := b.pty.reading.foreign
		b.pty.reading.foreign = func(c *ptyConnection, r *ptyRequest) *ptyError {
			if r.op == "SendMessage" {
				return nil
			}
			return was(c, r)
		}
	},
	"replay-cut-for-observe-tokens": func(b *behaviour) {
		was := b.pty.replay.since
		b.pty.replay.since = func(s *ptySession, c *ptyConnection, from uint64) ([]*ptyFrame, bool) {
			frames, lost := was(s, c, from)
			if c.scope >= scopeControl {
				return frames, lost
			}
			var seen []*ptyFrame
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
