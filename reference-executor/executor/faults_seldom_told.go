// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// seldomToldFaults show now and then only in what is told without being asked for.
var seldomToldFaults = map[string]func(*behaviour){
	"snapshots-of-canceled-tasks-are-of-completed-ones": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.State == canceled {
				t.State = completed
			}
			return []event{s.snapshot(t)}
		}
	},
	"streams-of-large-messages-end-early": func(b *behaviour) {
		b.sse.follows = func(c *call) bool {
			return len(c.streamed.Messages) == 0 || len(textOf(c.streamed.Messages[0])) < 2<<10
		}
	},
	"output-of-one-session-lacks-the-line": func(b *behaviour) {
		b.output.frame = func(o *outputStream, _ string, data map[string]any) {
			if o.s.c.r.URL.Query().Has("session_id") {
				delete(data, "raw_ref")
			}
		}
	},
	"output-of-one-session-breaks-off": func(b *behaviour) {
		b.output.after = func(o *outputStream, _ int) {
			if !o.s.c.r.URL.Query().Has("session_id") {
				return
			}
			if connection, _, err := http.NewResponseController(o.s.w).Hijack(); err == nil {
				_ = connection.Close()
			}
		}
	},
	"streams-of-messages-to-known-tasks-stay-open": func(b *behaviour) {
		real := b.sse.ends
		b.sse.ends = func(s *eventStream, t task) bool { return real(s, t) && (t.Streamed || !s.ofMessage()) }
	},
	"every-third-streamed-message-stays-open": func(b *behaviour) {
		var count atomic.Int64
		var numbers sync.Map // by stream
		real := b.sse.ends
		b.sse.ends = func(s *eventStream, t task) bool {
			number, known := numbers.Load(s)
			if !known && s.ofMessage() {
				number = count.Add(1)
				numbers.Store(s, number)
			}
			n, _ := number.(int64)
			return real(s, t) && (n == 0 || n%3 != 0)
		}
	},
	"no-terminal-at-on-large-tasks": func(b *behaviour) {
		real := b.tasks.endedAt
		b.tasks.endedAt = func(t task) any {
			if len(t.Messages) > 0 && len(textOf(t.Messages[0])) > 2<<10 {
				return nil
			}
			return real(t)
		}
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
	"streamed-messages-in-latin-1": answers("stream", func(_ *call, a answer) answer {
		a.header.Set("Content-Type", "text/event-stream; charset=iso-8859-1")
		return a
	}),
	"every-other-subscription-begins-with-an-update": func(b *behaviour) {
		var n atomic.Int64
		beginsWithUpdate(func(s *eventStream, _ task) bool { return !s.ofMessage() && n.Add(1)%2 == 0 })(b)
	},
	"streams-of-large-messages-begin-with-an-update": beginsWithUpdate(func(s *eventStream, t task) bool {
		return s.ofMessage() && len(t.Messages) > 0 && len(textOf(t.Messages[0])) > 2<<10
	}),
	"every-other-subscription-without-echo": func(b *behaviour) {
		var n atomic.Int64
		echo(func(c *call, _ int, lines []string) []string {
			if strings.HasSuffix(c.r.URL.Path, "/subscribe") && n.Add(1)%2 == 0 {
				return nil
			}
			return lines
		})(b)
	},
	"push-creations-show-another-kind": pushAnswer("create", func(c *call, a answer) answer {
		var v map[string]any
		if undoc(a.body, &v) != nil {
			return a
		}
		if auth, is := v["auth"].(map[string]any); is {
			auth["type"] = "token"
		}
		a.body = c.e.lawful.Encode(v)
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
	"push-every-other-body-without-state": func(b *behaviour) {
		var n atomic.Int64
		b.push.body = func(t task) []byte {
			if n.Add(1)%2 == 0 {
				return t.in.e.lawful.Encode(map[string]any{"task_id": t.ID, "status_event": map[string]any{}})
			}
			return pushBody(t)
		}
	},
	"push-with-a-signature-by-put": func(b *behaviour) {
		b.push.method = func(p pushConfig) string {
			if p.AuthType == "hmac" {
				return http.MethodPut
			}
			return http.MethodPost
		}
	},
	"push-every-other-unsigned": everyOtherPush(func(p pushConfig, _ []byte, _ time.Time, h http.Header) { h.Del("X-AIWG-Signature") }),
	"push-every-other-signed-with-another-key": everyOtherPush(func(p pushConfig, body []byte, now time.Time, h http.Header) {
		h.Set("X-AIWG-Signature", pushSignature(p.ID, body, now))
	}),
	"push-first-tells-of-nothing": pushAlso(func(t task) any {
		return map[string]any{"task_id": t.ID, "status_event": map[string]any{"kind": "task_status", "task_id": t.ID}}
	}),
	"push-first-names-two-tasks": pushAlso(func(t task) any {
		return map[string]any{"task_id": t.ID, "status_event": map[string]any{"kind": "task_status", "task_id": newID(), "status": t.status()}}
	}),
}

// everyOtherPush changes the header of every other delivery that is signed.
func everyOtherPush(change func(p pushConfig, body []byte, now time.Time, h http.Header)) func(*behaviour) {
	return func(b *behaviour) {
		var n atomic.Int64
		pushHeaders(func(p pushConfig, body []byte, now time.Time, h http.Header) {
			if p.AuthType == "hmac" && n.Add(1)%2 == 0 {
				change(p, body, now, h)
			}
		})(b)
	}
}

// pushAlso delivers something else before every change.
func pushAlso(what func(t task) any) func(*behaviour) {
	return func(b *behaviour) { b.push.ahead = func(t task) []byte { return t.in.e.lawful.Encode(what(t)) } }
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
