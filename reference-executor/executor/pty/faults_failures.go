// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"strings"
	"sync"
)

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

// laterFailureFaults are about failures of the terminal that are not the first ones of their session.
var laterFailureFaults = map[string]func(*Behaviour){
	"later-terminal-failures-have-a-code-of-their-own": laterFailures(func(payload map[string]any) { payload["code"] = "PTY_STILL_FAILING" }),
	"later-terminal-failures-have-no-message":          laterFailures(func(payload map[string]any) { delete(payload, "message") }),
}

func laterFailures(change func(payload map[string]any)) func(*Behaviour) {
	return func(b *Behaviour) {
		var failed sync.Map // ids of sessions
		b.terminal.failed = func(s *session, c *connection, code string) {
			f := terminalError(c, code, failures[code])
			if _, before := failed.LoadOrStore(s.id, true); before {
				change(f.payload)
			}
			s.emit(f)
		}
	}
}
