// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

var sseFaults = map[string]func(*behaviour){
	"stream-with-a-content-length": streamHeader("Content-Length", "1000000"),
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
	"streams-of-failed-tasks-stay-open": func(b *behaviour) {
		real := b.sse.ends
		b.sse.ends = func(s *eventStream, t task) bool { return real(s, t) && (t.State != failed || s.emitted < 2) }
	},
	"streams-stay-open-once-one-was-left": func(b *behaviour) {
		var left seen
		lost, ends := b.sse.lost, b.sse.ends
		b.sse.lost = func(in *instance, id string) {
			left.before(id)
			lost(in, id)
		}
		b.sse.ends = func(s *eventStream, t task) bool { return ends(s, t) && !left.has(t.ID) }
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
	"stream-ends-after-a-while": func(b *behaviour) { b.sse.longest = func(*eventStream) time.Duration { return time.Second } },
	"stream-of-an-ended-task-hangs": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.terminal() {
				return nil
			}
			return []event{s.snapshot(t)}
		}
		b.sse.ends = func(s *eventStream, t task) bool { return t.terminal() && s.emitted > 0 }
	},
	"stream-of-an-ended-task-is-empty": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.terminal() {
				return nil
			}
			return []event{s.snapshot(t)}
		}
	},
	"stream-ends-with-a-broken-connection": func(b *behaviour) {
		b.sse.closes = func(s *eventStream) {
			if connection, _, err := http.NewResponseController(s.w).Hijack(); err == nil {
				_ = connection.Close()
			}
		}
	},
	"stream-refusal-is-an-event": refusalIsAnEvent,
	"every-refusal-of-a-stream-is-an-event": func(b *behaviour) {
		refusalIsAnEvent(b)
		real := b.sse.snapshot
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.terminal() {
				return []event{{name: "error", data: map[string]any{"code": "task.unsupported_operation", "status": http.StatusConflict}}}
			}
			return real(s, t)
		}
	},
	"updates-for-one-subscriber-only": func(b *behaviour) {
		first := map[string]*watcher{} // of each task; guarded by Executor.work
		b.sse.tells = func(_ *Executor, t task, w *watcher) bool {
			if first[t.ID] == nil {
				first[t.ID] = w
			}
			return first[t.ID] == w
		}
	},
	"resumed-streams-without-cache-control": answers("subscribe", func(c *call, a answer) answer {
		if c.r.Header.Get("Last-Event-ID") != "" {
			a.header.Del("Cache-Control")
		}
		return a
	}),
	"subscribers-see-different-updates": func(b *behaviour) {
		var mu sync.Mutex
		first := map[string]*eventStream{} // of each task
		b.sse.updates = func(s *eventStream, before, now task) []event {
			mu.Lock()
			defer mu.Unlock()
			if first[now.ID] == nil {
				first[now.ID] = s
			}
			events := s.changes(before, now)
			if first[now.ID] != s && now.terminal() {
				asked := now
				asked.State, asked.Ended = inputRequired, time.Time{}
				events = append([]event{s.update("status", asked, map[string]any{"status": asked.status()})}, events...)
			}
			return events
		}
	},
	"lost-sender-cancels-the-task": func(b *behaviour) {
		b.sse.lost = func(in *instance, id string) {
			if t, found := in.getTask(id); found && t.Streamed {
				_, _ = in.cancelTask(id)
			}
		}
	},
	"lost-subscriber-cancels-the-task": func(b *behaviour) {
		b.sse.lost = func(in *instance, id string) { _, _ = in.cancelTask(id) }
	},
	"lost-subscriber-silences-the-others": func(b *behaviour) {
		b.sse.lost = func(in *instance, id string) {
			in.e.work.Lock()
			defer in.e.work.Unlock()
			delete(in.e.watchers, id)
		}
	},
	"second-lost-subscriber-silences-another": func(b *behaviour) {
		lost := map[string]int{} // the lock on tasks is held
		b.sse.lost = func(in *instance, id string) {
			in.e.work.Lock()
			defer in.e.work.Unlock()
			if lost[id]++; lost[id] > 1 && len(in.e.watchers[id]) > 1 {
				in.e.watchers.drop(id, in.e.watchers[id][len(in.e.watchers[id])-1])
			}
		}
	},
	"only-four-subscribers-are-told": func(b *behaviour) {
		told := map[string]int{} // by task and state; the lock on tasks is held
		b.sse.tells = func(_ *Executor, t task, _ *watcher) bool {
			told[t.ID+t.State]++
			return told[t.ID+t.State] <= 4
		}
	},
	"streams-of-completed-tasks-hang": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.State == completed && strings.HasSuffix(s.c.r.URL.Path, "/subscribe") {
				select {
				case <-s.c.r.Context().Done():
				case <-s.c.e.stopping.Done():
				}
				return nil
			}
			return conformantSSE.snapshot(s, t)
		}
	},
	"artifacts-follow-the-end": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if s.form == formTask {
				s.form = formKind
			}
			return conformantSSE.snapshot(s, t)
		}
		b.sse.updates = func(s *eventStream, before, now task) []event {
			events := s.changes(before, now)
			slices.Reverse(events)
			return events
		}
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
	"cancels-over-terminals-are-not-streamed": func(b *behaviour) {
		var here seen
		pty.Notes(&b.pty, func(string) {}, func(id string) { here.before(id) })
		updates, ends := b.sse.updates, b.sse.ends
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if now.State == canceled && here.has(now.ID) {
				return nil
			}
			return updates(s, before, now)
		}
		b.sse.ends = func(s *eventStream, t task) bool {
			return ends(s, t) && !(s.emitted > 0 && t.State == canceled && here.has(t.ID))
		}
	},
	"questions-are-not-streamed": func(b *behaviour) {
		real := b.sse.updates
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if now.State == inputRequired {
				return nil
			}
			return real(s, before, now)
		}
	},
	"subscriptions-to-odd-ids-are-refused-in-a-stream": func(b *behaviour) {
		b.sse.refused = func(c *call, p *problem) answer {
			a := c.refuse(p)
			if uuid.Validate(c.vars["tid"]) != nil {
				a.header.Set("Content-Type", "text/event-stream")
			}
			return a
		}
	},
	"snapshots-are-kept-for-later": func(b *behaviour) {
		var begun seen // with the task as it began, whatever the first subscriber was shown
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if !s.ofMessage() && begun.before(t.ID) && t.State == working {
				t.State = submitted
			}
			return []event{s.snapshot(t)}
		}
	},
	"resumed-streams-begin-with-an-update": func(b *behaviour) {
		real := b.sse.snapshot
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if s.c.r.Header.Get("Last-Event-ID") == "" {
				return real(s, t)
			}
			return []event{s.update("status", t, map[string]any{"status": t.status()})}
		}
	},
	"errors-to-those-who-want-a-stream-are-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.code == "task.not_found" && strings.HasSuffix(c.r.URL.Path, "/subscribe") && strings.Contains(c.r.Header.Get("Accept"), "text/event-stream")
	}),
	"snapshots-of-large-tasks-show-another-id": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if !s.ofMessage() && t.large() {
				t.ID = newID()
			}
			return []event{s.snapshot(t)}
		}
	},
	"streams-of-messages-to-known-tasks-stay-open": func(b *behaviour) {
		real := b.sse.ends
		b.sse.ends = func(s *eventStream, t task) bool { return real(s, t) && (t.Streamed || !s.ofMessage()) }
	},
	"streamed-messages-end-with-a-broken-connection": func(b *behaviour) {
		b.sse.closes = func(s *eventStream) {
			if !s.ofMessage() {
				return
			}
			if connection, _, err := http.NewResponseController(s.w).Hijack(); err == nil {
				_ = connection.Close()
			}
		}
	},
	"every-other-subscription-begins-with-an-update": func(b *behaviour) {
		var n atomic.Int64
		beginsWithUpdate(func(s *eventStream, _ task) bool { return !s.ofMessage() && n.Add(1)%2 == 0 })(b)
	},
	"streamed-messages-go-on-after-the-end": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			events := s.changes(before, now)
			if s.ofMessage() && now.terminal() {
				events = append(events, s.update("status", now, map[string]any{"status": now.status()}))
			}
			return events
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
	"reconnecting-shows-nothing": func(b *behaviour) {
		silent := func(s *eventStream, t task) bool { return s.c.r.Header.Get("Last-Event-ID") != "" && !t.terminal() }
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if silent(s, t) {
				return nil
			}
			return conformantSSE.snapshot(s, t)
		}
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if silent(s, now) {
				return nil
			}
			return conformantSSE.updates(s, before, now)
		}
	},
}

// refusalIsAnEvent answers what cannot be streamed with a stream that says so.
func refusalIsAnEvent(b *behaviour) {
	b.sse.refused = func(c *call, p *problem) answer {
		a := answer{status: http.StatusOK, header: http.Header{}}
		c.e.b.sse.header(a.header)
		a.stream = func(w http.ResponseWriter) {
			c.newStream(w).emit([]event{{name: "error", data: p.document(c)}})
		}
		return a
	}
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

// beginsWithUpdate lets some streams begin with an update in place of the task.
func beginsWithUpdate(some func(s *eventStream, t task) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if !some(s, t) {
				return []event{s.snapshot(t)}
			}
			s.form = formKind
			return []event{s.update("status", t, map[string]any{"status": t.status()})}
		}
	}
}
