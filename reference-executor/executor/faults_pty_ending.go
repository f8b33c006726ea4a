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
	"closed-without-goodbye": func(b *behaviour) { b.pty.ending.over = func(*ptySession) {} },
}

// stray is output that comes when none may come any more.
func (s *ptySession) stray(only *ptyConnection) *ptyFrame {
	f := terminalFrame(kindOutput, nil)
	f.data, f.only = []byte("late\n"), only
	return f
}
