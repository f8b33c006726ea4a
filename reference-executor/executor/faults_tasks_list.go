// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// readFaults are about reading tasks, one by one and in lists.
var readFaults = map[string]func(*behaviour){
	"lists-break-on-a-parameter-that-comes-twice": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			if c.surface == surfaceA2A && len(c.query()["limit"]) > 1 {
				return c.refuse(refuse(http.StatusInternalServerError, "internal.error", "the request could not be served")), true
			}
			return answer{}, false
		}
	},
	"lists-break-on-text-that-is-no-utf-8": func(b *behaviour) {
		real := b.list.state
		b.list.state = func(value string) (string, *problem) {
			if !utf8.ValidString(value) {
				return "", refuse(http.StatusInternalServerError, "internal.error", "the request could not be served")
			}
			return real(value)
		}
	},
	"ids-that-are-no-utf-8-break": func(b *behaviour) {
		real := b.tasks.notFound
		b.tasks.notFound = func(c *call, operation string) answer {
			if !utf8.ValidString(c.vars["tid"]) {
				return c.refuse(refuse(http.StatusInternalServerError, "internal.error", "the request could not be served"))
			}
			return real(c, operation)
		}
	},
	"cursors-lead-to-their-instance": func(b *behaviour) {
		var given sync.Map // the instance, by cursor
		page(func(in *instance, q listQuery) ([]task, string, *problem) {
			if of, is := given.Load(q.Cursor); is {
				in = of.(*instance)
			}
			tasks, next, p := in.page(q)
			if next != "" {
				given.Store(next, in)
			}
			return tasks, next, p
		})(b)
	},
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
	"unknown-tasks-are-submitted-when-asked-again": func(b *behaviour) {
		var once seen
		b.tasks.notFound = func(c *call, name string) answer {
			if name == "get" && once.before(c.vars["tid"]) {
				return c.json(http.StatusOK, map[string]any{"id": c.vars["tid"], "status": map[string]any{"state": submitted, "timestamp": stamp(time.Now())}})
			}
			return conformantTasks.notFound(c, name)
		}
	},
	"every-third-read-of-an-ended-task-is-stale": func(b *behaviour) {
		var mu sync.Mutex
		reads := map[string]int{}
		membersOf("get", "read this back", func(v map[string]any) {
			status, _ := v["status"].(map[string]any)
			id, _ := v["id"].(string)
			if status["state"] != canceled {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if reads[id]++; reads[id]%3 == 0 {
				status["state"] = working
				delete(status, "terminal_at")
			}
		})(b)
	},
	"lists-are-kept-for-three-seconds": keptLists(3*time.Second, func(listQuery) bool { return true }),
	"streamed-tasks-are-not-listed": func(b *behaviour) {
		real := b.list.page
		b.list.page = func(in *instance, q listQuery) ([]task, string, *problem) {
			tasks, next, p := real(in, q)
			return slices.DeleteFunc(tasks, func(t task) bool { return t.Streamed }), next, p
		}
	},
	"lists-end-before-a-page-of-one": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if p == nil && next != "" {
			q.Cursor = next
			q.Limit = 2
			if rest, _, _ := in.page(q); len(rest) == 1 {
				next = ""
			}
		}
		return tasks, next, p
	}),
	"lists-find-no-task-that-waits-for-input": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.State == inputRequired {
			return nil, "", nil
		}
		return in.page(q)
	}),
	"push-configs-of-all-instances-by-id": instead(func(c *call) (answer, bool) {
		t, known, err := c.e.store.task(c.vars["tid"])
		if err != nil || !known || t.Instance == c.iid || c.r.Method != http.MethodGet || c.identify() != nil {
			return answer{}, false
		}
		p, known, err := c.e.store.push(c.vars["cid"])
		if err != nil || !known {
			return answer{}, false
		}
		return c.showPush(http.StatusOK, p), true
	}),
	"messages-go-to-tasks-of-all-instances": func(b *behaviour) {
		b.tasks.unknownContinued = func(in *instance, m message, o sendOptions) (task, *problem) {
			if t, found, err := in.e.store.task(m.TaskID); found && err == nil {
				if owner, is := in.e.instances.find(t.Instance); is {
					return owner.continueTask(m, o)
				}
			}
			return task{}, noSuchTask()
		}
	},
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
	"tasks-are-known-by-the-beginning-of-their-id": rewrite(func(e *Executor, _, p string) string {
		before, rest, _ := strings.Cut(p, "/v1/tasks/")
		id, operation, _ := strings.Cut(rest, "/")
		var whole string
		if len(id) < 32 {
			return p
		}
		if found, err := e.store.one(`SELECT id FROM tasks WHERE substr(id, 1, ?) = ?`, []any{len(id), id}, &whole); err != nil || !found {
			return p
		}
		return strings.TrimSuffix(before+"/v1/tasks/"+whole+"/"+operation, "/")
	}),
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
	"reads-of-large-tasks-show-another-id": answers("get", ofAnotherTask),
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
	"full-last-pages-lead-to-the-first": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.Cursor != "" && next == "" && len(tasks) == q.Limit {
			next = writeCursor(math.MaxInt64)
		}
		return tasks, next, p
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
	"lists-of-two-lack-the-states": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Get("limit") == "2" {
			return changed(c, a, withoutState)
		}
		return a
	}),
	"reads-of-large-tasks-lack-the-state": ofLargeTasks("get"),
	"lists-of-no-tasks-are-null": func(b *behaviour) {
		real := b.list.shown
		b.list.shown = func(v map[string]any) {
			if real(v); len(v["tasks"].([]any)) == 0 {
				v["tasks"] = nil
			}
		}
	},
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
