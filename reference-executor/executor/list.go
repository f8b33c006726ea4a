// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/base64"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	defaultPage = 25
	maxPage     = 100
)

// A listQuery asks for one page of an instance's tasks, newest first.
type listQuery struct {
	State  string // empty: any
	Cursor string // empty: from the newest
	Limit  int    // 0: the default
	Active activation
}

// listBehaviour is how lists of tasks are asked for and cut into pages.
type listBehaviour struct {
	state  func(value string) (string, *problem)
	cursor func(value string) (before int64, p *problem)
	limit  func(value string) (int, *problem)
	page   func(in *instance, q listQuery) (tasks []task, next string, p *problem)
	shown  func(v map[string]any) // the last word on a page
}

var conformantList = listBehaviour{
	state: func(value string) (string, *problem) {
		if !slices.Contains(states, value) {
			return "", invalid("state", "is no state of a task")
		}
		return value, nil
	},
	cursor: readCursor,
	limit: func(value string) (int, *problem) {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return 0, invalid("limit", "is not a number above 0")
		}
		return min(n, maxPage), nil
	},
	page:  func(in *instance, q listQuery) ([]task, string, *problem) { return in.page(q) },
	shown: func(map[string]any) {},
}

// readQuery takes the page that a URL asks for.
func (b *listBehaviour) readQuery(values url.Values) (listQuery, *problem) {
	var q listQuery
	var p *problem
	if values.Get("state") != "" {
		if q.State, p = b.state(values.Get("state")); p != nil {
			return q, p
		}
	}
	if values.Get("limit") != "" {
		if q.Limit, p = b.limit(values.Get("limit")); p != nil {
			return q, p
		}
	}
	if values.Get("cursor") != "" {
		q.Cursor = values.Get("cursor")
		if _, p = b.cursor(q.Cursor); p != nil {
			return q, p
		}
	}
	return q, nil
}

// listTasks returns one page and the cursor of the next, which is empty on the last one.
func (in *instance) listTasks(q listQuery) (tasks []task, next string, p *problem) {
	return in.e.b.list.page(in, q)
}

func (in *instance) page(q listQuery) ([]task, string, *problem) {
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
	rows, err := in.e.store.tasksBefore(in.ID, q.State, before, q.Limit+1)
	if err != nil {
		return nil, "", in.e.internal(err)
	}
	next := ""
	if len(rows) > q.Limit {
		rows = rows[:q.Limit]
		next = writeCursor(rows[len(rows)-1].number)
	}
	tasks := make([]task, len(rows))
	for i, row := range rows {
		row.task.in = in
		if tasks[i] = row.task; q.Active != nil {
			tasks[i].Active = q.Active
		}
	}
	return tasks, next, nil
}

// A cursor is opaque to clients: the number of the last task of the page, made recognisable.
func writeCursor(number int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte("before:" + strconv.FormatInt(number, 36)))
}

func readCursor(value string) (int64, *problem) {
	bad := invalid("cursor", "was not given out by this list")
	text, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil {
		return 0, bad
	}
	digits, ours := strings.CutPrefix(string(text), "before:")
	number, err := strconv.ParseInt(digits, 36, 64)
	if !ours || err != nil || number < 1 || writeCursor(number) != value {
		return 0, bad
	}
	return number, nil
}
