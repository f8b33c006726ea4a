// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// taskCornerFaults keep the contract in the usual answer about a task, and break it in another: a list, a page, a large task, a cancellation.
var taskCornerFaults = map[string]func(*behaviour){
	"full-last-pages-lead-to-the-first": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.Cursor != "" && next == "" && len(tasks) == q.Limit {
			next = writeCursor(math.MaxInt64)
		}
		return tasks, next, p
	}),
	"extended-cards-signed-by-the-first-instance": func(b *behaviour) {
		b.tasks.extended = func(c *call) answer {
			card := c.in.card(true)
			if first := c.e.instances.all()[0]; first != c.in {
				delete(card, "signatures")
				signCard(first, card, canonical(card))
			}
			return c.json(http.StatusOK, card)
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
	"cancels-answer-in-upper-case": inTasks("cancel", func(task map[string]any) { task["status"].(map[string]any)["state"] = "TASK_STATE_CANCELED" }),
	"reads-without-timestamp":      inTasks("get", func(task map[string]any) { delete(task["status"].(map[string]any), "timestamp") }),
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
	"messages-without-a-context-start-a-task": func(b *behaviour) {
		real := b.tasks.continues
		b.tasks.continues = func(m message, o sendOptions) bool {
			return real(m, o) && (m.ContextID != "" || m.Answer != nil)
		}
	},
	"lists-of-no-tasks-are-null": func(b *behaviour) {
		real := b.list.shown
		b.list.shown = func(v map[string]any) {
			if real(v); len(v["tasks"].([]any)) == 0 {
				v["tasks"] = nil
			}
		}
	},
	"messages-without-configuration-break": func(b *behaviour) {
		real := b.tasks.sending
		b.tasks.sending = func(body map[string]any) (sending, *problem) {
			if _, given := body["configuration"]; !given {
				return sending{}, refuse(http.StatusInternalServerError, "internal.error", "the request could not be served")
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
	"list-reads-the-beginning-of-a-limit": func(b *behaviour) {
		real := b.list.limit
		b.list.limit = func(value string) (int, *problem) {
			if end := strings.IndexFunc(value, func(r rune) bool { return r < '0' || r > '9' }); end > 0 {
				value = value[:end]
			}
			return real(value)
		}
	},
	"list-breaks-on-a-huge-limit": func(b *behaviour) {
		real := b.list.limit
		b.list.limit = func(value string) (int, *problem) {
			if _, err := strconv.ParseInt(value, 10, 64); errors.Is(err, strconv.ErrRange) {
				return 0, refuse(http.StatusInternalServerError, "internal.error", "the request could not be served")
			}
			return real(value)
		}
	},
	"cancels-of-ids-that-are-no-uuid-break": notFound("cancel", func(c *call) answer {
		if len(c.vars["tid"]) == 36 {
			return c.refuse(noSuchTask())
		}
		return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
	}),
	"tasks-that-ask-are-never-found": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.State == inputRequired {
			return nil, "", nil
		}
		return in.page(q)
	}),
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
