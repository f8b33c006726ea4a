// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

// connectionLiberties are about the upgrade, WebSocket and the limits.
var connectionLiberties = map[string]func(*Behaviour){
	// Notation of the catalogs: the HTTP answer within 5 s, the greeting within 2 s of it.
	"attaching-takes-a-second": func(b *Behaviour) {
		b.upgrade.admit = func(*upgrade) *Refusal {
			time.Sleep(400 * time.Millisecond)
			return nil
		}
		b.wire.begins = func(*connection) { time.Sleep(700 * time.Millisecond) }
	},
	// pty-ws/v1 section 1: an id of a session is only meant to be a UUID. What a URL cannot hold as it is stands there escaped.
	"session-ids-need-escapes-in-urls": func(b *Behaviour) {
		b.sessionID = func() string { return "büro-7+1,~" + newUUIDv7() }
	},
	// A59: no figure is given for when a client that does not answer is given up; who reads nothing can be sent no Close.
	"silent-clients-are-given-up-soon": func(b *Behaviour) {
		every, after := b.wire.pingEvery, b.wire.reapAfter
		b.wire.pingEvery = func(h *Hub) time.Duration { return every(h) / 6 }
		b.wire.reapAfter = func(h *Hub) time.Duration { return after(h) / 5 }
		b.wire.reap = func(c *connection) {
			if c.session != nil {
				c.session.detach(c)
			}
			c.conn.Close()
		}
	},
	// RFC 6455, 4.2.2: Upgrade and Connection are compared without case, and Connection is a list; other headers are free.
	"upgrades-come-through-a-proxy": func(b *Behaviour) {
		header := b.upgrade.header
		b.upgrade.header = func(u *upgrade, lines []string) []string {
			lines = slices.Clone(lines)
			for i, line := range lines {
				switch line {
				case "Upgrade: websocket":
					lines[i] = "upgrade:WebSocket"
				case "Connection: Upgrade":
					lines[i] = "CONNECTION: keep-alive , upgrade"
				}
			}
			return header(u, append(lines, "Server: nginx", "Via: 1.1 edge", "Set-Cookie: lb=3; Path=/", "Date: "+time.Now().UTC().Format(http.TimeFormat)))
		}
	},
	// RFC 6455, 5.4: a message may come in fragments, cut anywhere, with control frames between them.
	"messages-come-in-fragments": func(b *Behaviour) {
		b.wire.write = func(w io.Writer, m websocket.Message) error {
			if m.Opcode.IsControl() || len(m.Payload) < 3 {
				return websocket.Write(w, m)
			}
			third := len(m.Payload) / 3
			pieces := [][]byte{m.Payload[:third], nil, m.Payload[third : 2*third], m.Payload[2*third:]}
			for i, piece := range pieces {
				h := ws.Header{Fin: i == len(pieces)-1, OpCode: m.Opcode, Length: int64(len(piece))}
				if i > 0 {
					h.OpCode = ws.OpContinuation
				}
				if i == 2 {
					if err := websocket.Write(w, websocket.Message{Opcode: ws.OpPing, Payload: []byte("between")}); err != nil {
						return err
					}
				}
				if err := ws.WriteHeader(w, h); err != nil {
					return err
				}
				if _, err := w.Write(piece); err != nil {
					return err
				}
			}
			return nil
		}
	},
	// RFC 6455, 5.5.2 and 5.5.3: pings at any time, with data; pongs that nobody asked for.
	"pings-come-all-the-time": func(b *Behaviour) {
		b.wire.pingEvery = func(*Hub) time.Duration { return 40 * time.Millisecond }
		line := b.outgoing.line
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			pong := delivery{control: &websocket.Message{Opcode: ws.OpPong, Payload: []byte("here")}}
			return append([]delivery{pong}, line(c, d)...)
		}
	},
	// PTY-113: 1000, or no code.
	"closes-are-answered-without-a-code": func(b *Behaviour) { b.wire.goodbye = func([]byte) []byte { return nil } },
	// A52: the limit is free.
	"messages-are-at-most-64-kib": func(b *Behaviour) { b.wire.most = func() int64 { return 64 << 10 } },
	// A32: either of two offered subprotocols.
	"json-is-preferred": func(b *Behaviour) {
		b.upgrade.choose = func(u *upgrade) *Refusal {
			p := chooseSubprotocol(u)
			if p == nil && u.chosen == subprotocolBinary && slices.Contains(u.offered, subprotocolJSON) {
				u.chosen = subprotocolJSON
			}
			return p
		}
	},
	// The wire reference, 1: "Bodies of refusals are free"; 400, 405 or 426 for what is no handshake.
	"refused-upgrades-answer-a-page": func(b *Behaviour) {
		b.upgrade.refused = func(_ *upgrade, p *Refusal) Answer {
			return Answer{Serve: func(w http.ResponseWriter) {
				maps.Copy(w.Header(), p.Header)
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(p.Status)
				_, _ = io.WriteString(w, "<h1>"+http.StatusText(p.Status)+"</h1>")
			}}
		}
	},
	// The wire reference, 7.8: the params are free.
	"terminals-have-two-controllers": func(b *Behaviour) {
		limit(b, func(l *limits) { l.controllers = max(l.controllers, 2) })
	},
	// The wire reference, 7.8: the params are free.
	"terminals-have-five-observers": func(b *Behaviour) { limit(b, func(l *limits) { l.observers = 5 }) },
	// The wire reference, 7.8: the params are free.
	"terminals-are-80x24-and-often-repainted": func(b *Behaviour) {
		limit(b, func(l *limits) { l.cols, l.rows, l.keyframeFrames, l.keyframeSeconds = 80, 24, 6, 1 })
	},
}

func limit(b *Behaviour, change func(*limits)) {
	was := b.limits
	b.limits = func(l limits) limits {
		l = was(l)
		change(&l)
		return l
	}
}
