// SPDX-License-Identifier: Apache-2.0

package pty

import "sync"

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
