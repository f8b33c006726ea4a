// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
)

// seldomFaults show now and then only, or in what few look at: the end of a body, a delivery, a later page.
var seldomFaults = map[string]func(*behaviour){
	"bad-list-parameters-are-cut": refusals(func(c *call, p *problem, a *answer) {
		if p.status == http.StatusBadRequest && strings.Contains(c.r.URL.RawQuery, "limit=abc") {
			cutShort(a)
		}
	}),
	"refused-streams-are-cut": refusals(func(c *call, p *problem, a *answer) {
		ofNumber := c.r.ContentLength < 20 && p.code != "request.invalid_json" // the message is one
		if p.status == http.StatusBadRequest && strings.HasSuffix(c.r.URL.Path, "/messages:stream") && ofNumber {
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
	"later-pages-are-oldest-first": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.Cursor != "" {
			slices.Reverse(tasks)
		}
		return tasks, next, p
	}),
	"later-pages-begin-with-the-second-task": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.Cursor != "" && len(tasks) > 1 {
			tasks[0], tasks[1] = tasks[1], tasks[0]
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
	"reads-of-large-tasks-show-another-id":   answers("get", ofAnotherTask),
	"cancels-of-large-tasks-show-another-id": answers("cancel", ofAnotherTask),
	"snapshots-of-large-tasks-show-another-id": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if !s.ofMessage() && t.large() {
				t.ID = newID()
			}
			return []event{s.snapshot(t)}
		}
	},
	"streams-of-large-messages-name-another-task": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if s.ofMessage() && t.large() {
				t.ID = newID()
			}
			return []event{s.snapshot(t)}
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
	"no-runtime-metadata-on-large-tasks": answers("send", func(c *call, a answer) answer {
		if len(a.body) < 2<<10 {
			return a
		}
		return changed(c, a, func(task map[string]any) { delete(task, "metadata") })
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
	"lists-name-no-tenant": inTasks("list", func(task map[string]any) {
		if metadata, is := task["metadata"].(map[string]any); is {
			delete(metadata, "tenant_id")
		}
	}),
	"lists-of-instances-fail-for-any-media-type": adminAnswer("instances", func(c *call, a answer) answer {
		if c.r.Header.Get("Accept") == "*/*" {
			return c.refuse(refuse(http.StatusInternalServerError, "internal.unavailable", ""))
		}
		return a
	}),
	"unknown-configs-without-a-media-type": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "push.config_not_found" && c.r.Method == http.MethodGet {
			a.header["Content-Type"] = nil
		}
	}),
	"full-reads-of-an-instance-are-bare-texts": adminAnswer("instance", whenAskedFor("view", func(_ *call, a answer) answer {
		a.body = []byte("up and running")
		return a
	})),
	"full-reads-of-an-instance-show-another-one": adminAnswer("instance", whenAskedFor("view", changesBody(func(v map[string]any) { v["id"] = newID() }))),
	"full-reads-of-an-instance-are-cut":          adminAnswer("instance", whenAskedFor("view", func(_ *call, a answer) answer { cutShort(&a); return a })),
	"all-images-without-reference": adminAnswer("images", whenAskedFor("all", changesBody(func(v map[string]any) {
		delete(v["items"].([]any)[0].(map[string]any), "reference")
	}))),
	"all-images-are-cut": adminAnswer("images", whenAskedFor("all", func(_ *call, a answer) answer { cutShort(&a); return a })),
	"all-loadouts-without-version": adminAnswer("loadouts", whenAskedFor("all", changesBody(func(v map[string]any) {
		delete(v["items"].([]any)[0].(map[string]any), "version")
	}))),
	"all-providers-without-tier": adminAnswer("providers", whenAskedFor("all", changesBody(func(v map[string]any) {
		delete(v["runtimes"].([]any)[0].(map[string]any), "isolation_tier")
	}))),
	"v1-agents-fail-when-asked-for-all": func(b *behaviour) {
		real := b.v1.agents
		b.v1.agents = func(c *call) answer {
			if c.r.URL.Query().Has("all") {
				return c.refuse(refuse(http.StatusInternalServerError, "internal.unavailable", ""))
			}
			return real(c)
		}
	},
	"full-reads-of-unknown-instances-as-plain-text": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "instance.not_found" && c.surface == surfaceAdmin && c.r.URL.Query().Has("view") {
			a.header.Set("Content-Type", "text/plain")
		}
	}),
	"lists-of-unknown-instances-under-html": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "instance.not_found" && c.surface == surfaceA2A && c.r.URL.Query().Has("limit") {
			a.header.Set("Content-Type", "text/html")
		}
	}),
	"gone-objects-are-told-by-a-page": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "object.not_found" && c.r.Method == http.MethodDelete {
			a.header.Set("Content-Type", "text/html")
			a.body = []byte("<!doctype html><title>Gone</title>")
		}
	}),
	"unknown-instances-to-delete-as-plain-json": refusals(func(c *call, p *problem, a *answer) {
		if c.r.Method == http.MethodDelete && p.code == "instance.not_found" {
			a.header.Set("Content-Type", "application/json")
		}
	}),
	"unknown-configs-under-text": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "push.config_not_found" && c.r.Method == http.MethodGet {
			a.header.Set("Content-Type", "text/plain")
		}
	}),
	"sends-to-unknown-tasks-as-plain-text": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "task.not_found" && strings.HasSuffix(c.r.URL.Path, "/messages:send") {
			a.header.Set("Content-Type", "text/plain")
			a.body = []byte("no such task")
		}
	}),
	"sends-to-unknown-tasks-without-code": func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			if p.code == "task.not_found" && strings.HasSuffix(c.r.URL.Path, "/messages:send") {
				delete(d, "code")
			}
		}
	},
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

// large says whether the first message of a task is a long one.
func (t task) large() bool { return len(t.Messages) > 0 && len(textOf(t.Messages[0])) > 2<<10 }

// ofAnotherTask shows another id than that of the task, where the answer is long.
func ofAnotherTask(c *call, a answer) answer {
	if len(a.body) < 2<<10 {
		return a
	}
	return changed(c, a, func(task map[string]any) { task["id"] = newID() })
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

// whenAskedFor changes the answers to requests with a parameter.
func whenAskedFor(parameter string, change func(c *call, a answer) answer) func(c *call, a answer) answer {
	return func(c *call, a answer) answer {
		if !c.r.URL.Query().Has(parameter) {
			return a
		}
		return change(c, a)
	}
}

// changesBody changes the object that an answer holds.
func changesBody(change func(v map[string]any)) func(c *call, a answer) answer {
	return func(c *call, a answer) answer {
		var v map[string]any
		if undoc(a.body, &v) != nil {
			return a
		}
		change(v)
		a.body = c.e.lawful.Encode(v)
		return a
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
