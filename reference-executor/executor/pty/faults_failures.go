// SPDX-License-Identifier: Apache-2.0

package pty

import "strings"

// failureFaults are about how failures of the terminal are reported.
var failureFaults = map[string]func(*Behaviour){
	"resize-failures-silent":   silentFailure(codeResizeFailed),
	"keyframe-failures-silent": silentFailure(codeNoKeyframe),
	"terminal-failures-as-errors-of-the-binding": func(b *Behaviour) {
		b.terminal.failed = func(s *session, c *connection, code string) {
			c.refuse("", &frameError{code: codeInternal, message: failures[code]})
		}
	},
	"terminal-failures-have-one-code": func(b *Behaviour) {
		b.terminal.failed = func(s *session, c *connection, code string) {
			s.emit(terminalError(c, "PTY_FAILED", failures[code]))
		}
	},
	"terminal-failures-with-long-messages": func(b *Behaviour) {
		b.terminal.failed = func(s *session, c *connection, code string) {
			s.emit(terminalError(c, code, strings.Repeat(failures[code]+" ", 100)))
		}
	},
	"losses-untold": func(b *Behaviour) {
		b.outgoing.queue(func(_ *connection, d delivery) []delivery {
			if d.frame.kind == kindError && d.frame.payload["code"] == codeOutputLagged {
				return nil
			}
			return []delivery{d}
		})
	},
	"terminal-failures-close": func(b *Behaviour) {
		was := b.terminal.failed
		b.terminal.failed = func(s *session, c *connection, code string) {
			was(s, c, code)
			c.end(1011, "")
		}
	},
}

func silentFailure(code string) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.terminal.failed
		b.terminal.failed = func(s *session, c *connection, failed string) {
			if failed != code {
				was(s, c, failed)
			}
		}
	}
}
