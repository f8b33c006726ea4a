// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"sync/atomic"

	"github.com/gobwas/ws"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

// endingFaults are about how connections and sessions end.
var endingFaults = map[string]func(*Behaviour){
	"goodbye-missing": func(b *Behaviour) {
		was := b.ending.goodbye
		b.ending.goodbye = func(c *connection, reason string) {
			if reason == "server_shutdown" {
				c.conn.Close()
				return
			}
			was(c, reason)
		}
	},
	"output-after-goodbye": func(b *Behaviour) {
		b.ending.goodbye = func(c *connection, reason string) {
			c.say(goodbyeFrame(reason))
			c.session.emit(strayOutput(c))
			c.end(closeNormal, "")
		}
	},
	"leave-keeps-open": func(b *Behaviour) {
		b.ending.left = func(s *session, c *connection) { s.part(c, causeLeave) }
	},
	"leave-ends-session": func(b *Behaviour) {
		was := b.ending.left
		b.ending.left = func(s *session, c *connection) {
			was(s, c)
			s.close("last_member_left", nil, "")
			if s.process != nil {
				s.process.Kill()
			}
		}
	},
	"closed-twice": func(b *Behaviour) {
		was := b.ending.over
		b.ending.over = func(s *session) {
			s.emit(terminalFrame(kindClosed, s.closed.payload))
			was(s)
		}
	},
	"exit-code-lost": func(b *Behaviour) {
		b.ending.closed = func(payload map[string]any) { payload["exit_code"] = nil }
	},
	"output-after-closed": func(b *Behaviour) {
		was := b.ending.over
		b.ending.over = func(s *session) {
			s.emit(strayOutput(nil))
			was(s)
		}
	},
	"closed-not-retained": func(b *Behaviour) {
		was := b.ending.over
		b.ending.over = func(s *session) {
			was(s)
			s.hub.remove(s)
		}
	},
	"goodbye-to-members-only": func(b *Behaviour) {
		was := b.ending.goodbye
		b.ending.goodbye = func(c *connection, reason string) {
			if reason == "server_shutdown" && !c.joined {
				c.end(closeNormal, "")
				return
			}
			was(c, reason)
		}
	},
	"goodbye-for-another-reason": farewells(func(c *connection, reason string) {
		if reason == "session_closed" {
			reason = "bye"
		}
		c.say(goodbyeFrame(reason))
		c.end(closeNormal, "")
	}),
	"goodbye-with-details": farewells(func(c *connection, reason string) {
		f := goodbyeFrame(reason)
		f.payload["detail"] = []any{"the client has left"}
		c.say(f)
		c.end(closeNormal, "")
	}),
	"goodbye-twice": farewells(func(c *connection, reason string) {
		c.say(goodbyeFrame(reason))
		c.say(goodbyeFrame(reason))
		c.end(closeNormal, "")
	}),
	"goodbyes-come-behind-the-close": farewells(func(c *connection, reason string) {
		c.send(delivery{control: &websocket.Message{Opcode: ws.OpClose, Payload: websocket.ClosePayload(closeNormal, "")}})
		c.send(delivery{frame: goodbyeFrame(reason), closing: true})
	}),
	"goodbye-without-a-close": farewells(func(c *connection, reason string) { c.say(goodbyeFrame(reason)) }),
	"shutdown-says-session-closed": func(b *Behaviour) {
		was := b.ending.goodbye
		b.ending.goodbye = func(c *connection, _ string) { was(c, "session_closed") }
	},
	"shutdown-closes-with-1001": shutdownCloses(1001),
	"shutdown-closes-with-1011": shutdownCloses(closeInternal),
	"leave-closes-with-4400": func(b *Behaviour) {
		b.ending.left = func(s *session, c *connection) {
			s.part(c, causeLeave)
			c.end(closeBadEnvelope, "the client has left")
		}
	},
	"close-without-a-code": func(b *Behaviour) { b.wire.closeCode = func(int) int { return 0 } },
	"violations-cut-the-connection": func(b *Behaviour) {
		was := b.outgoing.line
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			if code, _ := websocket.ReadClose(d.closePayload()); code == websocket.CloseProtocol || code == websocket.CloseBadText {
				c.conn.Close()
				return nil
			}
			return was(c, d)
		}
	},
	"reserved-bits-cut-the-connection": func(b *Behaviour) {
		was := b.outgoing.line
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			if bytes.Contains(d.closePayload(), []byte("a reserved bit is set")) {
				c.conn.Close()
				return nil
			}
			return was(c, d)
		}
	},
	"internal-as-unsupported": func(b *Behaviour) {
		b.ending.internal = func(*connection) *frameError { return unsupported("the request could not be served") }
	},
	"internal-failures-of-reads-are-not-found": func(b *Behaviour) {
		var newest atomic.Value // the operation that is about to fail
		coerce, internal := b.reading.coerce, b.ending.internal
		b.reading.coerce = func(envelope map[string]any) {
			coerce(envelope)
			op, _ := envelope["op"].(string)
			newest.Store(op)
		}
		b.ending.internal = func(c *connection) *frameError {
			if newest.Load() == "GetTask" {
				return noTask()
			}
			return internal(c)
		}
	},
	"internal-closes-with-4400": func(b *Behaviour) {
		was := b.errors.after
		internal := b.ending.internal
		b.ending.internal = func(c *connection) *frameError {
			err := internal(c)
			c.failing = true
			return err
		}
		b.errors.after = func(c *connection) {
			was(c)
			if c.failing {
				c.end(closeBadEnvelope, "the request could not be served")
			}
		}
	},
	"closed-without-goodbye": func(b *Behaviour) { b.ending.over = func(*session) {} },

	"closes-without-a-code-are-errors": func(b *Behaviour) {
		real := b.wire.header
		b.wire.header = func(h ws.Header, inMessage bool) *websocket.Violation {
			if h.OpCode == ws.OpClose && h.Length == 0 {
				return &websocket.Violation{Code: websocket.CloseProtocol, Why: "the close has no code"}
			}
			return real(h, inMessage)
		}
	},
	"internal-hidden-behind-success": func(b *Behaviour) {
		b.ending.internal = func(*connection) *frameError { return nil }
	},
}

// closePayload is what a close carries, and nothing for anything else.
func (d delivery) closePayload() []byte {
	if !d.closing || d.control == nil {
		return nil
	}
	return d.control.Payload
}

// farewells replaces how connections are bidden goodbye.
func farewells(goodbye func(c *connection, reason string)) func(*Behaviour) {
	return func(b *Behaviour) { b.ending.goodbye = goodbye }
}

// shutdownCloses says goodbye, and closes with another code when the executor stops.
func shutdownCloses(code int) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.ending.goodbye
		b.ending.goodbye = func(c *connection, reason string) {
			if reason != "server_shutdown" {
				was(c, reason)
				return
			}
			c.say(goodbyeFrame(reason))
			c.end(code, "")
		}
	}
}

// strayOutput is output that comes when none may come any more.
func strayOutput(only *connection) *frame {
	f := terminalFrame(kindOutput, nil)
	f.data, f.only = []byte("late\n"), only
	return f
}
