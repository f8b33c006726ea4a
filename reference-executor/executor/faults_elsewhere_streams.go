// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
)

// elsewhereStreamFaults show in one kind of stream only: that of a message, of a subscriber, of a task that has ended.
var elsewhereStreamFaults = map[string]func(*behaviour){
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
	"no-runtime-metadata-in-snapshots-of-ended-tasks": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.terminal() {
				t = t.seenBy(withoutRuntime(t.Active))
			}
			return []event{s.snapshot(t)}
		}
	},
	"snapshots-of-large-streamed-messages-without-context": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if s.ofMessage() && len(t.Messages) > 0 && len(textOf(t.Messages[0])) > 2<<10 {
				t.ContextID = ""
			}
			return []event{s.snapshot(t)}
		}
	},
	"snapshots-of-subscriptions-without-context": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			e := s.snapshot(t)
			if data, is := e.data.(map[string]any); is && !s.ofMessage() {
				if inner, wrapped := data["task"].(map[string]any); wrapped {
					data = inner
				}
				delete(data, "contextId")
			}
			return []event{e}
		}
	},
	"snapshots-of-ended-tasks-without-timestamp": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			e := s.snapshot(t)
			if data, is := e.data.(map[string]any); is && t.terminal() {
				if inner, wrapped := data["task"].(map[string]any); wrapped {
					data = inner
				}
				delete(data["status"].(map[string]any), "timestamp")
			}
			return []event{e}
		}
	},
	"streamed-messages-cacheable": answers("stream", func(_ *call, a answer) answer {
		a.header.Set("Cache-Control", "public, max-age=60")
		return a
	}),
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
