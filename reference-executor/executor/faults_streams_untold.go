// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"strings"
	"sync"
	"time"
)

// untoldFaults are about what streams do not tell: how tasks end by themselves, what becomes of those that wait for the client
// or get another message, and whatever comes late.
var untoldFaults = map[string]func(*behaviour){
	"completions-are-not-streamed": untold(func(_, now task) bool { return now.State == completed }),
	"failures-are-not-streamed":    untold(func(_, now task) bool { return now.State == failed }),
	"cancels-of-waiting-tasks-are-not-streamed": untold(func(before, now task) bool {
		return before.State == inputRequired && now.State == canceled
	}),
	"streams-are-silent-after-an-answer": silent(func(_ *eventStream, first, now task) bool {
		return len(now.Answered) > len(first.Answered)
	}),
	"streams-are-silent-after-another-message": silent(func(_ *eventStream, first, now task) bool {
		return len(now.Messages) > len(first.Messages)
	}),
	"streams-fall-asleep": func(b *behaviour) {
		var begun sync.Map // when, by stream
		snapshot, updates := b.sse.snapshot, b.sse.updates
		b.sse.snapshot = func(s *eventStream, t task) []event {
			begun.Store(s, time.Now())
			return snapshot(s, t)
		}
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if at, is := begun.Load(s); is && time.Since(at.(time.Time)) > late {
				return nil
			}
			return updates(s, before, now)
		}
	},
	"streamed-messages-end-after-a-while": func(b *behaviour) {
		b.sse.longest = func(s *eventStream) time.Duration {
			if s.ofMessage() {
				return late
			}
			return 0
		}
	},
	"streamed-messages-without-heartbeat": func(b *behaviour) {
		real := b.sse.heartbeat
		b.sse.heartbeat = func(s *eventStream) []byte {
			if s.ofMessage() {
				return nil
			}
			return real(s)
		}
	},
	"snapshots-of-waiting-tasks-are-at-work": func(b *behaviour) {
		real := b.sse.snapshot
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.State == inputRequired && strings.HasSuffix(s.c.r.URL.Path, "/subscribe") {
				t.State, t.Says, t.Prompt = working, "", nil
			}
			return real(s, t)
		}
	},
}

// late is longer than most streams are looked at, and shorter than those that are about a long time.
const late = 1500 * time.Millisecond

// untold leaves some changes out of streams.
func untold(which func(before, now task) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.sse.updates
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if which(before, now) {
				return nil
			}
			return real(s, before, now)
		}
	}
}

// silent lets streams tell nothing more, and stay open, once that holds of the task that they began with and of what has become of it.
func silent(once func(s *eventStream, first, now task) bool) func(*behaviour) {
	return func(b *behaviour) {
		var first sync.Map // task by stream
		snapshot, updates, ends := b.sse.snapshot, b.sse.updates, b.sse.ends
		is := func(s *eventStream, now task) bool {
			began, known := first.Load(s)
			return known && once(s, began.(task), now)
		}
		b.sse.snapshot = func(s *eventStream, t task) []event {
			first.Store(s, t)
			return snapshot(s, t)
		}
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if is(s, now) {
				return nil
			}
			return updates(s, before, now)
		}
		b.sse.ends = func(s *eventStream, t task) bool { return ends(s, t) && !is(s, t) }
	}
}
