// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"slices"
	"time"
)

// repaintLiberties are about output, sizes and Keyframes.
var repaintLiberties = map[string]func(*Behaviour){
	// The wire reference, 4.2: output may be cut anywhere.
	"output-comes-byte-by-byte": func(b *Behaviour) {
		chunk := b.terminal.chunk
		b.terminal.chunk = func(h *Hub) int {
			if h.lawful.Below(3) > 0 {
				return 1 + h.lawful.Below(2)
			}
			return chunk(h)
		}
	},
	// A45: the interval is an upper bound.
	"keyframes-come-often": func(b *Behaviour) {
		cadence := b.terminal.cadence
		b.terminal.cadence = func(s *session) bool { return cadence(s) || s.cadence.outputs >= 3 }
	},
	// A45: the interval is an upper bound.
	"the-first-output-brings-a-keyframe": func(b *Behaviour) {
		cadence := b.terminal.cadence
		b.terminal.cadence = func(s *session) bool { return cadence(s) || s.head <= 2 }
	},
	// A46: requested ones may go to all.
	"requested-keyframes-go-to-all": func(b *Behaviour) {
		b.terminal.answers = func(s *session, c *connection) {
			if wait := time.Until(c.keyframes.last.Add(time.Second)); wait > 0 || s.armed[faultSnapshot] {
				answerKeyframe(s, c)
				return
			}
			c.keyframes.last = time.Now()
			s.keyframe(nil, causeRequest)
		}
	},
	// A44: later than 1 s warns.
	"requested-keyframes-take-their-time": func(b *Behaviour) {
		answers := b.terminal.answers
		b.terminal.answers = func(s *session, c *connection) {
			s.hub.run(func() {
				s.hub.pause(600 * time.Millisecond)
				s.mu.Lock()
				defer s.mu.Unlock()
				if c.joined && !s.stopped {
					answers(s, c)
				}
			})
		}
	},
	// A19: up to the own number.
	"anchors-are-their-own-number": func(b *Behaviour) {
		b.terminal.keyframe = func(s *session, v map[string]any) { v["anchor_sequence"] = s.head + 1 }
	},
	// No sentence: a size that is in force already is no news.
	"resizing-to-the-same-size-is-no-news": func(b *Behaviour) {
		b.terminal.tells = func(s *session, cols, rows int) bool { return cols != s.cols || rows != s.rows }
	},
	// A19: the format of snapshots is opaque.
	"snapshots-hold-more": func(b *Behaviour) {
		snapshot := b.terminal.snapshot
		b.terminal.snapshot = func(s *session) []byte {
			return slices.Concat(bytes.Repeat([]byte("\x00scrollback\x1b[0m"), 400), snapshot(s))
		}
	},
	// A20: the words of section 9 are in the union.
	"sessions-close-with-another-reason": func(b *Behaviour) {
		b.ending.closed = func(v map[string]any) {
			if v["reason"] == "normal" {
				v["reason"] = "command_result"
			}
		}
	},
}
