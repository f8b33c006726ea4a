// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// sseCornerFaults keep the contract in the usual stream, and break it in one kind only: that of a message, of a subscriber, of a task that has ended.
var sseCornerFaults = map[string]func(*behaviour){
	"streamed-messages-without-the-last-blank-line": ofStreamedMessages(func(s *eventStream, ev event, text []byte) []byte {
		if ev.task.terminal() {
			return append(bytes.TrimRight(text, "\r\n"), '\n')
		}
		return text
	}),
	"streamed-messages-with-cut-characters": ofStreamedMessages(func(_ *eventStream, _ event, text []byte) []byte {
		for i := 0; i < len(text); {
			_, size := utf8.DecodeRune(text[i:])
			if size > 1 {
				return append(bytes.Clone(text[:i+1]), text[i+size:]...)
			}
			i += size
		}
		return text
	}),
	"streamed-messages-with-indented-lines": ofStreamedMessages(func(_ *eventStream, _ event, text []byte) []byte {
		return append([]byte(" : a comment\n"), text...)
	}),
	"streamed-messages-end-with-a-bare-state": func(b *behaviour) {
		b.sse.frame = func(s *eventStream, ev event) []byte {
			if s.ofMessage() && ev.task.terminal() {
				return s.frame(event{name: ev.name, text: ev.task.State})
			}
			return s.frame(ev)
		}
	},
	"ids-of-streamed-messages-repeat": ofStreamedMessages(func(_ *eventStream, _ event, text []byte) []byte {
		return append([]byte("id: seven\n"), withoutIDs(text)...)
	}),
	"streamed-messages-go-on-after-the-end": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			events := s.changes(before, now)
			if s.ofMessage() && now.terminal() {
				events = append(events, s.update("status", now, map[string]any{"status": now.status()}))
			}
			return events
		}
	},
	"times-of-streamed-messages-run-backwards": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if s.ofMessage() {
				now.Changed = before.Changed.Add(-time.Minute)
			}
			return s.changes(before, now)
		}
	},
	"streamed-messages-cacheable": answers("stream", func(_ *call, a answer) answer {
		a.header.Set("Cache-Control", "public, max-age=60")
		return a
	}),
	"streams-wait-for-clients-that-take-gzip": func(b *behaviour) {
		write, closes := b.sse.write, b.sse.closes
		b.sse.write = func(s *eventStream, text []byte) {
			if strings.Contains(s.c.r.Header.Get("Accept-Encoding"), "gzip") {
				s.pending = append(s.pending, text...)
				return
			}
			write(s, text)
		}
		b.sse.closes = func(s *eventStream) {
			if len(s.pending) > 0 {
				write(s, s.pending)
				s.pending = nil
			}
			closes(s)
		}
	},
	"canceling-a-task-ends-all-streams": func(b *behaviour) {
		var canceledSoFar atomic.Int64
		var begun sync.Map // how many tasks had been canceled, by stream
		announce, snapshot, ends := b.tasks.announce, b.sse.snapshot, b.sse.ends
		b.tasks.announce = func(in *instance, t task) {
			announce(in, t)
			if t.State != canceled {
				return
			}
			canceledSoFar.Add(1)
			for id, list := range maps.Clone(in.e.watchers) {
				if id == t.ID {
					continue
				}
				for _, w := range slices.Clone(list) {
					close(w.updates)
					in.e.watchers.drop(id, w)
				}
			}
		}
		b.sse.snapshot = func(s *eventStream, t task) []event {
			begun.Store(s, canceledSoFar.Load())
			return snapshot(s, t)
		}
		b.sse.ends = func(s *eventStream, t task) bool {
			n, known := begun.Load(s)
			return ends(s, t) || known && n.(int64) < canceledSoFar.Load()
		}
	},
	"second-subscription-to-an-ended-task-hangs": func(b *behaviour) {
		var once seen
		var hanging sync.Map
		snapshot, ends := b.sse.snapshot, b.sse.ends
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.terminal() && !s.ofMessage() && once.before(t.ID) {
				hanging.Store(s, true)
				return nil
			}
			return snapshot(s, t)
		}
		b.sse.ends = func(s *eventStream, t task) bool {
			_, hangs := hanging.Load(s)
			return ends(s, t) && !hangs
		}
	},
	"refusals-of-streamed-messages-are-events": func(b *behaviour) {
		real := b.sse.start
		b.sse.start = func(c *call, a answer) answer {
			if a = real(c, a); a.status < 400 {
				return a
			}
			refusal := a.body
			a = answer{status: http.StatusOK, header: http.Header{}}
			c.e.b.sse.header(a.header)
			a.stream = func(w http.ResponseWriter) {
				c.newStream(w).emit([]event{{name: "error", text: string(refusal)}})
			}
			return a
		}
	},
	"event-ids-to-come-are-refused": func(b *behaviour) {
		opens := b.sse.opens
		b.sse.opens = func(c *call, t task) *problem {
			if n, err := strconv.Atoi(c.r.Header.Get("Last-Event-ID")); err == nil && n > 1000 {
				return refuse(http.StatusRequestedRangeNotSatisfiable, "stream.no_such_event", "there has been no event of that id")
			}
			return opens(c, t)
		}
	},
	"newest-event-ids-get-no-snapshot": func(b *behaviour) {
		var newest sync.Map // ids of events, by task
		b.sse.frame = func(s *eventStream, ev event) []byte {
			text := s.frame(ev)
			if s.numbers {
				newest.Store(ev.task.ID, s.last)
			}
			return text
		}
		b.sse.snapshot = func(s *eventStream, t task) []event {
			last, told := newest.Load(t.ID)
			if seen, err := strconv.Atoi(s.c.r.Header.Get("Last-Event-ID")); told && err == nil && seen == last && !t.terminal() {
				s.last = seen
				return nil
			}
			return conformantSSE.snapshot(s, t)
		}
	},
}

// ofMessage says whether it is the stream of a message, and not of a subscriber.
func (s *eventStream) ofMessage() bool { return strings.HasSuffix(s.c.r.URL.Path, "/messages:stream") }

// ofStreamedMessages changes the bytes of the events that answer messages:stream.
func ofStreamedMessages(change func(s *eventStream, ev event, text []byte) []byte) func(*behaviour) {
	return func(b *behaviour) {
		real := b.sse.frame
		b.sse.frame = func(s *eventStream, ev event) []byte {
			text := real(s, ev)
			if s.ofMessage() {
				return change(s, ev, text)
			}
			return text
		}
	}
}
