// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"bytes"
	"net/http"
	"slices"
	"time"
)

// startShown changes what is told of start tasks.
func startShown(change func(v *startTask, o object)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.starts.shown
		b.starts.shown = func(c *call, v *startTask, o object) object {
			o = before(c, v, o)
			change(v, o)
			return o
		}
	}
}

var startFaults = map[string]func(*behaviour){
	"start-answers-when-ready": func(b *behaviour) {
		before := b.starts.first
		b.starts.first = func(c *call, v *startTask) answer {
			for !v.ended() && c.s.wait(c.s.config.Step) {
				now, is := getStartTask(c, v.id).(*startTask)
				if !is {
					break
				}
				v = now
			}
			return before(c, v)
		}
	},
	"start-loses-the-title": startShown(func(_ *startTask, o object) {
		request := deep(o["request"]).(object)
		request["title"] = nil
		o["request"] = request
	}),
	"start-task-without-request":        startShown(func(_ *startTask, o object) { delete(o, "request") }),
	"start-task-with-a-numbered-status": startShown(func(v *startTask, o object) { o["status"] = slices.Index(startStates, v.state) }),
	"start-is-forgotten": func(b *behaviour) {
		before := b.starts.first
		b.starts.first = func(c *call, v *startTask) answer {
			c.s.store.mu.Lock()
			delete(c.s.store.starts, v.id)
			c.s.store.mu.Unlock()
			return before(c, v)
		}
	},
	"start-never-ends": func(b *behaviour) { b.starts.ends = func(*Server, *startTask) bool { return false } },
	"start-changes-after-its-end": func(b *behaviour) {
		before := b.starts.shown
		b.starts.shown = func(c *call, v *startTask, o object) object {
			o = before(c, v, o)
			if v.state != ready || c.r.Method != http.MethodGet {
				return o
			}
			c.s.store.mu.Lock()
			defer c.s.store.mu.Unlock()
			if kept := c.s.store.starts[v.id]; kept != nil {
				if kept.read++; kept.read > 2 { // whoever polls has seen its end by then
					o["status"], o["detail"] = broken, "the sandbox went away"
				}
			}
			return o
		}
	},
	"start-goes-back": func(b *behaviour) {
		before := b.starts.steps
		b.starts.steps = func(v *startTask) []string { return slices.Insert(before(v), 3, working, working, working, working) }
	},
	"ready-without-agent-url":         func(b *behaviour) { b.starts.ready = func(_ *Server, v *startTask) { v.agent = nil } },
	"ready-in-another-sandbox":        func(b *behaviour) { b.starts.ready = func(_ *Server, v *startTask) { v.sandbox += "-other" } },
	"error-without-detail":            func(b *behaviour) { b.starts.detail = func(string) any { return nil } },
	"failed-start-has-a-conversation": earlyID(func(v *startTask) bool { return v.state == broken }),
	"conversation-id-while-working":   earlyID(func(v *startTask) bool { return !v.ended() }),
	"unknown-values-are-ignored": func(b *behaviour) {
		before, pulls := b.request.oneOf, b.request.pulls
		b.request.oneOf = func(rd *reader, o object, name string, values []string) any {
			return unlessWrong(rd, func() any { return before(rd, o, name, values) })
		}
		b.request.pulls = func(rd *reader, o object) []any {
			all, _ := unlessWrong(rd, func() any { return pulls(rd, o) }).([]any)
			return all
		}
	},
}

// earlyID gives an id of a conversation where there is none.
func earlyID(holds func(v *startTask) bool) func(*behaviour) {
	return func(b *behaviour) {
		before := b.starts.earlyID
		b.starts.earlyID = func(v *startTask) any {
			if holds(v) {
				return v.id
			}
			return before(v)
		}
	}
}

// unlessWrong reads something, and takes no offence.
func unlessWrong(rd *reader, read func() any) any {
	known := len(rd.problems)
	v := read()
	rd.problems = rd.problems[:known]
	return v
}

// breaksOff ends streams of starts that fail in the middle, where a condition holds.
func breaksOff(holds func(v *startTask) bool) func(*behaviour) {
	return func(b *behaviour) {
		before := b.stream.breaks
		b.stream.breaks = func(c *call, v *startTask) bool { return before(c, v) || v.state == broken && holds(v) }
	}
}

// pieces changes the elements of a stream.
func pieces(change func(c *call, v *startTask, element int, text []byte) []byte) func(*behaviour) {
	return func(b *behaviour) {
		before := b.stream.pieces
		b.stream.pieces = func(c *call, v *startTask, element int) []byte { return change(c, v, element, before(c, v, element)) }
	}
}

var comma = []byte(",\n")

var streamFaults = map[string]func(*behaviour){
	"stream-in-lines": func(b *behaviour) {
		pieces(func(_ *call, _ *startTask, _ int, text []byte) []byte {
			return append(bytes.Clone(bytes.TrimPrefix(text, comma)), '\n')
		})(b)
		b.stream.opens = func(*call) string { return "" }
		b.stream.closes = func(*call) string { return "" }
	},
	"stream-of-events": func(b *behaviour) {
		pieces(func(_ *call, _ *startTask, _ int, text []byte) []byte {
			return slices.Concat([]byte("data: "), bytes.TrimPrefix(text, comma), []byte("\n\n"))
		})(b)
		b.stream.opens = func(*call) string { return "" }
		b.stream.closes = func(*call) string { return "" }
		onAnswers(namedRoutes["streamed-start"], func(_ *call, a answer) answer {
			if a.stream != nil {
				a.header.Set("Content-Type", "text/event-stream")
			}
			return a
		})(b)
	},
	"stream-is-buffered": func(b *behaviour) { b.stream.buffers = func(*call) bool { return true } },
	"stream-without-commas": pieces(func(_ *call, _ *startTask, _ int, text []byte) []byte {
		return append(bytes.Clone(bytes.TrimPrefix(text, comma)), '\n')
	}),
	"stream-stays-open": func(b *behaviour) { b.stream.lingers = func(c *call) { c.s.wait(150 * c.s.config.Step) } },
	"stream-goes-on-after-the-end": pieces(func(c *call, v *startTask, _ int, text []byte) []byte {
		if !v.ended() {
			return text
		}
		again := *v
		again.state = conversing
		return slices.Concat(text, comma, c.s.lawful.Compact(again.shown(c)))
	}),
	"stream-with-new-ids": pieces(func(c *call, v *startTask, element int, text []byte) []byte {
		return bytes.ReplaceAll(text, []byte(v.id), []byte(newID()))
	}),
	"streamed-starts-are-not-stored": func(b *behaviour) { b.stream.keeps = func(*Server, *startTask) bool { return false } },
	"streamed-starts-are-stored-at-their-end": func(b *behaviour) {
		b.stream.keeps = func(*Server, *startTask) bool { return false }
		before := b.stream.pieces
		b.stream.pieces = func(c *call, v *startTask, element int) []byte {
			if v.ended() {
				now := *v
				c.s.store.mu.Lock()
				c.s.store.starts[v.id] = &now
				c.s.store.mu.Unlock()
			}
			return before(c, v, element)
		}
	},
	"failing-stream-breaks-off": breaksOff(func(v *startTask) bool { return v.request["parent_conversation_id"] == nil }),
	"unknown-parent-breaks-the-stream": breaksOff(func(v *startTask) bool {
		return v.request["parent_conversation_id"] != nil
	}),
	"invalid-start-opens-a-stream": func(b *behaviour) {
		b.stream.invalid = func(c *call, f *failure) answer {
			return answer{
				status: http.StatusOK, header: http.Header{"Content-Type": {mediaJSON}},
				body: slices.Concat([]byte("[\n"), c.s.lawful.Compact(object{"detail": f.detail}), []byte("]")),
			}
		}
	},
	"abandoned-stream-stops-the-start": func(b *behaviour) {
		b.stream.abandons = func(s *Server, v *startTask) {
			s.store.mu.Lock()
			defer s.store.mu.Unlock()
			v.left = true
		}
		b.starts.ends = func(s *Server, v *startTask) bool {
			return s.wait(10*s.config.Step) && !s.isLeft(v) // who leaves is noticed by then
		}
	},
}

var conversationFaults = map[string]func(*behaviour){
	"pull-requests-are-null":      func(b *behaviour) { b.conversations.pulls = func(*conversation) any { return nil } },
	"conversation-without-branch": conversationShown(func(_ *conversation, o object) { delete(o, "selected_branch") }),
	"conversations-by-update": func(b *behaviour) {
		b.conversations.order = func(found []conversation) {
			slices.SortStableFunc(found, func(a, b conversation) int { return b.updated.Compare(a.updated) })
		}
	},
	"updated-before-created": conversationShown(func(v *conversation, o object) {
		o["updated_at"] = stamp(v.created.Add(-time.Hour))
	}),
	"key-of-a-paused-sandbox-in-conversations": whilePaused(func(v *conversation, box *sandbox, o object) { o["session_api_key"] = box.key }),
	"execution-status-while-paused":            whilePaused(func(v *conversation, _ *sandbox, o object) { o["execution_status"] = v.execution }),
	"deleted-sandbox-still-runs": func(b *behaviour) {
		before := b.conversations.status
		b.conversations.status = func(box *sandbox) any {
			if box == nil {
				return running
			}
			return before(box)
		}
	},
}

func conversationShown(change func(v *conversation, o object)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.conversations.shown
		b.conversations.shown = func(c *call, v *conversation, o object) object {
			o = before(c, v, o)
			change(v, o)
			return o
		}
	}
}

// whilePaused shows more of conversations whose sandboxes do not run.
func whilePaused(change func(v *conversation, box *sandbox, o object)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.conversations.live
		b.conversations.live = func(c *call, v *conversation, box *sandbox, o object) {
			before(c, v, box, o)
			if box != nil && box.state != running {
				change(v, box, o)
			}
		}
	}
}
