// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// elsewhereFaults show in one place only, where nobody would look who looks at the usual requests.
var elsewhereFaults = map[string]func(*behaviour){
	"wrong-methods-as-plain-text":     inPlainText("request.method_not_allowed"),
	"unsupported-media-as-plain-text": inPlainText("request.unsupported_media_type"),
	"conflicts-as-plain-text":         inPlainText("task.not_cancelable"),
	"bad-list-parameters-as-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.status == 400 && strings.Contains(c.r.URL.RawQuery, "limit=abc")
	}),
	"unknown-configs-to-delete-are-a-page": asPage(func(c *call, p *problem) bool {
		return p.code == "push.config_not_found" && c.r.Method == http.MethodDelete
	}),
	"unknown-objects-are-a-page": asPage(func(_ *call, p *problem) bool { return p.code == "object.not_found" }),
	"configs-of-unknown-tasks-are-a-page": asPage(func(c *call, p *problem) bool {
		return p.code == "task.not_found" && c.r.Method == http.MethodPost && strings.HasSuffix(c.r.URL.Path, "/pushNotificationConfigs")
	}),
	"refused-reads-of-a-task-are-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.status == http.StatusUnauthorized && c.r.Method == http.MethodGet && c.vars["tid"] != ""
	}),
	"refused-admin-deletes-are-bare-objects": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			a := real(c, p)
			if c.surface == surfaceAdmin && c.r.Method == http.MethodDelete {
				a.header.Set("Content-Type", "application/json")
				a.body = c.e.lawful.Encode(map[string]any{"error": "missing token"})
			}
			return a
		}
	},
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
	"lists-show-ended-tasks-at-work": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Has("state") {
			return a
		}
		return changed(c, a, func(task map[string]any) {
			if status, _ := task["status"].(map[string]any); status["state"] == canceled {
				status["state"] = working
			}
		})
	}),
	"cancels-answer-in-upper-case":      inTasks("cancel", func(task map[string]any) { task["status"].(map[string]any)["state"] = "TASK_STATE_CANCELED" }),
	"reads-without-timestamp":           inTasks("get", func(task map[string]any) { delete(task["status"].(map[string]any), "timestamp") }),
	"reads-with-another-provider":       inTasks("get", metadataOf("runtime.provider", "docker")),
	"lists-with-another-provider":       inTasks("list", metadataOf("runtime.provider", "docker")),
	"runtime-host-is-redacted-on-reads": inTasks("get", metadataOf("runtime.host", "<redacted>")),
	"v1-streams-without-sunset":         v1Header(func(c *call, _ int, h http.Header) { dropOnChats(c, h, "Sunset") }),
	"v1-sunset-of-errors-on-another-weekday": v1Header(func(_ *call, status int, h http.Header) {
		if status >= 400 {
			h.Set("Sunset", "Mon, 09 May 2027 00:00:00 GMT")
		}
	}),
	"v1-sunset-of-errors-on-another-day": v1Header(func(_ *call, status int, h http.Header) {
		if status >= 400 {
			h.Set("Sunset", "Mon, 10 May 2027 00:00:00 GMT")
		}
	}),
	"v1-headers-not-on-chats-of-no-command": v1Header(func(c *call, status int, h http.Header) {
		if status == http.StatusBadRequest && strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") {
			dropV1(h)
		}
	}),
	"v1-headers-not-on-401-of-images": v1Header(func(c *call, status int, h http.Header) {
		if status == http.StatusUnauthorized && strings.HasSuffix(c.r.URL.Path, "/container-images") {
			dropV1(h)
		}
	}),
	"writes-to-global-are-refused-as-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.status == http.StatusForbidden && strings.Contains(c.r.URL.Path, "/storage/global/")
	}),
	"refused-admin-deletes-under-another-code": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			if c.surface == surfaceAdmin && c.r.Method == http.MethodDelete {
				p = &problem{status: p.status, code: "request.refused", detail: p.detail, header: p.header}
			}
			return real(c, p)
		}
	},
	"v1-streams-without-deprecated": v1Header(func(c *call, _ int, h http.Header) { dropOnChats(c, h, "Deprecated") }),
	"v1-streams-without-link":       v1Header(func(c *call, _ int, h http.Header) { dropOnChats(c, h, "Link") }),
	"v1-headers-on-reads-of-a-task": v1Covers(func(c *call) bool {
		return c.surface == surfaceA2A && c.r.Method == http.MethodGet && c.vars["tid"] != ""
	}),
	"v1-headers-on-admin-logs": v1Covers(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/admin/logs") }),
	"echo-names-all-on-reads": echo(func(c *call, _ int, lines []string) []string {
		if c.surface != surfaceA2A || c.r.Method != http.MethodGet || c.in == nil || c.route == nil || c.route.public {
			return lines
		}
		return []string{strings.Join([]string{uriRuntime, uriIdempotency, uriHITL, uriTenant}, ", ")}
	}),
	"artifacts-shared-by-all-instances": func(b *behaviour) {
		real := b.tasks.notFound
		b.tasks.notFound = func(c *call, operation string) answer {
			for _, other := range c.e.instances.all() {
				if t, found := other.getTask(c.vars["tid"]); found && operation == "artifacts" {
					return c.json(http.StatusOK, map[string]any{"task_id": t.ID, "artifacts": []any{}})
				}
			}
			return real(c, operation)
		}
	},
	"lists-elsewhere-lack-a-task": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if in.second() && len(tasks) > 0 {
			tasks = tasks[:len(tasks)-1]
		}
		return tasks, next, p
	}),
	"later-pages-ignore-limit": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.Cursor != "" && q.Limit == 2 {
			q.Limit = 3
		}
		return in.page(q)
	}),
	"artifacts-of-all-instances-by-id": func(b *behaviour) {
		real := b.tasks.notFound
		b.tasks.notFound = func(c *call, operation string) answer {
			for _, other := range c.e.instances.all() {
				if t, found := other.getTask(c.vars["tid"]); found && operation == "artifact" {
					for i, a := range t.Artifacts {
						if a.ID == c.vars["aid"] {
							return c.json(http.StatusOK, a.chunk(i))
						}
					}
				}
			}
			return real(c, operation)
		}
	},
	"third-pages-ignore-limit": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if _, after, p := in.page(listQuery{Limit: 4}); p == nil && q.Cursor != "" && q.Limit == 2 {
			fourth, _ := readCursor(after)
			if last, _ := readCursor(q.Cursor); last <= fourth {
				q.Limit = 3
			}
		}
		return in.page(q)
	}),
	"lists-by-state-ignore-limit": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.State != "" && q.Limit == 1 {
			q.Limit = 2
		}
		return in.page(q)
	}),
	"list-of-tens-ends-after-three-pages": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		return in.newest(q, 30, q.Limit == 10)
	}),
	"list-is-a-window": page(func(in *instance, q listQuery) ([]task, string, *problem) { return in.newest(q, 10, true) }),
	"heads-need-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodHead && strings.HasSuffix(c.r.URL.Path, "/v1/tasks")
	}),
	"filtered-lists-need-no-credentials": unguarded(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/v1/tasks") && c.r.URL.Query().Has("state")
	}),
	"later-pages-need-no-credentials": unguarded(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/v1/tasks") && c.r.URL.Query().Has("cursor")
	}),
	"output-resumes-with-another-end": func(b *behaviour) {
		b.output.resumed = func(f *outputFrame) {
			if f.name == "tool_result" {
				f.data["content"] = "[replayed]"
			}
		}
	},
	"refusals-with-status-400-inside": documentOf("auth.unauthorized", func(d map[string]any) { d["status"] = 400 }),
	"lists-of-two-as-plain-text": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Get("limit") == "2" {
			return plainText(c, a)
		}
		return a
	}),
	"lists-of-two-lack-the-states": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Get("limit") == "2" {
			return changed(c, a, withoutState)
		}
		return a
	}),
	"answers-to-large-messages-lack-the-state": ofLargeTasks("send"),
	"cancels-of-large-tasks-lack-the-state":    ofLargeTasks("cancel"),
	"reads-of-large-tasks-lack-the-state":      ofLargeTasks("get"),
	"cancels-name-another-context":             inTasks("cancel", func(task map[string]any) { task["contextId"] = "another" }),
	"cancels-of-large-tasks-end-in-2001": answers("cancel", func(c *call, a answer) answer {
		if len(a.body) < 2<<10 {
			return a
		}
		return changed(c, a, func(task map[string]any) { task["status"].(map[string]any)["terminal_at"] = "2001-01-01T00:00:00Z" })
	}),
	"cancels-with-another-provider": inTasks("cancel", metadataOf("runtime.provider", "docker")),
	"cancels-without-runtime-metadata": inTasks("cancel", func(task map[string]any) {
		if metadata, is := task["metadata"].(map[string]any); is {
			delete(metadata, "runtime.instance_id")
			delete(metadata, "runtime.kind")
		}
	}),
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
	"filtered-instances-as-text": adminAnswer("instances", func(c *call, a answer) answer {
		if c.r.URL.Query().Has("state") {
			a.header.Set("Content-Type", "text/plain")
		}
		return a
	}),
	"filtered-instances-without-name": adminAnswer("instances", func(c *call, a answer) answer {
		var v map[string]any
		if !c.r.URL.Query().Has("state") || undoc(a.body, &v) != nil {
			return a
		}
		items, _ := v["items"].([]any)
		for _, item := range items {
			delete(item.(map[string]any), "name")
		}
		a.body = c.e.lawful.Encode(v)
		return a
	}),
	"long-logs-without-messages": adminAnswer("logs", func(c *call, a answer) answer {
		if a.stream != nil || c.r.URL.Query().Get("limit") != "200" {
			return a
		}
		return c.json(http.StatusOK, map[string]any{"items": []any{map[string]any{"level": "info", "target": "http", "timestamp": "2026-01-02T03:04:05Z"}}})
	}),
	"v1-images-without-labels-when-asked-for-all": func(b *behaviour) {
		real := b.v1.images
		b.v1.images = func(c *call) answer {
			if c.r.URL.Query().Has("all") {
				return c.json(http.StatusOK, map[string]any{"images": []any{map[string]any{"ref": catalogue[0].reference}}})
			}
			return real(c)
		}
	},
	"streamed-messages-cacheable": answers("stream", func(_ *call, a answer) answer {
		a.header.Set("Cache-Control", "public, max-age=60")
		return a
	}),
	"wrong-methods-with-a-short-trace":      documentOf("request.method_not_allowed", func(d map[string]any) { d["trace_id"] = "abc" }),
	"wrong-methods-name-no-uri-as-instance": documentOf("request.method_not_allowed", func(d map[string]any) { d["instance"] = "http://[the instance" }),
	"output-sessions-are-empty":             outputFrames(func(_ string, data map[string]any) { data["session_id"] = "" }),
	"output-of-another-command": outputFrames(func(_ string, data map[string]any) {
		if ref, is := data["raw_ref"].(map[string]any); is {
			ref["command_id"] = "another"
		}
	}),
	"unknown-configs-as-plain-json": func(b *behaviour) {
		real := b.errors.encode
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			media, body := real(c, p, d)
			if p.code == "push.config_not_found" {
				media = "application/json"
			}
			return media, body
		}
	},
	"unknown-configs-without-code":      documentOf("push.config_not_found", func(d map[string]any) { delete(d, "code") }),
	"no-challenge-on-the-admin-surface": unchallenged(func(c *call) bool { return c.surface == surfaceAdmin }),
	"no-challenge-to-unknown-tokens":    unchallenged(func(c *call) bool { return c.r.Header.Get("Authorization") != "" }),
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

// inTasks changes the tasks that an operation answers with, one or a list of them.
func inTasks(operation string, change func(task map[string]any)) func(*behaviour) {
	return answers(operation, func(c *call, a answer) answer { return changed(c, a, change) })
}

// changed is an answer whose tasks were changed.
func changed(c *call, a answer, change func(task map[string]any)) answer {
	var v map[string]any
	if undoc(a.body, &v) != nil {
		return a
	}
	if list, is := v["tasks"].([]any); is {
		for _, task := range list {
			change(task.(map[string]any))
		}
	} else {
		change(v)
	}
	a.body = c.e.lawful.Encode(v)
	return a
}

// ofLargeTasks lets the answers of an operation lack the state of tasks that are large.
func ofLargeTasks(operation string) func(*behaviour) {
	return answers(operation, func(c *call, a answer) answer {
		if len(a.body) < 2<<10 {
			return a
		}
		return changed(c, a, withoutState)
	})
}

func withoutState(task map[string]any) {
	if status, is := task["status"].(map[string]any); is {
		delete(status, "state")
	}
}

// newest is a page of a list that holds so many tasks, the newest ones, where that is so.
func (in *instance) newest(q listQuery, most int, is bool) ([]task, string, *problem) {
	tasks, next, p := in.page(q)
	if p != nil || !is {
		return tasks, next, p
	}
	all, _, p := in.page(listQuery{Limit: most})
	if p != nil {
		return nil, "", p
	}
	tasks = slices.DeleteFunc(tasks, func(t task) bool {
		return !slices.ContainsFunc(all, func(other task) bool { return other.ID == t.ID })
	})
	if len(tasks) == 0 || tasks[len(tasks)-1].ID == all[len(all)-1].ID {
		next = ""
	}
	return tasks, next, nil
}

// metadataOf changes a member of the metadata of runtime/v1, where a task has it.
func metadataOf(name, value string) func(task map[string]any) {
	return func(task map[string]any) {
		if metadata, _ := task["metadata"].(map[string]any); metadata["runtime.instance_id"] != nil {
			metadata[name] = value
		}
	}
}

func dropOnChats(c *call, h http.Header, name string) {
	if strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") {
		h.Del(name)
	}
}

// inPlainText writes the errors of one code as plain text.
func inPlainText(code string) func(*behaviour) {
	return inPlainTextWhere(func(_ *call, p *problem) bool { return p.code == code })
}

func inPlainTextWhere(is func(c *call, p *problem) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.errors.encode
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if is(c, p) {
				return "text/plain", []byte(p.code)
			}
			return real(c, p, d)
		}
	}
}

// asPage answers some errors with the page that a proxy shows in their place.
func asPage(is func(c *call, p *problem) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.errors.encode
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if is(c, p) {
				return "text/html", []byte("<!doctype html><title>Not Found</title><p>Not Found\n")
			}
			return real(c, p, d)
		}
	}
}

// unchallenged leaves the challenge out of some refusals.
func unchallenged(is func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			a := real(c, p)
			if is(c) {
				a.header.Del("WWW-Authenticate")
			}
			return a
		}
	}
}
