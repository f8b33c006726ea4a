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
)

// listPageFaults are about limits, cursors and the order of lists of tasks.
var listPageFaults = map[string]func(*behaviour){
	"lists-break-on-a-parameter-that-comes-twice": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			if c.surface == surfaceA2A && len(c.query()["limit"]) > 1 {
				return c.refuse(brokenDown()), true
			}
			return answer{}, false
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
	"pages-of-twenty-lose-the-last": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if len(tasks) >= 20 && tasks[19].mentions("turn the pages") {
			tasks = slices.Delete(tasks, 19, 20)
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
	"later-pages-ignore-limit": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.Cursor != "" && q.Limit == 2 {
			q.Limit = 3
		}
		return in.page(q)
	}),
	"third-pages-ignore-limit": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if _, after, p := in.page(listQuery{Limit: 4}); p == nil && q.Cursor != "" && q.Limit == 2 {
			fourth, _ := readCursor(after)
			if last, _ := readCursor(q.Cursor); last <= fourth {
				q.Limit = 3
			}
		}
		return in.page(q)
	}),
	"list-of-tens-ends-after-three-pages": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		return in.newest(q, 30, q.Limit == 10)
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
				return 0, brokenDown()
			}
			return real(value)
		}
	},
}

// manyTasks is a page with more tasks than anybody asked for.
func manyTasks(c *call, n int) answer {
	one := map[string]any{"id": newID(), "status": map[string]any{"state": working}}
	return c.json(http.StatusOK, map[string]any{"tasks": slices.Repeat([]any{one}, n)})
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
