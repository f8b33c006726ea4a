// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"strings"
	"sync"

	"github.com/gobwas/ws"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
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
	"ids-in-upper-case-are-answered-in-lower-case": func(b *Behaviour) {
		real := b.outgoing.envelope
		b.outgoing.envelope = func(c *connection, d delivery, env map[string]any) {
			real(c, d, env)
			if id, is := env["id"].(string); is {
				env["id"] = strings.ToLower(id)
			}
		}
	},
	"refused-sizes-take-a-number": func(b *Behaviour) {
		real := b.roles.mayResize
		b.roles.mayResize = func(s *session, c *connection) *frameError {
			err := real(s, c)
			if err != nil {
				s.head++
			}
			return err
		}
	},
	"closes-without-a-code-are-errors": func(b *Behaviour) {
		real := b.wire.header
		b.wire.header = func(h ws.Header, inMessage bool) *websocket.Violation {
			if h.OpCode == ws.OpClose && h.Length == 0 {
				return &websocket.Violation{Code: websocket.CloseProtocol, Why: "the close has no code"}
			}
			return real(h, inMessage)
		}
	},
	"params-of-the-newest-connection": func(b *Behaviour) {
		var newest sync.Map // by session
		params, update := b.reading.params, b.tasks.update
		b.reading.params = func(c *connection, r *request) {
			params(c, r)
			if !c.begun && r.params != nil {
				newest.Store(c.session, r.params)
			}
		}
		b.tasks.update = func(c *connection, params map[string]any) {
			update(c, params)
			newest.Store(c.session, params)
		}
		stamped := b.tasks.stamped
		b.tasks.stamped = func(c *connection) map[string]any {
			if params, found := newest.Load(c.session); found {
				return params.(map[string]any)
			}
			return stamped(c)
		}
	},
	"long-binary-input-is-cut": func(b *Behaviour) {
		real := b.reading.binary
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			input, err := real(c, frame)
			return input[:min(len(input), 4096)], err
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
	"unsubscribe-is-for-everyone": func(b *Behaviour) {
		real := b.tasks.unsub
		b.tasks.unsub = func(c *connection, r *request, id string) {
			c.session.mu.Lock()
			for _, other := range c.session.connections {
				delete(other.subscribed, id)
			}
			c.session.mu.Unlock()
			real(c, r, id)
		}
	},
	"replays-are-put-into-utf-8": func(b *Behaviour) {
		b.replay.copied = func(f *frame) *frame {
			if f.kind != kindOutput {
				return f
			}
			text := *f
			text.data = bytes.ToValidUTF8(f.data, []byte("\uFFFD"))
			return &text
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
