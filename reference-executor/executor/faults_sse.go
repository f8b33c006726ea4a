// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

var sseFaults = map[string]func(*behaviour){
	"subscribe-only-with-a-colon": rewrite(func(_ *Executor, _, path string) string {
		if at, ok := strings.CutSuffix(path, ":subscribe"); ok {
			return at + "/subscribe"
		}
		if strings.HasSuffix(path, "/subscribe") {
			return path + "/nothing-here"
		}
		return path
	}),
	"stream-as-json-lines": func(b *behaviour) {
		streamHeader("Content-Type", "application/x-ndjson")(b)
		b.sse.frame = func(s *eventStream, ev event) []byte { return append(s.c.e.lawful.compact(ev.data), '\n') }
	},
	"stream-in-latin-1": streamHeader("Content-Type", "text/event-stream; charset=iso-8859-1"),
	"stream-with-cut-characters": frame(func(_ *eventStream, text []byte) []byte {
		for i := 0; i < len(text); {
			_, size := utf8.DecodeRune(text[i:])
			if size > 1 {
				return append(bytes.Clone(text[:i+1]), text[i+size:]...)
			}
			i += size
		}
		return text
	}),
	"stream-with-marks-in-the-middle": frame(func(s *eventStream, text []byte) []byte {
		if s.last < 2 {
			return text
		}
		return append([]byte("\xEF\xBB\xBF"), text...)
	}),
	"stream-without-data-prefix": frame(func(s *eventStream, text []byte) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("data: "), nil), []byte("data:"), nil)
	}),
	"stream-with-indented-lines": frame(func(_ *eventStream, text []byte) []byte { return append([]byte(" "), text...) }),
	"stream-with-unknown-fields": frame(func(_ *eventStream, text []byte) []byte { return append([]byte("version: 1\n"), text...) }),
	"events-without-blank-lines": frame(func(_ *eventStream, text []byte) []byte {
		return append(bytes.TrimRight(text, "\r\n"), '\n')
	}),
	"last-event-without-blank-line": func(b *behaviour) {
		b.sse.frame = func(s *eventStream, ev event) []byte {
			text := s.frame(ev)
			if ev.task.terminal() {
				return append(bytes.TrimRight(text, "\r\n"), '\n')
			}
			return text
		}
	},
	"events-carry-bare-states": func(b *behaviour) {
		b.sse.frame = func(s *eventStream, ev event) []byte { return s.frame(event{name: ev.name, text: ev.task.State}) }
	},
	"events-of-an-unknown-kind": func(b *behaviour) {
		b.sse.updates = func(_ *eventStream, _, now task) []event {
			return []event{{name: "status", data: map[string]any{"mission": now.ID, "phase": now.State}, task: now}}
		}
	},
	"stream-without-snapshot": func(b *behaviour) {
		b.sse.snapshot = func(*eventStream, task) []event { return nil }
	},
	"stream-begins-with-an-update": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			s.form = formKind
			return []event{s.update("status", t, map[string]any{"status": t.status()})}
		}
	},
	"snapshot-of-another-task": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event { t.ID = newID(); return []event{s.snapshot(t)} }
	},
	"snapshot-is-the-first-state": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			t.State, t.Ended = submitted, time.Time{}
			return []event{s.snapshot(t)}
		}
	},
	"stream-buffered-to-the-end": func(b *behaviour) {
		b.sse.write = func(s *eventStream, text []byte) { s.pending = append(s.pending, text...) }
		b.sse.closes = func(s *eventStream) { _, _ = s.w.Write(s.pending) }
	},
	"stream-tells-snapshot-only": func(b *behaviour) {
		b.sse.updates = func(*eventStream, task, task) []event { return nil }
	},
	"stream-stays-open-after-the-end": func(b *behaviour) {
		b.sse.ends = func(*eventStream, task) bool { return false }
	},
	"stream-goes-on-after-the-end": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			events := s.changes(before, now)
			if now.terminal() {
				again := before
				again.Changed = now.Changed
				events = append(events, s.update("status", again, map[string]any{"status": again.status()}))
			}
			return events
		}
	},
	"stream-ends-after-a-while": func(b *behaviour) { b.sse.longest = 400 * time.Millisecond },
	"stream-of-an-ended-task-hangs": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.terminal() {
				return nil
			}
			return []event{s.snapshot(t)}
		}
		b.sse.ends = func(s *eventStream, t task) bool { return t.terminal() && s.emitted > 0 }
	},
	"stream-refusal-is-an-event": func(b *behaviour) {
		b.sse.refused = func(c *call, p *problem) answer {
			a := answer{status: http.StatusOK, header: http.Header{}}
			c.e.b.sse.header(a.header)
			a.stream = func(w http.ResponseWriter) {
				c.newStream(w).emit([]event{{name: "error", data: p.document(c)}})
			}
			return a
		}
	},
	"events-out-of-order": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			events := s.changes(before, now)
			if now.State == working {
				s.held = events
				return nil
			}
			events = append(events, s.held...)
			s.held = nil
			return events
		}
	},
	"updates-for-one-subscriber-only": func(b *behaviour) {
		b.sse.tells = func(e *Executor, t task, w *watcher) bool { return e.watchers[t.ID][0] == w }
	},
	"lost-subscriber-cancels-the-task": func(b *behaviour) {
		b.sse.lost = func(in *instance, id string) { _, _ = in.cancelTask(id) }
	},
	"last-event-id-refused": func(b *behaviour) {
		b.sse.opens = func(c *call, _ task) *problem {
			if c.r.Header.Get("Last-Event-ID") != "" {
				return invalid("Last-Event-ID", "cannot be resumed from")
			}
			return nil
		}
	},
	"heartbeat-is-an-event": func(b *behaviour) {
		b.sse.heartbeat = func(s *eventStream) []byte { return s.frame(event{data: map[string]any{}}) }
	},
	"stream-without-heartbeat": func(b *behaviour) {
		b.sse.heartbeat = func(*eventStream) []byte { return nil }
	},
	"stream-cacheable":             streamHeader("Cache-Control", "public, max-age=60"),
	"stream-without-cache-control": streamHeader("Cache-Control", ""),
	"retry-with-a-unit":            frame(func(_ *eventStream, text []byte) []byte { return append([]byte("retry: 3s\n"), text...) }),
	"event-ids-repeat":             frame(func(s *eventStream, text []byte) []byte { return append([]byte("id: 7\n"), withoutIDs(text)...) }),
	"event-ids-decrease": frame(func(s *eventStream, text []byte) []byte {
		return append(fmt.Appendf(nil, "id: %d\n", 1000-s.last), withoutIDs(text)...)
	}),
	"event-ids-with-zeros": frame(func(s *eventStream, text []byte) []byte {
		return append(fmt.Appendf(nil, "id: %d\x00\n", s.last), withoutIDs(text)...)
	}),
}

// frame changes the bytes of an event.
func frame(change func(s *eventStream, text []byte) []byte) func(*behaviour) {
	return func(b *behaviour) {
		real := b.sse.frame
		b.sse.frame = func(s *eventStream, ev event) []byte { return change(s, real(s, ev)) }
	}
}

// withoutIDs drops the id lines of an event.
func withoutIDs(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("id:")) {
			out = append(out, line...)
		}
	}
	return out
}

func streamHeader(name, value string) func(*behaviour) {
	return func(b *behaviour) {
		set := b.sse.header
		b.sse.header = func(h http.Header) {
			set(h)
			if h.Set(name, value); value == "" {
				h.Del(name)
			}
		}
	}
}
