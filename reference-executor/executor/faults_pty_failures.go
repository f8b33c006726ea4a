// SPDX-License-Identifier: Apache-2.0

package executor

import "strings"

// failureFaults are about how failures of the terminal are reported.
var failureFaults = map[string]func(*behaviour){
	"resize-failures-silent":   silentFailure(codeResizeFailed),
	"keyframe-failures-silent": silentFailure(codeNoKeyframe),
	"terminal-failures-as-errors-of-the-binding": func(b *behaviour) {
		b.pty.terminal.failed = func(s *ptySession, c *ptyConnection, code string) {
			c.refuse("", &ptyError{code: codeInternal, message: failures[code]})
		}
	},
	"terminal-failures-have-one-code": func(b *behaviour) {
		b.pty.terminal.failed = func(s *ptySession, c *ptyConnection, code string) {
			s.emit(terminalError(c, "PTY_FAILED", failures[code]))
		}
	},
	"terminal-failures-with-long-messages": func(b *behaviour) {
		b.pty.terminal.failed = func(s *ptySession, c *ptyConnection, code string) {
			s.emit(terminalError(c, code, strings.Repeat(failures[code]+" ", 100)))
		}
	},
	"losses-untold": func(b *behaviour) {
		b.pty.outgoing.queue(func(_ *ptyConnection, d delivery) []delivery {
			if d.frame.kind == kindError && d.frame.payload["code"] == codeOutputLagged {
				return nil
			}
			return []delivery{d}
		})
	},
	"terminal-failures-close": func(b *behaviour) {
		was := b.pty.terminal.failed
		b.pty.terminal.failed = func(s *ptySession, c *ptyConnection, code string) {
			was(s, c, code)
			c.end(1011, "")
		}
	},
}

func silentFailure(code string) func(*behaviour) {
	return func(b *behaviour) {
		was := b.pty.terminal.failed
		b.pty.terminal.failed = func(s *ptySession, c *ptyConnection, failed string) {
			if failed != code {
				was(s, c, failed)
			}
		}
	}
}
