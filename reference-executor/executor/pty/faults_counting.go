// SPDX-License-Identifier: Apache-2.0

package pty

import "sync"

// countingFaults take numbers of the session's counter for what nobody is sent, or tell its head without what is no frame of the terminal.
var countingFaults = map[string]func(*Behaviour){
	"roles-that-stay-take-a-number": func(b *Behaviour) {
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := was(s, c, controller)
			if err == nil && granted == c.controller {
				s.head = s.b.stream.next(s.head)
			}
			return granted, err
		}
	},
	"merged-keyframe-requests-take-a-number": answering(func(s *session, c *connection, answer func()) {
		if c.keyframes.timer != nil {
			s.head = s.b.stream.next(s.head)
		}
		answer()
	}),
	"leaves-take-two-numbers": func(b *Behaviour) {
		was := b.ending.left
		b.ending.left = func(s *session, c *connection) {
			s.head = s.b.stream.next(s.head)
			was(s, c)
		}
	},
	"greetings-count-the-terminal-alone": func(b *Behaviour) {
		heads := terminalHeads(b)
		b.hello.edit(func(c *connection, payload map[string]any) {
			if head, known := heads.Load(c.session); known {
				payload["session"].(map[string]any)["current_sequence"] = head
			}
		})
	},
	"subscriptions-count-the-terminal-alone": func(b *Behaviour) {
		heads := terminalHeads(b)
		b.outgoing.edit(func(c *connection, f *frame, env map[string]any) {
			if head, known := heads.Load(c.session); known && f.op == "SubscribeToTask.Accepted" {
				env["payload"] = map[string]any{"current_sequence": head}
			}
		})
	},
}

// terminalHeads remembers of each session the newest number of a frame of its terminal.
func terminalHeads(b *Behaviour) *sync.Map {
	heads := &sync.Map{}
	b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
		if f.op == opTerminal {
			heads.Store(s, f.sequence)
		}
		return all
	})
	return heads
}
