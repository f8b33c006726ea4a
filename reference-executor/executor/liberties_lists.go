// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
)

// listLiberties are about lists of tasks.
var listLiberties = map[string]func(*behaviour){
	// AMB-27: default and maximum of a page are not judged.
	"pages-are-small": func(b *behaviour) {
		page := b.list.page
		b.list.page = func(in *instance, q listQuery) ([]task, string, *problem) {
			if q.Limit = min(q.Limit, 4); q.Limit == 0 {
				q.Limit = 3
			}
			return page(in, q)
		}
	},
	// TASK-018: a limit that is too long may be refused; where that begins is not judged (AMB-27). TASK-013 asks for fifty.
	"limits-above-fifty-are-refused": func(b *behaviour) {
		limit := b.list.limit
		b.list.limit = func(value string) (int, *problem) {
			n, p := limit(value)
			if p == nil && n > 50 {
				return 0, invalid("limit", "is not between 1 and 50")
			}
			return n, p
		}
	},
	// Wire shapes, 4.4: cursor is opaque.
	"cursors-are-long-and-change": func(b *behaviour) {
		const mark = "&+/=%41 é#"
		page, cursor := b.list.page, b.list.cursor
		plain := func(value string) string {
			_, after, _ := strings.Cut(value, mark)
			return after
		}
		b.list.cursor = func(value string) (int64, *problem) { return cursor(plain(value)) }
		b.list.page = func(in *instance, q listQuery) ([]task, string, *problem) {
			tasks, next, p := page(in, q)
			if next != "" {
				next = base64.StdEncoding.EncodeToString([]byte(strings.Repeat(newTrace(), 20))) + mark + next
			}
			return tasks, next, p
		}
	},
	// TASK-015: "until it is absent, null or empty".
	"last-pages-have-a-null-cursor": func(b *behaviour) {
		b.list.shown = func(v map[string]any) {
			if v["next_cursor"] == nil {
				v["next_cursor"] = nil
			}
		}
	},
	// TASK-015: "until it is absent, null or empty"; AMB-27: names of A2A beside.
	"last-pages-have-an-empty-cursor": func(b *behaviour) {
		b.list.shown = func(v map[string]any) {
			if v["next_cursor"] == nil {
				v["next_cursor"] = ""
			}
			tasks, _ := v["tasks"].([]any)
			v["nextPageToken"], v["pageSize"], v["totalSize"] = v["next_cursor"], len(tasks), 1000
		}
	},
	// TASK-015: the walk ends when there is no cursor; who fills a page cannot know whether something follows.
	"a-full-page-is-followed-by-an-empty-one": func(b *behaviour) {
		page := b.list.page
		b.list.page = func(in *instance, q listQuery) ([]task, string, *problem) {
			tasks, next, p := page(in, q)
			full := q.Limit
			if full == 0 {
				full = defaultPage
			}
			if next == "" && len(tasks) >= full {
				var number int64
				if found, err := in.e.store.one(`SELECT number FROM tasks WHERE id = ?`, []any{tasks[len(tasks)-1].ID}, &number); err == nil && found {
					next = writeCursor(number)
				}
			}
			return tasks, next, p
		}
	},
	// No sentence says that a filtered page is full: TASK-017 walks by cursor.
	"filters-come-after-the-page-is-cut": func(b *behaviour) {
		page := b.list.page
		b.list.page = func(in *instance, q listQuery) ([]task, string, *problem) {
			state := q.State
			q.State = ""
			tasks, next, p := page(in, q)
			if state != "" {
				tasks = slices.DeleteFunc(tasks, func(t task) bool { return t.State != state })
			}
			return tasks, next, p
		}
	},
	// TASK-019 names A2A 3.1.4: descending by the time of the status.
	"lists-are-ordered-by-change": func(b *behaviour) {
		announce := b.tasks.announce // so that it does not go together with agents that tell how they get on: what changes is moved
		b.tasks.announce = func(in *instance, t task) { announce(in, t) }
		b.list.cursor = func(value string) (int64, *problem) {
			at, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return 0, invalid("cursor", "was not given out by this list")
			}
			return at, nil
		}
		b.list.page = func(in *instance, q listQuery) ([]task, string, *problem) {
			before := int64(math.MaxInt64)
			if q.Cursor != "" {
				var p *problem
				if before, p = in.e.b.list.cursor(q.Cursor); p != nil {
					return nil, "", p
				}
			}
			if q.Limit <= 0 {
				q.Limit = defaultPage
			}
			in.e.work.Lock()
			defer in.e.work.Unlock()
			rows, err := in.e.store.tasksBefore(in.ID, q.State, math.MaxInt64, 1<<30)
			if err != nil {
				return nil, "", in.e.internal(err)
			}
			slices.SortFunc(rows, func(a, b numbered) int { return b.task.Changed.Compare(a.task.Changed) })
			tasks := []task{}
			for _, row := range rows {
				if row.task.Changed.UnixNano() >= before {
					continue
				}
				if len(tasks) == q.Limit {
					return tasks, strconv.FormatInt(tasks[q.Limit-1].Changed.UnixNano(), 10), nil
				}
				t := row.task
				if t.in = in; q.Active != nil {
					t.Active = q.Active
				}
				tasks = append(tasks, t)
			}
			return tasks, "", nil
		}
	},
}
