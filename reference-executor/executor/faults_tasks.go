// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

var taskFaults = map[string]func(*behaviour){
	"send-answers-204": answers("send", func(_ *call, a answer) answer {
		return answer{status: http.StatusNoContent, header: http.Header{}}
	}),
	"send-answers-a-mission": answers("send", func(c *call, a answer) answer {
		return c.json(a.status, map[string]any{"mission_id": newID(), "executor_id": c.in.ID, "status": "assigned"})
	}),
	"send-answers-in-a-json-rpc-envelope": answers("send", func(c *call, a answer) answer {
		a.body = slices.Concat([]byte(`{"jsonrpc":"2.0","id":null,"result":`), a.body, []byte("}"))
		return a
	}),
	"send-answers-a-task-without-id": func(b *behaviour) {
		b.tasks.rendered = func(t task, v map[string]any) { delete(v, "id") }
	},
	"send-waits-for-the-end":     func(b *behaviour) { b.tasks.blocks = func(bool) bool { return true } },
	"running-instead-of-working": spells(working, "running"),
	"canceled-with-two-ls":       spells(canceled, "cancelled"),
	"states-in-upper-case": func(b *behaviour) {
		b.tasks.spells = func(state string) string {
			return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
		}
	},
	"send-answers-canceled": answers("send", func(c *call, a answer) answer {
		a.body = []byte(strings.Replace(string(a.body), `"submitted"`, `"canceled"`, 1))
		return a
	}),
	"task-id-is-the-mission-id": func(b *behaviour) {
		b.tasks.newID = func(m message, opts sendOptions) string {
			for _, metadata := range []any{m.Metadata, opts.Body["metadata"]} {
				if v, ok := metadata.(map[string]any); ok {
					if id, ok := v["mission_id"].(string); ok {
						return id
					}
				}
			}
			return newID()
		}
	},
	"task-id-is-the-message-id": func(b *behaviour) {
		b.tasks.newID = func(m message, _ sendOptions) string { return m.ID }
	},
	"timestamps-in-milliseconds": func(b *behaviour) {
		b.tasks.timestamp = func(t time.Time) any { return t.UnixMilli() }
	},
	"timestamps-of-yesterday": func(b *behaviour) {
		b.tasks.timestamp = func(t time.Time) any { return stamp(t.Add(-24 * time.Hour)) }
	},
	"timestamps-with-an-offset": func(b *behaviour) {
		b.tasks.timestamp = func(t time.Time) any { return t.In(time.FixedZone("", 3600)).Format(time.RFC3339Nano) }
	},
	"context-replaced": func(b *behaviour) { b.tasks.contextID = func(message) string { return newID() } },
	"location-without-agent-prefix": func(b *behaviour) {
		b.tasks.location = func(_ *instance, t task) string { return "/v1/tasks/" + t.ID }
	},
	"location-of-another-task": func(b *behaviour) {
		b.tasks.location = func(in *instance, _ task) string { return "/agents/" + in.ID + "/v1/tasks/" + newID() }
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
			if operation == "get" && !strings.Contains(c.r.URL.Path, "/v1/") {
				return c.json(http.StatusOK, map[string]any{"result": map[string]any{}})
			}
			return a
		}
	},
	"get-answers-an-empty-object": answers("get", func(c *call, a answer) answer {
		if a.status != http.StatusOK {
			return a
		}
		return c.json(http.StatusOK, map[string]any{})
	}),
	"unknown-task-is-null": func(b *behaviour) {
		b.tasks.notFound = func(c *call, _ string) answer { return c.json(http.StatusOK, nil) }
	},
	"unknown-task-is-a-server-error": func(b *behaviour) {
		b.tasks.notFound = func(c *call, _ string) answer {
			return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
		}
	},
	"unknown-task-under-another-code": func(b *behaviour) {
		b.tasks.notFound = func(c *call, _ string) answer { return c.refuse(refuse(http.StatusNotFound, "object.not_found", "")) }
	},
	"tasks-shared-by-all-instances": func(b *behaviour) { b.tasks.visible = func(*instance, task) bool { return true } },

	"list-is-empty": page(func(*instance, listQuery) ([]task, string, *problem) { return nil, "", nil }),
	"list-ignores-limit": func(b *behaviour) {
		b.list.limit = func(string) (int, *problem) { return mostPage, nil }
	},
	"list-is-cut-to-a-window": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		// The cursor counts inside a window of the newest six tasks.
		from, _ := strconv.Atoi(q.Cursor)
		tasks, _, p := in.page(listQuery{State: q.State, Limit: 6, Active: q.Active})
		if p != nil || from >= len(tasks) {
			return nil, "", p
		}
		tasks = tasks[from:]
		if q.Limit > 0 && len(tasks) > q.Limit {
			return tasks[:q.Limit], strconv.Itoa(from + q.Limit), nil
		}
		return tasks, "", nil
	}),
	"list-cursor-is-a-millisecond": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		before, _ := strconv.ParseInt(q.Cursor, 10, 64)
		everything, p := in.everything(q)
		var tasks []task
		for _, t := range everything {
			if q.Cursor == "" || t.Created.UnixMilli() < before {
				tasks = append(tasks, t)
			}
		}
		if limit := max(q.Limit, 1); len(tasks) > limit {
			return tasks[:limit], strconv.FormatInt(tasks[limit-1].Created.UnixMilli(), 10), p
		}
		return tasks, "", p
	}),
	"list-repeats-the-last-of-a-page": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		from, _ := strconv.Atoi(q.Cursor)
		everything, p := in.everything(q)
		if q.Limit < 1 {
			q.Limit = defaultPage
		}
		everything = everything[min(max(from-1, 0), len(everything)):]
		if len(everything) <= q.Limit+1 {
			return everything, "", p
		}
		return everything[:q.Limit], strconv.Itoa(max(from-1, 0) + q.Limit + 1), p
	}),
	"list-never-ends": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if next == "" {
			next = writeCursor(1)
		}
		return tasks, next, p
	}),
	"list-ignores-state": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		q.State = ""
		return in.page(q)
	}),
	"list-filters-after-the-page": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		state := q.State
		q.State = ""
		tasks, _, p := in.page(q)
		return slices.DeleteFunc(tasks, func(t task) bool { return state != "" && t.State != state }), "", p
	}),
	"list-takes-unknown-states": func(b *behaviour) {
		b.list.state = func(value string) (string, *problem) {
			if slices.Contains(states, value) {
				return value, nil
			}
			return "", nil
		}
	},
	"list-takes-any-cursor": func(b *behaviour) {
		b.list.cursor = func(value string) (int64, *problem) {
			if number, p := readCursor(value); p == nil {
				return number, nil
			}
			return 1 << 62, nil
		}
	},
	"list-takes-any-limit": func(b *behaviour) {
		b.list.limit = func(value string) (int, *problem) {
			n, _ := strconv.Atoi(value)
			return min(max(n, 1), mostPage), nil
		}
	},
	"list-breaks-on-a-bad-limit": func(b *behaviour) {
		b.list.limit = func(value string) (int, *problem) {
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return 0, refuse(http.StatusInternalServerError, "internal.error", "")
			}
			return min(n, mostPage), nil
		}
	},
	"list-is-oldest-first": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		from, _ := strconv.Atoi(q.Cursor)
		if q.Limit < 1 {
			q.Limit = defaultPage
		}
		everything, p := in.everything(q)
		slices.Reverse(everything)
		everything = everything[min(from, len(everything)):]
		if len(everything) <= q.Limit {
			return everything, "", p
		}
		return everything[:q.Limit], strconv.Itoa(from + q.Limit), p
	}),
	"list-as-plain-text": answers("list", func(_ *call, a answer) answer { a.header.Set("Content-Type", "text/plain"); return a }),

	"cancel-is-ignored": func(b *behaviour) {
		b.tasks.cancel = func(_ *instance, t task) (task, *problem) { return t, nil }
		answers("cancel", func(_ *call, a answer) answer {
			if a.status == http.StatusOK {
				a.status = http.StatusAccepted
			}
			return a
		})(b)
	},
	"cancel-wants-a-body": func(b *behaviour) {
		real := b.tasks.answer
		b.tasks.answer = func(c *call, operation string, a answer) answer {
			if operation == "cancel" && c.r.ContentLength == 0 && a.status == http.StatusOK {
				return c.refuse(malformed("the body is empty"))
			}
			return real(c, operation, a)
		}
	},
	"ended-tasks-are-canceled-again": func(b *behaviour) {
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			ended := t.Ended
			return in.move(t, canceled, func(t *task) {
				if !ended.IsZero() {
					t.Ended = ended
				}
			})
		}
	},
	"canceled-task-works-again": func(b *behaviour) {
		b.tasks.continueEnded = func(in *instance, t task, m message, opts sendOptions) (task, *problem) {
			t.Messages = append(slices.Clip(t.Messages), m.Raw)
			t, p := in.move(t, working, nil)
			return t.seenBy(opts.Active), p
		}
	},
	"message-to-an-ended-task-starts-another": func(b *behaviour) {
		b.tasks.continueEnded = func(in *instance, _ task, m message, opts sendOptions) (task, *problem) {
			return in.createTask(m, opts)
		}
	},
	"canceled-task-completes-anyway": func(b *behaviour) {
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			t, p := cancelTask(in, t)
			if p == nil {
				in.e.agenda.after(t.ID, time.Second, func() {
					in.e.work.Lock()
					defer in.e.work.Unlock()
					_, _ = in.move(t, completed, nil)
				})
			}
			return t, p
		}
	},
	"works-after-completing": func(b *behaviour) {
		b.tasks.told = func(in *instance, t task) {
			if t.State == completed {
				in.e.agenda.after("", 200*time.Millisecond, func() {
					in.e.work.Lock()
					defer in.e.work.Unlock()
					_, _ = in.move(t, working, nil)
				})
			}
		}
	},
	"working-task-is-submitted-again": func(b *behaviour) {
		b.tasks.told = func(in *instance, t task) {
			if t.State == working && t.Plan.Step == 1 {
				t.Plan.Step = 99
				in.e.agenda.after("", 300*time.Millisecond, func() {
					in.e.work.Lock()
					defer in.e.work.Unlock()
					if now, found := in.load(t.ID); found && now.State == working {
						_, _ = in.move(t, submitted, nil)
					}
				})
			}
		}
	},
	"every-message-starts-a-task": func(b *behaviour) { b.tasks.continues = func(message) bool { return false } },
	"unknown-task-id-starts-a-task": func(b *behaviour) {
		b.tasks.unknownContinued = func(in *instance, m message, opts sendOptions) (task, *problem) { return in.createTask(m, opts) }
		b.tasks.newID = func(m message, _ sendOptions) string {
			if m.TaskID != "" {
				return m.TaskID
			}
			return newID()
		}
	},
	"context-overwritten-by-a-message": func(b *behaviour) {
		b.tasks.otherContext = func(t *task, m message) *problem { t.ContextID = m.ContextID; return nil }
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
	"bad-messages-are-server-errors": func(b *behaviour) {
		real := b.tasks.parse
		b.tasks.parse = func(v map[string]any) (message, *problem) {
			m, p := real(v)
			if p != nil {
				p = refuse(http.StatusInternalServerError, "internal.error", "")
			}
			return m, p
		}
	},
	"invalid-utf-8-accepted": func(b *behaviour) {
		b.errors.parse = func(body []byte) (any, *problem) {
			return parseBody([]byte(strings.ToValidUTF8(string(body), "\uFFFD")))
		}
	},
	"bad-messages-leave-a-task": func(b *behaviour) {
		b.tasks.refused = func(c *call, s sending) {
			id, _ := s.message["contextId"].(string)
			if id == "" {
				return
			}
			m := message{ID: newID(), Role: "user", ContextID: id, Raw: map[string]any{}}
			_, _ = c.in.sendMessage(m, sendOptions{Active: c.active})
		}
	},

	"stream-message-answers-json": func(b *behaviour) {
		b.sse.start = func(c *call, a answer) answer {
			if a.stream == nil {
				return a
			}
			tasks, _, _ := c.in.listTasks(listQuery{Limit: 1, Active: c.active})
			return c.json(http.StatusOK, tasks[0].render(-1))
		}
	},
	"no-stream-message-route": rewrite(func(_ *Executor, _, path string) string {
		if strings.HasSuffix(path, "/messages:stream") {
			return path + "/nothing-here"
		}
		return path
	}),
	"streamed-message-is-not-dispatched": func(b *behaviour) {
		b.tasks.works = func(t task) bool { return !t.Streamed }
		b.sse.follows = func(c *call) bool { return !strings.HasSuffix(c.r.URL.Path, "/messages:stream") }
	},
	"streamed-message-ends-early": func(b *behaviour) {
		b.sse.follows = func(c *call) bool { return !strings.HasSuffix(c.r.URL.Path, "/messages:stream") }
	},
	"streamed-task-is-not-listed": func(b *behaviour) {
		b.list.page = func(in *instance, q listQuery) ([]task, string, *problem) {
			tasks, next, p := in.page(q)
			return slices.DeleteFunc(tasks, func(t task) bool { return t.Streamed }), next, p
		}
	},
	"extended-card-unsigned": func(b *behaviour) {
		b.tasks.extended = func(c *call) answer {
			card := c.in.card(true)
			delete(card, "signatures")
			return c.json(http.StatusOK, card)
		}
	},
	"no-extended-card": func(b *behaviour) {
		b.tasks.extended = func(c *call) answer { return c.refuse(refuse(http.StatusNotFound, "route.not_found", "")) }
	},
	"extended-card-of-another-instance": func(b *behaviour) {
		b.tasks.extended = func(c *call) answer {
			for _, other := range c.e.all() {
				if other != c.in {
					return c.json(http.StatusOK, other.card(true))
				}
			}
			return c.json(http.StatusOK, c.in.card(true))
		}
	},
	"failed-without-fail-kind": dresses(func(t *task) { t.FailKind = "" }),
	"fail-kind-is-unknown": dresses(func(t *task) {
		if t.FailKind != "" {
			t.FailKind = "other"
		}
	}),
	"no-terminal-at": func(b *behaviour) { b.tasks.endedAt = func(task) any { return nil } },
	"terminal-at-is-the-time-of-reading": func(b *behaviour) {
		b.tasks.endedAt = func(task) any { return stamp(time.Now()) }
	},
}

// answers changes what one operation answers.
func answers(operation string, change func(c *call, a answer) answer) func(*behaviour) {
	return func(b *behaviour) {
		before := b.tasks.answer
		b.tasks.answer = func(c *call, op string, a answer) answer {
			a = before(c, op, a)
			if op == operation && a.status < 300 {
				return change(c, a)
			}
			return a
		}
	}
}

func spells(state, as string) func(*behaviour) {
	return func(b *behaviour) {
		before := b.tasks.spells
		b.tasks.spells = func(s string) string {
			if s == state {
				return as
			}
			return before(s)
		}
	}
}

func page(as func(in *instance, q listQuery) ([]task, string, *problem)) func(*behaviour) {
	return func(b *behaviour) {
		b.list.page = as
		b.list.cursor = func(value string) (int64, *problem) {
			if strings.Trim(value, "0123456789") == "" { // the cursors of faulty pages
				return 1, nil
			}
			return readCursor(value)
		}
	}
}

func rules(change func(r *messageRules)) func(*behaviour) {
	return func(b *behaviour) {
		r := conformantRules
		change(&r)
		b.tasks.parse = r.parse
	}
}

func dresses(change func(t *task)) func(*behaviour) {
	return func(b *behaviour) { b.tasks.dresses = change }
}

// everything is all tasks that a query lets through, newest first.
func (in *instance) everything(q listQuery) ([]task, *problem) {
	var all []task
	for q.Cursor, q.Limit = "", mostPage; ; {
		tasks, next, p := in.page(q)
		all = append(all, tasks...)
		if p != nil || next == "" {
			return all, p
		}
		q.Cursor = next
	}
}
