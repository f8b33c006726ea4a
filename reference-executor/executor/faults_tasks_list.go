// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// readFaults are about reading tasks, one by one and in lists.
var readFaults = map[string]func(*behaviour){
	"get-answers-an-empty-object": answersTo("get", "read this back", func(c *call, _ answer) answer {
		return c.json(http.StatusOK, map[string]any{})
	}),
	"get-forgets-what-happened": membersOf("get", "read this back", func(v map[string]any) {
		v["status"].(map[string]any)["state"] = "unknown"
	}),
	"unknown-task-is-null": notFound("get", func(c *call) answer { return c.json(http.StatusOK, nil) }),
	"unknown-task-is-canceled": notFound("cancel", func(c *call) answer {
		return c.json(http.StatusOK, map[string]any{"id": c.vars["tid"], "status": map[string]any{"state": canceled}})
	}),
	"unknown-task-is-a-server-error": notFound("get", func(c *call) answer {
		return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
	}),
	"unknown-task-under-another-code": notFound("get", func(c *call) answer {
		return c.refuse(refuse(http.StatusNotFound, "object.not_found", ""))
	}),
	"tasks-shared-by-all-instances": func(b *behaviour) { b.tasks.visible = func(*instance, task) bool { return true } },
	"list-shows-all-instances": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.Cursor == "" {
			for _, other := range in.e.instances.all() {
				if other != in {
					more, _, _ := other.page(q)
					tasks = append(tasks, more...)
				}
			}
		}
		return tasks, next, p
	}),

	"list-is-empty": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		return in.without(q, func(t task) bool { return t.mentions("keep a list") })
	}),
	"list-calls-tasks-items": answers("list", func(c *call, a answer) answer {
		var v map[string]any
		if undoc(a.body, &v) == nil {
			v["items"] = v["tasks"]
			delete(v, "tasks")
			a.body = c.e.lawful.Encode(v)
		}
		return a
	}),
	"list-ignores-limit": func(b *behaviour) {
		real := b.list.limit
		b.list.limit = func(value string) (int, *problem) {
			n, p := real(value)
			return max(n, defaultPage), p
		}
	},
	"list-reaches-a-few-pages": func(b *behaviour) {
		// Of those that mention pages, the five newest of a context can be reached.
		var made sync.Map
		told := b.tasks.announce
		b.tasks.announce = func(in *instance, t task) {
			told(in, t)
			if t.State == submitted && t.mentions("turn the pages") {
				n, _ := made.LoadOrStore(t.ContextID, new([]string))
				*n.(*[]string) = append(*n.(*[]string), t.ID)
			}
		}
		page(func(in *instance, q listQuery) ([]task, string, *problem) {
			return in.without(q, func(t task) bool {
				all, known := made.Load(t.ContextID)
				if !known || !t.mentions("turn the pages") {
					return false
				}
				in.e.work.Lock()
				defer in.e.work.Unlock()
				ids := *all.(*[]string)
				return slices.Index(ids, t.ID) < len(ids)-5
			})
		})(b)
	},
	"list-repeats-the-last-of-a-page": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if before, bad := readCursor(q.Cursor); q.Cursor != "" && bad == nil && p == nil {
			last, _, _ := in.page(listQuery{State: q.State, Cursor: writeCursor(before + 1), Limit: 1, Active: q.Active})
			if len(last) == 1 && last[0].mentions("turn the pages") {
				tasks = append(last, tasks...)
			}
		}
		return tasks, next, p
	}),
	"list-never-ends": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if next == "" && q.Limit == 10 {
			next = writeCursor(1)
		}
		return tasks, next, p
	}),
	"list-cursor-is-an-instant": cursorIsAnInstant(func(listQuery) bool { return true }),
	"list-ignores-state": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		q.State = ""
		return in.page(q)
	}),
	"list-filters-after-the-page": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.State == "" || q.Limit > 10 {
			return in.page(q)
		}
		state := q.State
		q.State, q.Limit = "", q.Limit+1
		tasks, _, p := in.page(q)
		return slices.DeleteFunc(tasks, func(t task) bool { return t.State != state }), "", p
	}),
	"list-filters-the-first-page-only": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.Cursor != "" && q.Limit <= 10 {
			q.State = ""
		}
		return in.page(q)
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
			return math.MaxInt64, nil
		}
	},
	"list-takes-any-limit": func(b *behaviour) {
		b.list.limit = func(value string) (int, *problem) {
			n, err := strconv.Atoi(value)
			if err != nil {
				return defaultPage, nil
			}
			return min(max(n, 1), maxPage), nil
		}
	},
	"list-takes-limit-0-for-everything": func(b *behaviour) {
		real := b.list.limit
		b.list.limit = func(value string) (int, *problem) {
			if n, err := strconv.Atoi(value); err == nil && n < 1 {
				return maxPage, nil
			}
			return real(value)
		}
		answers("list", func(c *call, a answer) answer {
			if n, err := strconv.Atoi(c.query().Get("limit")); err == nil && n < 1 {
				return manyTasks(c, 200)
			}
			return a
		})(b)
	},
	"list-has-no-longest-page": answers("list", func(c *call, a answer) answer {
		if n, _ := strconv.Atoi(c.query().Get("limit")); n > 10000 {
			return manyTasks(c, 1001)
		}
		return a
	}),
	"list-cursor-by-another-name": answers("list", func(c *call, a answer) answer {
		var v map[string]any
		if undoc(a.body, &v) == nil && v["next_cursor"] != nil {
			v["nextPageToken"] = v["next_cursor"]
			delete(v, "next_cursor")
			a.body = c.e.lawful.Encode(v)
		}
		return a
	}),
	"list-breaks-on-a-bad-limit": func(b *behaviour) {
		b.list.limit = func(value string) (int, *problem) {
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return 0, refuse(http.StatusInternalServerError, "internal.error", "")
			}
			return min(n, maxPage), nil
		}
	},
	"lists-of-the-other-instance-are-oldest-first": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if in.Name == "agent-two" {
			slices.Reverse(tasks)
		}
		return tasks, next, p
	}),
	"list-is-oldest-first": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		var places []int
		var some []task
		for i, t := range tasks {
			if t.mentions("one after the other") {
				places, some = append(places, i), append(some, t)
			}
		}
		for i, at := range places {
			tasks[at] = some[len(some)-1-i]
		}
		return tasks, next, p
	}),
	"streamed-task-is-not-listed": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		return in.without(q, func(t task) bool { return t.Streamed && t.mentions("tell me as it happens") })
	}),
}

// manyTasks is a page with more tasks than anybody asked for.
func manyTasks(c *call, n int) answer {
	one := map[string]any{"id": newID(), "status": map[string]any{"state": working}}
	return c.json(http.StatusOK, map[string]any{"tasks": slices.Repeat([]any{one}, n)})
}

func notFound(operation string, as func(c *call) answer) func(*behaviour) {
	return func(b *behaviour) {
		real := b.tasks.notFound
		b.tasks.notFound = func(c *call, op string) answer {
			if op == operation {
				return as(c)
			}
			return real(c, op)
		}
	}
}

// cursorIsAnInstant lets the cursor of some lists stand for the time of the last task: what was created at that time is passed over.
func cursorIsAnInstant(which func(q listQuery) bool) func(*behaviour) {
	return page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		for next != "" && p == nil && which(q) {
			last := tasks[len(tasks)-1]
			more, after, problem := in.page(listQuery{State: q.State, Cursor: next, Limit: 1, Active: q.Active})
			if problem != nil || len(more) == 0 || !last.mentions("at the same time") || !more[0].mentions("at the same time") ||
				last.Created.Sub(more[0].Created) > time.Second {
				break
			}
			next = after
		}
		return tasks, next, p
	})
}

func page(as func(in *instance, q listQuery) ([]task, string, *problem)) func(*behaviour) {
	return func(b *behaviour) { b.list.page = as }
}

// without is a page of the list that some tasks are missing from.
func (in *instance) without(q listQuery, hidden func(t task) bool) (tasks []task, next string, p *problem) {
	if q.Limit < 1 {
		q.Limit = defaultPage
	}
	for limit := q.Limit; len(tasks) < limit; q.Cursor = next {
		var some []task
		q.Limit = limit - len(tasks)
		if some, next, p = in.page(q); p != nil {
			return nil, "", p
		}
		tasks = append(tasks, slices.DeleteFunc(some, hidden)...)
		if next == "" {
			break
		}
	}
	return tasks, next, nil
}
