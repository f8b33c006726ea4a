// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Most faults of tasks strike only tasks whose first message holds certain words. Whoever asks for trouble gets it, and
// everything else shows that nothing but that has changed.

// taskFaults are about messages, and about what is answered to them.
var taskFaults = map[string]func(*behaviour){
	"lengths-of-answers-count-characters": answers("get", func(_ *call, a answer) answer {
		a.body = a.body[:utf8.RuneCount(a.body)]
		return a
	}),
	"cancels-need-a-body": func(b *behaviour) {
		real := b.tasks.cancels
		b.tasks.cancels = func(c *call, id string) (task, *problem) {
			if c.r.ContentLength == 0 {
				return task{}, malformed("the body is empty")
			}
			return real(c, id)
		}
	},
	"cancel-wants-a-body-where-json-is-declared": func(b *behaviour) {
		real := b.tasks.cancels
		b.tasks.cancels = func(c *call, id string) (task, *problem) {
			if c.r.ContentLength == 0 && strings.HasPrefix(c.r.Header.Get("Content-Type"), "application/json") {
				return task{}, malformed("the body is empty")
			}
			return real(c, id)
		}
	},
	"only-bare-messages-accepted": func(b *behaviour) {
		b.tasks.sending = func(body map[string]any) (sending, *problem) {
			if _, wrapped := body["message"]; wrapped {
				return sending{}, invalid("messageId", "is missing")
			}
			return readSending(map[string]any{"message": body})
		}
	},
	"history-length-of-messages-is-refused": func(b *behaviour) {
		real := b.tasks.sending
		b.tasks.sending = func(body map[string]any) (sending, *problem) {
			s, p := real(body)
			if p == nil && s.history >= 0 {
				p = invalid("configuration.historyLength", "is not known")
			}
			return s, p
		}
	},
	"send-answers-204": answersTo("send", "please take this", func(*call, answer) answer {
		return answer{status: http.StatusNoContent, header: http.Header{}}
	}),
	"send-answers-201": answersTo("send", "please take this", func(_ *call, a answer) answer {
		a.status = http.StatusCreated
		return a
	}),
	"send-answers-a-mission": answersTo("send", "please show the task", func(c *call, a answer) answer {
		return c.json(a.status, map[string]any{"mission_id": newID(), "executor_id": c.in.ID, "status": "assigned"})
	}),
	"send-answers-a-message": answersTo("send", "please show the task", func(c *call, a answer) answer {
		return c.json(a.status, map[string]any{"kind": "message", "role": "agent", "messageId": newID(), "parts": []any{}})
	}),
	"send-answers-in-a-json-rpc-envelope": answersTo("send", "please show the task", func(_ *call, a answer) answer {
		a.body = slices.Concat([]byte(`{"jsonrpc":"2.0","id":null,"result":`), a.body, []byte("}"))
		return a
	}),
	"send-wraps-the-task": answersTo("send", "please show the task", func(_ *call, a answer) answer {
		a.body = slices.Concat([]byte(`{"task":`), a.body, []byte("}"))
		return a
	}),
	"send-answers-a-task-without-state": membersOf("send", "please show the task", func(v map[string]any) {
		v["status"] = map[string]any{"timestamp": stamp(time.Now())}
	}),
	"send-waits-for-the-end": func(b *behaviour) {
		b.tasks.blocks = func(t task, asked bool) bool { return asked || t.mentions("take your time") }
	},
	"send-answers-canceled": membersOf("send", "take your time", func(v map[string]any) {
		v["status"].(map[string]any)["state"] = canceled
	}),
	"send-answers-completed": membersOf("send", "take your time", func(v map[string]any) {
		v["status"].(map[string]any)["state"] = completed
	}),

	"running-instead-of-working": spells(func(state string) string { return strings.Replace(state, working, "running", 1) }),
	"canceled-with-two-ls":       spells(func(state string) string { return strings.Replace(state, canceled, "cancelled", 1) }),
	"states-in-upper-case": spells(func(state string) string {
		return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
	}),

	"task-id-is-the-mission-id": newTaskID(func(m message, opts sendOptions) string { return missionOf(m, opts) }),
	"task-id-is-the-message-id": newTaskID(func(m message, opts sendOptions) string {
		if missionOf(m, opts) == "" {
			return ""
		}
		return m.ID
	}),
	"streamed-tasks-have-the-id-of-their-message": newTaskID(func(m message, opts sendOptions) string {
		if opts.Streamed && strings.Contains(m.Text, "number yourself") {
			return m.ID
		}
		return ""
	}),
	"streamed-messages-without-parts-accepted": ofStreamedRequests(`"parts":[]`, func(message map[string]any) {
		message["parts"] = []any{map[string]any{"kind": "text", "text": ""}}
	}),
	"task-id-is-chosen-by-the-client": newTaskID(func(_ message, opts sendOptions) string {
		id, _ := opts.Body["id"].(string)
		return id
	}),
	"task-ids-repeat": func(b *behaviour) {
		b.tasks.rendered = func(t task, v map[string]any) {
			if t.mentions("number yourself") {
				v["id"] = stableID(t.ContextID, time.Time{})
			}
		}
	},

	"timestamps-in-milliseconds": timestamps(func(at time.Time) any { return at.UnixMilli() }),
	"timestamps-of-yesterday":    timestamps(func(at time.Time) any { return stamp(at.Add(-24 * time.Hour)) }),
	"timestamps-as-http-dates":   timestamps(func(at time.Time) any { return at.UTC().Format(http.TimeFormat) }),
	"timestamps-with-an-offset": timestamps(func(at time.Time) any {
		return at.In(time.FixedZone("", 3600)).Format(time.RFC3339Nano)
	}),
	"timestamps-in-picoseconds": timestamps(func(at time.Time) any { return at.UTC().Format("2006-01-02T15:04:05.000000000") + "123Z" }),

	"location-without-agent-prefix": func(b *behaviour) {
		b.tasks.location = func(_ *instance, t task) string { return "/v1/tasks/" + t.ID }
	},
	"location-of-another-task": func(b *behaviour) {
		var first atomic.Value // every later one leads there
		b.tasks.location = func(in *instance, t task) string {
			first.CompareAndSwap(nil, t.ID)
			return "/agents/" + in.ID + "/v1/tasks/" + first.Load().(string)
		}
	},

	"location-of-a-task-that-goes-on-is-its-message": func(b *behaviour) {
		real := b.tasks.location
		b.tasks.location = func(in *instance, t task) string {
			if len(t.Messages) < 2 {
				return real(in, t)
			}
			id, _ := t.Messages[len(t.Messages)-1]["messageId"].(string)
			return "/agents/" + in.ID + "/v1/tasks/" + id
		}
	},

	"root-form-without-credentials": func(b *behaviour) {
		needs := b.auth.needs
		b.auth.needs = func(c *call) bool {
			return needs(c) && !(c.surface == surfaceA2A && !strings.Contains(c.r.URL.Path, "/v1/"))
		}
	},
	"root-form-answers-otherwise": func(b *behaviour) {
		real := b.tasks.answer
		b.tasks.answer = func(c *call, operation string, a answer) answer {
			a = real(c, operation, a)
			if operation == "get" && a.status == http.StatusOK && !strings.Contains(c.r.URL.Path, "/v1/") {
				return c.json(http.StatusOK, map[string]any{"result": json.RawMessage(a.body)})
			}
			return a
		}
	},
	"root-form-has-another-status": func(b *behaviour) {
		b.tasks.sentStatus = func(c *call) int {
			if !strings.Contains(c.r.URL.Path, "/v1/") {
				return http.StatusOK
			}
			return http.StatusAccepted
		}
	},

	"messages-without-parts-accepted": rules(func(r *messageRules) {
		r.parts = func(v any) *problem {
			if parts, ok := v.([]any); v == nil || ok && len(parts) == 0 {
				return nil
			}
			return checkParts(v)
		}
	}),
	"messages-without-role-accepted": func(b *behaviour) {
		real := b.tasks.parse
		b.tasks.parse = func(v map[string]any) (message, *problem) {
			if _, given := v["role"]; !given {
				v = maps.Clone(v)
				v["role"] = "user"
			}
			return real(v)
		}
	},
	"bad-messages-are-server-errors": rules(func(r *messageRules) {
		r.parts = func(v any) *problem {
			if checkParts(v) != nil {
				return refuse(http.StatusInternalServerError, "internal.error", "")
			}
			return nil
		}
	}),
	"bad-messages-are-forbidden": func(b *behaviour) {
		real := b.errors.parse
		b.errors.parse = func(body []byte) (any, *problem) {
			v, p := real(body)
			if _, list := v.([]any); list || p != nil {
				return nil, refuse(http.StatusForbidden, "auth.forbidden", "")
			}
			return v, nil
		}
	},
	"invalid-utf-8-accepted": func(b *behaviour) {
		b.errors.parse = func(body []byte) (any, *problem) {
			return parseBody([]byte(strings.ToValidUTF8(string(body), "\uFFFD")))
		}
	},
	"messages-whose-parts-are-no-list-leave-a-task": func(b *behaviour) {
		b.tasks.refused = func(c *call, s sending) {
			id, _ := s.message["contextId"].(string)
			if _, list := s.message["parts"].([]any); id == "" || list || s.message["parts"] == nil {
				return
			}
			_, _ = c.in.sendMessage(message{ID: newID(), Role: "user", ContextID: id, Raw: map[string]any{}}, sendOptions{Active: c.active})
		}
	},
	"bad-messages-leave-a-task": func(b *behaviour) {
		b.tasks.refused = func(c *call, s sending) {
			id, _ := s.message["contextId"].(string)
			if id == "" || checkParts(s.message["parts"]) == nil {
				return
			}
			m := message{ID: newID(), Role: "user", ContextID: id, Raw: map[string]any{}}
			_, _ = c.in.sendMessage(m, sendOptions{Active: c.active})
		}
	},

	"extended-card-as-plain-text": answers("extended-card", plainText),
	"list-as-plain-text":          answers("list", plainText),
	"cancel-as-a2a-json": answersTo("cancel", "which media type", func(_ *call, a answer) answer {
		a.header.Set("Content-Type", "application/a2a+json")
		return a
	}),
	"second-card-has-the-id-of-the-first-instance": runtimeParams(func(in *instance, p map[string]any) { p["instance_id"] = in.e.pair[0] }),
	"answers-to-large-messages-are-wrapped": answers("send", func(c *call, a answer) answer {
		if c.r.ContentLength > 2<<10 {
			a.body = slices.Concat([]byte(`{"task":`), a.body, []byte("}"))
		}
		return a
	}),
	"sends-with-output-modes-wait": waitsFor("acceptedOutputModes"),
	"sends-with-a-history-wait":    waitsFor("historyLength"),
	"null-parts-accepted": rules(func(r *messageRules) {
		r.parts = func(v any) *problem {
			if list, is := v.([]any); is && len(list) > 0 && !slices.ContainsFunc(list, func(part any) bool { return part != nil }) {
				return nil
			}
			return checkParts(v)
		}
	}),
	"unknown-tasks-of-the-root-form-as-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.code == "task.not_found" && c.surface == surfaceA2A && !strings.Contains(c.r.URL.Path, "/v1/")
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
	"messages-read-back-have-no-role": inTasks("get", func(task map[string]any) {
		history, _ := task["history"].([]any)
		for _, m := range history {
			delete(m.(map[string]any), "role")
		}
	}),
	"states-read-back-say-nothing": inTasks("get", func(task map[string]any) {
		status, _ := task["status"].(map[string]any)
		if said, _ := status["message"].(map[string]any); said["metadata"] == nil { // a prompt is more than what is said
			status["message"] = map[string]any{"role": "agent", "messageId": newID(), "parts": []any{}}
		}
	}),
	"states-read-back-are-called-by-a-text": inTasks("get", func(task map[string]any) {
		status, _ := task["status"].(map[string]any)
		if said, _ := status["message"].(map[string]any); said["metadata"] == nil {
			status["message"] = "well"
		}
	}),
	"messages-of-states-number-their-task": membersOf("get", "please show the task", func(task map[string]any) {
		status, _ := task["status"].(map[string]any)
		status["message"] = map[string]any{"role": "agent", "messageId": newID(), "taskId": 7, "contextId": 7, "parts": []any{map[string]any{"kind": "text", "text": "well"}}}
	}),
	"lists-of-two-are-cut": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Get("limit") == "2" {
			cutShort(&a)
		}
		return a
	}),
	"answers-to-three-parts-are-empty": answers("send", func(_ *call, a answer) answer {
		var task struct {
			History []struct {
				Parts []any `json:"parts"`
			} `json:"history"`
		}
		if undoc(a.body, &task) == nil && len(task.History) > 0 && len(task.History[0].Parts) == 3 {
			a.body = nil
		}
		return a
	}),
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
	"cancels-answer-in-upper-case": inTasks("cancel", func(task map[string]any) { task["status"].(map[string]any)["state"] = "TASK_STATE_CANCELED" }),
	"reads-without-timestamp":      inTasks("get", func(task map[string]any) { delete(task["status"].(map[string]any), "timestamp") }),
	"lists-of-two-as-plain-text": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Get("limit") == "2" {
			return plainText(c, a)
		}
		return a
	}),
	"answers-to-large-messages-lack-the-state": ofLargeTasks("send"),
	"messages-without-configuration-break": func(b *behaviour) {
		real := b.tasks.sending
		b.tasks.sending = func(body map[string]any) (sending, *problem) {
			if _, given := body["configuration"]; !given {
				return sending{}, brokenDown()
			}
			return real(body)
		}
	},
	"tasks-are-canceled-at-the-zero-time": func(b *behaviour) {
		real := b.tasks.timestamp
		b.tasks.timestamp = func(t task, at time.Time) any {
			if t.State == canceled {
				return stamp(time.Time{})
			}
			return real(t, at)
		}
	},
	"reads-in-local-time": inTasks("get", func(task map[string]any) {
		status, _ := task["status"].(map[string]any)
		text, _ := status["timestamp"].(string)
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
			status["timestamp"] = stamp(at.Add(2 * time.Hour))
		}
	}),
}

func plainText(_ *call, a answer) answer {
	a.header.Set("Content-Type", "text/plain")
	return a
}

// mentions says whether the message that began a task holds these words.
func (t task) mentions(words string) bool {
	return len(t.Messages) > 0 && strings.Contains(textOf(t.Messages[0]), words)
}

func spells(as func(state string) string) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.spells = func(t task, state string) string {
			if t.mentions("name your state") {
				return as(state)
			}
			return state
		}
	}
}

func timestamps(as func(at time.Time) any) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.timestamp = func(t task, at time.Time) any {
			if t.mentions("look at the clock") {
				return as(at)
			}
			return stamp(at)
		}
	}
}

// ofStreamedRequests changes the messages that come by messages:stream and hold these words.
func ofStreamedRequests(words string, change func(message map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		real := b.idempotency.key
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if text, err := canonicalForm(s.message); err == nil && strings.HasSuffix(c.r.URL.Path, "/messages:stream") && strings.Contains(string(text), words) {
				change(s.message)
			}
			return real(c, s)
		}
	}
}

// newTaskID takes the id of a new task from its message, when there is one.
func newTaskID(from func(m message, opts sendOptions) string) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.newID = func(m message, opts sendOptions) string {
			if id := from(m, opts); id != "" {
				return id
			}
			return newID()
		}
	}
}

// missionOf is the mission that a client of the old protocol names.
func missionOf(m message, opts sendOptions) string {
	for _, metadata := range []any{m.Metadata, opts.Body["metadata"]} {
		if v, ok := metadata.(map[string]any); ok {
			if id, ok := v["mission_id"].(string); ok {
				return id
			}
		}
	}
	return ""
}

func rules(change func(r *messageRules)) func(*behaviour) {
	return func(b *behaviour) {
		r := conformantRules
		change(&r)
		b.tasks.parse = r.parse
	}
}

// waitsFor lets messages:send wait for the end of the task where the configuration has a member.
func waitsFor(member string) func(*behaviour) {
	return func(b *behaviour) {
		reads := b.tasks.sending
		b.tasks.sending = func(body map[string]any) (sending, *problem) {
			s, p := reads(body)
			configuration, _ := body["configuration"].(map[string]any)
			if _, given := configuration[member]; given {
				s.blocking = true
			}
			return s, p
		}
	}
}
