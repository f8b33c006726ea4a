// SPDX-License-Identifier: Apache-2.0

package executor

// endingFaults are about how connections and sessions end.
var endingFaults = map[string]func(*behaviour){
	"goodbye-missing": func(b *behaviour) {
		was := b.pty.ending.goodbye
		b.pty.ending.goodbye = func(c *ptyConnection, reason string) {
			if reason == "server_shutdown" {
				c.conn.Close()
				return
			}
			was(c, reason)
		}
	},
	"output-after-goodbye": func(b *behaviour) {
		b.pty.ending.goodbye = func(c *ptyConnection, reason string) {
			c.say(goodbyeFrame(reason))
			c.session.emit(c.session.stray(c))
			c.end(closeNormal, "")
		}
	},
	"leave-keeps-open": func(b *behaviour) {
		b.pty.ending.left = func(s *ptySession, c *ptyConnection) { s.part(c, causeLeave) }
	},
	"leave-ends-session": func(b *behaviour) {
		was := b.pty.ending.left
		b.pty.ending.left = func(s *ptySession, c *ptyConnection) {
			was(s, c)
			s.close("last_member_left", nil, "")
			if s.process != nil {
				s.process.kill()
			}
		}
	},
	"closed-twice": func(b *behaviour) {
		was := b.pty.ending.over
		b.pty.ending.over = func(s *ptySession) {
			s.emit(terminalFrame(kindClosed, s.closed.payload))
			was(s)
		}
	},
	"exit-code-lost": func(b *behaviour) {
		b.pty.ending.closed = func(payload map[string]any) { payload["exit_code"] = nil }
	},
	"output-after-closed": func(b *behaviour) {
		was := b.pty.ending.over
		b.pty.ending.over = func(s *ptySession) {
			s.emit(s.stray(nil))
			was(s)
		}
	},
	"closed-not-retained": func(b *behaviour) {
		was := b.pty.ending.over
		b.pty.ending.over = func(s *ptySession) {
			was(s)
			s.hub.remove(s)
		}
	},
	"goodbye-to-members-only": func(b *behaviour) {
		was := b.pty.ending.goodbye
		b.pty.ending.goodbye = func(c *ptyConnection, reason string) {
			if reason == "server_shutdown" && !c.joined {
				c.end(closeNormal, "")
				return
			}
			was(c, reason)
		}
	},
	"goodbye-for-another-reason": farewells(func(c *ptyConnection, reason string) {
		if reason == "session_closed" {
			reason = "bye"
		}
		c.say(goodbyeFrame(reason))
		c.end(closeNormal, "")
	}),
	"goodbye-with-details": farewells(func(c *ptyConnection, reason string) {
		f := goodbyeFrame(reason)
		f.payload["detail"] = []any{"the client has left"}
		c.say(f)
		c.end(closeNormal, "")
	}),
	"goodbye-twice": farewells(func(c *ptyConnection, reason string) {
		c.say(goodbyeFrame(reason))
		c.say(goodbyeFrame(reason))
		c.end(closeNormal, "")
	}),
	"goodbye-without-a-close": farewells(func(c *ptyConnection, reason string) { c.say(goodbyeFrame(reason)) }),
	"shutdown-says-session-closed": func(b *behaviour) {
		was := b.pty.ending.goodbye
		b.pty.ending.goodbye = func(c *ptyConnection, _ string) { was(c, "session_closed") }
	},
	"shutdown-closes-with-1001": shutdownCloses(1001),
	"shutdown-closes-with-1011": shutdownCloses(closeInternal),
	"leave-closes-with-4400": func(b *behaviour) {
		b.pty.ending.left = func(s *ptySession, c *ptyConnection) {
			s.part(c, causeLeave)
			c.end(closeBadEnvelope, "the client has left")
		}
	},
	"close-without-a-code": func(b *behaviour) { b.pty.wire.closeCode = func(int) int { return 0 } },
	"violations-cut-the-connection": func(b *behaviour) {
		was := b.pty.outgoing.line
		b.pty.outgoing.line = func(c *ptyConnection, d delivery) []delivery {
			if code, _ := readClose(d.closePayload()); code == closeProtocol || code == closeBadText {
				c.conn.Close()
				return nil
			}
			return was(c, d)
		}
	},
	"internal-as-unsupported": func(b *behaviour) {
		b.pty.ending.internal = func(*ptyConnection) *ptyError { return unsupported("the request could not be served") }
	},
	"internal-closes-with-4400": func(b *behaviour) {
		was := b.pty.errors.after
		internal := b.pty.ending.internal
		b.pty.ending.internal = func(c *ptyConnection) *ptyError {
			err := internal(c)
			c.failing = true
			return err
		}
		b.pty.errors.after = func(c *ptyConnection) {
			was(c)
			if c.failing {
				c.end(closeBadEnvelope, "the request could not be served")
			}
		}
	},
	"closed-without-goodbye": func(b *behaviour) { b.pty.ending.over = func(*ptySession) {} },
}

// closePayload is what a close carries, and nothing for anything else.
func (d delivery) closePayload() []byte {
	if !d.closing {
		return nil
	}
	return d.control.payload
}

// farewells replaces how connections are bidden goodbye.
func farewells(goodbye func(c *ptyConnection, reason string)) func(*behaviour) {
	return func(b *behaviour) { b.pty.ending.goodbye = goodbye }
}

// shutdownCloses says goodbye, and closes with another code when the executor stops.
func shutdownCloses(code int) func(*behaviour) {
	return func(b *behaviour) {
		was := b.pty.ending.goodbye
		b.pty.ending.goodbye = func(c *ptyConnection, reason string) {
			if reason != "server_shutdown" {
				was(c, reason)
				return
			}
			c.say(goodbyeFrame(reason))
			c.end(code, "")
		}
	}
}

// stray is output that comes when none may come any more.
func (s *ptySession) stray(only *ptyConnection) *ptyFrame {
	f := terminalFrame(kindOutput, nil)
	f.data, f.only = []byte("late\n"), only
	return f
}
