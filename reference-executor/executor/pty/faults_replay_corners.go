// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"sync"
)

// replayCornerFaults keep the contract in the usual replay, and break it in another: from the head, of another client, behind another one.
var replayCornerFaults = map[string]func(*Behaviour){
	"replay-cut-for-observe-tokens": func(b *Behaviour) {
		was := b.replay.since
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			frames, lost := was(s, c, from)
			if c.scope >= ScopeControl {
				return frames, lost
			}
			var seen []*frame
			for i, f := range frames {
				if i%3 != 1 {
					seen = append(seen, f)
				}
			}
			return seen, lost
		}
	},
	"replays-are-put-into-utf-8": func(b *Behaviour) {
		b.replay.copied = func(f *frame) *frame {
			if f.kind != kindOutput {
				return f
			}
			text := *f
			text.data = bytes.ToValidUTF8(f.data, []byte("\uFFFD"))
			return &text
		}
	},
	"replay-from-the-head-repeats-a-frame": func(b *Behaviour) {
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			frames, lost := conformantReplay.since(s, c, from)
			if !lost && len(frames) == 0 && from > 0 {
				return conformantReplay.since(s, c, from-1)
			}
			return frames, lost
		}
	},
	"joins-go-on-where-somebody-left": func(b *Behaviour) {
		var heads sync.Map // by session
		left, dropped, cursor := b.ending.left, b.ending.dropped, b.replay.cursor
		b.ending.left = func(s *session, c *connection) {
			heads.Store(s, s.head)
			left(s, c)
		}
		b.ending.dropped = func(s *session, c *connection) {
			heads.Store(s, s.head)
			dropped(s, c)
		}
		b.replay.cursor = func(c *connection, r *request) *uint64 {
			if head, known := heads.Load(c.session); known && r.replayFrom == nil {
				from := head.(uint64)
				return &from
			}
			return cursor(c, r)
		}
	},
}
