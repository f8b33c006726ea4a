// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// framingFaults are about how streams are written: their head, lines and events.
var framingFaults = map[string]func(*behaviour){
	"stream-spells-characters-as-surrogates": frame(func(_ *eventStream, text []byte) []byte {
		var out []byte
		for _, r := range string(text) {
			first, second := utf16.EncodeRune(r)
			if first == unicode.ReplacementChar {
				out = utf8.AppendRune(out, r)
				continue
			}
			for _, half := range []rune{first, second} {
				out = append(out, 0xe0|byte(half>>12), 0x80|byte(half>>6)&0x3f|0x80, 0x80|byte(half)&0x3f)
			}
		}
		return out
	}),
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
		b.sse.frame = func(s *eventStream, ev event) []byte { return append(s.c.e.lawful.Compact(ev.data), '\n') }
	},
	"stream-claims-an-encoding": streamHeader("Content-Encoding", "br"),
	"stream-in-latin-1":         streamHeader("Content-Type", "text/event-stream; charset=iso-8859-1"),
	"stream-with-cut-characters": frame(func(_ *eventStream, text []byte) []byte {
		return firstCharacterCut(text)
	}),
	"stream-with-marks-in-the-middle": frame(func(s *eventStream, text []byte) []byte {
		if s.last < 2 {
			return text
		}
		return append([]byte(": \xEF\xBB\xBF\n"), text...)
	}),
	"stream-without-data-prefix": frame(func(s *eventStream, text []byte) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("data: "), nil), []byte("data:"), nil)
	}),
	"stream-with-indented-lines": frame(func(_ *eventStream, text []byte) []byte { return append([]byte(" : a comment\n"), text...) }),
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
		b.sse.updates = func(s *eventStream, before, now task) []event {
			mission := event{name: "status", data: map[string]any{"mission": now.ID, "phase": before.State}, task: before}
			return append([]event{mission}, s.changes(before, now)...)
		}
	},
	"large-events-are-cut-into-lines": func(b *behaviour) {
		b.sse.frame = func(s *eventStream, ev event) []byte {
			if text := string(s.c.e.lawful.Encode(ev.data)); ev.data != nil && len(text) > 64<<10 {
				return s.frame(event{name: ev.name, text: text[:64<<10] + "\n" + text[64<<10:]})
			}
			return s.frame(ev)
		}
	},
	"characters-are-cut-after-four-kibibytes": func(b *behaviour) {
		b.sse.frame = func(s *eventStream, ev event) []byte {
			text := s.frame(ev)
			for i := 4 << 10; i < len(text); i++ {
				if !utf8.RuneStart(text[i]) {
					return slices.Delete(text, i, i+1)
				}
			}
			return text
		}
	},
	"streamed-messages-in-latin-1": answers("stream", func(_ *call, a answer) answer {
		a.header.Set("Content-Type", "text/event-stream; charset=iso-8859-1")
		return a
	}),
	"streamed-messages-claim-an-encoding": answers("stream", func(_ *call, a answer) answer {
		a.header.Set("Content-Encoding", "br")
		return a
	}),
	"ends-of-streamed-messages-have-no-state": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if s.ofMessage() && now.terminal() {
				s.form = formKind
				return []event{s.update("status", now, map[string]any{"status": map[string]any{"timestamp": now.Changed}})}
			}
			return s.changes(before, now)
		}
	},
	"updates-of-streamed-messages-name-no-task": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if !s.ofMessage() || !now.terminal() {
				return s.changes(before, now)
			}
			s.form = formKind
			v := map[string]any{"status": now.status()}
			ev := s.update("status", now, v)
			delete(v, "taskId")
			return []event{ev}
		}
	},
	"streamed-messages-without-the-last-blank-line": ofStreamedMessages(func(s *eventStream, ev event, text []byte) []byte {
		if ev.task.terminal() {
			return append(bytes.TrimRight(text, "\r\n"), '\n')
		}
		return text
	}),
	"streamed-messages-with-cut-characters": ofStreamedMessages(func(_ *eventStream, _ event, text []byte) []byte {
		return firstCharacterCut(text)
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
}

// firstCharacterCut leaves of the first character of several bytes the first one.
func firstCharacterCut(text []byte) []byte {
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRune(text[i:])
		if size > 1 {
			return append(bytes.Clone(text[:i+1]), text[i+size:]...)
		}
		i += size
	}
	return text
}
