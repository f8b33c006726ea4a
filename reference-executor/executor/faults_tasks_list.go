// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// listFaults are about which tasks a list has, and how it writes them.
var listFaults = map[string]func(*behaviour){
	"lists-break-on-text-that-is-no-utf-8": func(b *behaviour) {
		real := b.list.state
		b.list.state = func(value string) (string, *problem) {
			if !utf8.ValidString(value) {
				return "", brokenDown()
			}
			return real(value)
		}
	},
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
	"streamed-task-is-not-listed": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		return in.without(q, func(t task) bool { return t.Streamed && t.mentions("tell me as it happens") })
	}),
	"lists-are-kept-for-three-seconds": keptLists(3*time.Second, func(listQuery) bool { return true }),
	"streamed-tasks-are-not-listed": func(b *behaviour) {
		real := b.list.page
		b.list.page = func(in *instance, q listQuery) ([]task, string, *problem) {
			tasks, next, p := real(in, q)
			return slices.DeleteFunc(tasks, func(t task) bool { return t.Streamed }), next, p
		}
	},
	"lists-find-no-task-that-waits-for-input": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.State == inputRequired {
			return nil, "", nil
		}
		return in.page(q)
	}),
	"lists-asked-for-again-are-old": func(b *behaviour) {
		type kept struct {
			tasks []task
			next  string
			until time.Time
		}
		var pages sync.Map // kept, by instance
		real := b.list.page
		b.list.page = func(in *instance, q listQuery) ([]task, string, *problem) {
			if q.Limit != 50 || q.Cursor != "" || q.State != "" {
				return real(in, q)
			}
			if last, found := pages.Load(in.ID); found && time.Now().Before(last.(kept).until) {
				return last.(kept).tasks, last.(kept).next, nil
			}
			tasks, next, p := real(in, q)
			if p == nil {
				pages.Store(in.ID, kept{tasks, next, time.Now().Add(time.Second)})
			}
			return tasks, next, p
		}
	},
	"states-in-capitals-are-no-filter": func(b *behaviour) {
		real := b.list.state
		b.list.state = func(value string) (string, *problem) {
			if value != strings.ToLower(value) && slices.Contains(states, strings.ToLower(value)) {
				return "", nil
			}
			return real(value)
		}
	},
	"lists-by-state-show-all-instances": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.State == "" || q.Cursor != "" {
			return tasks, next, p
		}
		for _, other := range in.e.instances.all() {
			if other != in {
				more, _, _ := other.page(q)
				tasks = append(tasks, more...)
			}
		}
		return tasks, next, p
	}),
	"lists-elsewhere-lack-a-task": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if in.second() && len(tasks) > 0 {
			tasks = tasks[:len(tasks)-1]
		}
		return tasks, next, p
	}),
	"lists-by-state-ignore-limit": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.State != "" && q.Limit == 1 {
			q.Limit = 2
		}
		return in.page(q)
	}),
	"list-is-a-window": page(func(in *instance, q listQuery) ([]task, string, *problem) { return in.newest(q, 10, true) }),
	"lists-of-two-lack-the-states": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Get("limit") == "2" {
			return changed(c, a, withoutState)
		}
		return a
	}),
	"lists-of-no-tasks-are-null": func(b *behaviour) {
		real := b.list.shown
		b.list.shown = func(v map[string]any) {
			if real(v); len(v["tasks"].([]any)) == 0 {
				v["tasks"] = nil
			}
		}
	},
	"tasks-that-ask-are-never-found": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.State == inputRequired {
			return nil, "", nil
		}
		return in.page(q)
	}),
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
