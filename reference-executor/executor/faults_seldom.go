// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// seldomFaults show now and then only, or in what few look at: the end of a body, a delivery, a later page.
var seldomFaults = map[string]func(*behaviour){
	"bad-list-parameters-are-cut": refusals(func(c *call, p *problem, a *answer) {
		if p.status == http.StatusBadRequest && strings.Contains(c.r.URL.RawQuery, "limit=abc") {
			cutShort(a)
		}
	}),
	"refused-reads-of-a-task-are-cut": refusals(func(c *call, p *problem, a *answer) {
		if p.status == http.StatusUnauthorized && c.r.Method == http.MethodGet && c.vars["tid"] != "" {
			cutShort(a)
		}
	}),
	"no-echo-to-large-messages": echo(func(c *call, status int, lines []string) []string {
		if strings.HasSuffix(c.r.URL.Path, "/messages:send") && c.r.ContentLength > 2<<10 {
			return nil
		}
		return lines
	}),
	"no-echo-on-later-pages": echo(func(c *call, status int, lines []string) []string {
		if c.r.URL.Query().Has("cursor") {
			return nil
		}
		return lines
	}),
	"snapshots-of-canceled-tasks-are-of-completed-ones": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.State == canceled {
				t.State = completed
			}
			return []event{s.snapshot(t)}
		}
	},
	"later-pages-are-oldest-first": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.Cursor != "" {
			slices.Reverse(tasks)
		}
		return tasks, next, p
	}),
	"location-of-another-task-for-large-messages": func(b *behaviour) {
		var last atomic.Value
		real := b.tasks.location
		b.tasks.location = func(in *instance, t task) string {
			if to, is := last.Load().(string); is && len(t.Messages) > 0 && len(textOf(t.Messages[0])) > 2<<10 {
				return to
			}
			last.Store(real(in, t))
			return real(in, t)
		}
	},
	"every-other-message-gets-a-task-without-status": everyOtherShown("SendMessage", func(rendered map[string]any) { delete(rendered, "status") }),
	"terminals-show-times-in-words": shownBy("GetTask", func(rendered map[string]any) {
		if status, is := rendered["status"].(map[string]any); is {
			status["timestamp"] = "just now"
		}
	}),
	"terminals-show-contexts-as-numbers": shownBy("GetTask", func(rendered map[string]any) { rendered["contextId"] = 7 }),
	"every-other-task-read-has-no-state": everyOtherShown("GetTask", withoutState),
	"every-other-canceled-task-is-at-work": everyOtherShown("CancelTask", func(rendered map[string]any) {
		if status, is := rendered["status"].(map[string]any); is {
			status["state"] = working
		}
	}),
	"listed-tasks-of-terminals-have-no-state": shownBy("ListTasks", withoutState),
	"deltas-of-later-tasks-are-empty": func(b *behaviour) {
		var first atomic.Value
		b.pty.tasks.payload = func(payload map[string]any) {
			delta, _ := payload["delta"].(map[string]any)
			first.CompareAndSwap(nil, delta["taskId"])
			if delta["taskId"] != first.Load() {
				delta["status"] = map[string]any{}
			}
		}
	},
	"cancels-are-answered-twice": func(b *behaviour) {
		b.pty.outgoing.queue(func(_ *ptyConnection, d delivery) []delivery {
			if d.frame.op == "CancelTask.Response" {
				return []delivery{d, d}
			}
			return []delivery{d}
		})
	},
	"every-other-scrape-has-a-word-for-a-value": everyOtherScrape(func(text []byte) []byte {
		return append(text, "# TYPE agentic_note gauge\nagentic_note many\n"...)
	}),
	"every-other-scrape-repeats-a-type": everyOtherScrape(func(text []byte) []byte { return twice(text, "# TYPE agentic_tasks_total counter\n") }),
	"every-other-scrape-repeats-a-series": everyOtherScrape(func(text []byte) []byte {
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "agentic_uptime_seconds ") {
				return twice(text, line)
			}
		}
		return text
	}),
	"streams-of-large-messages-end-early": func(b *behaviour) {
		b.sse.follows = func(c *call) bool {
			return len(c.streamed.Messages) == 0 || len(textOf(c.streamed.Messages[0])) < 2<<10
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
	"reads-of-large-tasks-answer-203": answers("get", func(_ *call, a answer) answer {
		if len(a.body) > 2<<10 {
			a.status = http.StatusNonAuthoritativeInfo
		}
		return a
	}),
	"lists-without-a-limit-repeat-a-task": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.Limit == 0 && len(tasks) > 0 {
			tasks = append(tasks, tasks[0])
		}
		return tasks, next, p
	}),
	"filtered-instances-are-listed-twice": adminAnswer("instances", func(c *call, a answer) answer {
		var v map[string]any
		if !c.r.URL.Query().Has("state") || undoc(a.body, &v) != nil {
			return a
		}
		items, _ := v["items"].([]any)
		v["items"] = append(items, items...)
		a.body = c.e.lawful.Encode(v)
		return a
	}),
	"messages-read-back-have-no-role": inTasks("get", func(task map[string]any) {
		history, _ := task["history"].([]any)
		for _, m := range history {
			delete(m.(map[string]any), "role")
		}
	}),
	"states-read-back-say-nothing": inTasks("get", func(task map[string]any) {
		status, _ := task["status"].(map[string]any)
		status["message"] = map[string]any{"role": "agent", "messageId": newID(), "parts": []any{}}
	}),
	"lists-of-two-are-cut": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Get("limit") == "2" {
			cutShort(&a)
		}
		return a
	}),
	"filtered-instances-are-cut": adminAnswer("instances", func(c *call, a answer) answer {
		if c.r.URL.Query().Has("state") {
			cutShort(&a)
		}
		return a
	}),
	"long-logs-are-cut": adminAnswer("logs", func(c *call, a answer) answer {
		if a.stream == nil && c.r.URL.Query().Get("limit") == "200" {
			cutShort(&a)
		}
		return a
	}),
	"resizes-of-observers-are-empty": forOnlookers(func(f *ptyFrame, env map[string]any) {
		if f.kind == kindResize {
			clear(env)
		}
	}),
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
	"no-runtime-metadata-on-large-tasks": answers("send", func(c *call, a answer) answer {
		if len(a.body) < 2<<10 {
			return a
		}
		return changed(c, a, func(task map[string]any) { delete(task, "metadata") })
	}),
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
	"lists-name-no-tenant": inTasks("list", func(task map[string]any) {
		if metadata, is := task["metadata"].(map[string]any); is {
			delete(metadata, "tenant_id")
		}
	}),
	"push-every-other-body-without-state": func(b *behaviour) {
		var n atomic.Int64
		b.push.body = func(t task) []byte {
			if n.Add(1)%2 == 0 {
				return t.in.e.lawful.Encode(map[string]any{"task_id": t.ID, "status_event": map[string]any{}})
			}
			return pushBody(t)
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
	"unknown-instances-to-delete-are-told-twice": refusals(func(c *call, p *problem, a *answer) {
		if c.r.Method == http.MethodDelete && p.code == "instance.not_found" {
			a.body = bytes.Repeat(a.body, 2)
		}
	}),
}

// refusals changes what is sent of refusals.
func refusals(change func(c *call, p *problem, a *answer)) func(*behaviour) {
	return func(b *behaviour) {
		real := b.errors.answer
		b.errors.answer = func(c *call, p *problem, a *answer) {
			real(c, p, a)
			change(c, p, a)
		}
	}
}

// cutShort lets the connection end in the middle of a body.
func cutShort(a *answer) {
	body := a.body
	a.stream = func(w http.ResponseWriter) {
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
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

// everyOtherShown changes every other task that an operation shows on a terminal.
func everyOtherShown(operation string, change func(rendered map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		var n atomic.Int64
		shownBy(operation, func(rendered map[string]any) {
			if n.Add(1)%2 == 0 {
				change(rendered)
			}
		})(b)
	}
}

// shownBy changes the tasks that an operation shows on a terminal.
func shownBy(operation string, change func(rendered map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.tasks.shown = func(_ *ptyConnection, op string, _ task, rendered map[string]any) map[string]any {
			if op == operation {
				change(rendered)
			}
			return rendered
		}
	}
}

// everyOtherScrape changes every other exposition of the metrics.
func everyOtherScrape(change func(text []byte) []byte) func(*behaviour) {
	return func(b *behaviour) {
		var n atomic.Int64
		exposes(func(text []byte) []byte {
			if n.Add(1)%2 == 0 {
				return change(text)
			}
			return text
		})(b)
	}
}

// twice is a text in which one line stands twice.
func twice(text []byte, line string) []byte {
	return bytes.Replace(text, []byte(line), []byte(line+line), 1)
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
