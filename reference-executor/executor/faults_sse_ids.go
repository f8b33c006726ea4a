// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// sseIDFaults are about the ids of events, and their order.
var sseIDFaults = map[string]func(*behaviour){
	"events-out-of-order": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			events := s.changes(before, now)
			if now.terminal() {
				events = append(events, s.update("status", before, map[string]any{"status": before.status()}))
			}
			return events
		}
	},
	"event-times-run-backwards": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			now.Changed = before.Changed.Add(-time.Minute)
			return s.changes(before, now)
		}
	},
	"retry-with-a-unit": frame(func(_ *eventStream, text []byte) []byte { return append([]byte("retry: 3s\n"), text...) }),
	"event-ids-repeat":  frame(func(s *eventStream, text []byte) []byte { return append([]byte("id: 7\n"), withoutIDs(text)...) }),
	"event-ids-decrease": frame(func(s *eventStream, text []byte) []byte {
		return append(fmt.Appendf(nil, "id: %d\n", 1000-s.last), withoutIDs(text)...)
	}),
	"event-ids-with-zeros": frame(func(s *eventStream, text []byte) []byte {
		return append(fmt.Appendf(nil, "id: %d\x00\n", s.last), withoutIDs(text)...)
	}),
	"ids-of-streamed-messages-repeat": ofStreamedMessages(func(_ *eventStream, _ event, text []byte) []byte {
		return append([]byte("id: seven\n"), withoutIDs(text)...)
	}),
	"times-of-streamed-messages-run-backwards": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if s.ofMessage() {
				now.Changed = before.Changed.Add(-time.Minute)
			}
			return s.changes(before, now)
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
