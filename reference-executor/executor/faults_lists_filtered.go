// SPDX-License-Identifier: Apache-2.0

package executor

import "slices"

// filteredListFaults show in lists of the tasks in one state only.
var filteredListFaults = map[string]func(*behaviour){
	"filtered-walks-end-where-a-task-left-the-state": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		before, bad := readCursor(q.Cursor)
		if q.State == "" || q.Cursor == "" || bad != nil {
			return in.page(q)
		}
		last, _, p := in.page(listQuery{Cursor: writeCursor(before + 1), Limit: 1})
		if p == nil && (len(last) == 0 || last[0].State != q.State) {
			return nil, "", nil
		}
		return in.page(q)
	}),
	"filtered-lists-are-oldest-first": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.State != "" {
			slices.Reverse(tasks)
		}
		return tasks, next, p
	}),
	"completed-lists-have-failed-tasks": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.State != completed || q.Cursor != "" || p != nil {
			return tasks, next, p
		}
		ended, _, _ := in.page(listQuery{State: failed, Limit: 1, Active: q.Active})
		return append(ended, tasks...), next, nil
	}),
	"filtered-list-cursor-is-an-instant": cursorIsAnInstant(func(q listQuery) bool { return q.State != "" }),
	"filtered-lists-repeat-the-last-of-a-page": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		before, bad := readCursor(q.Cursor)
		if q.State == "" || q.Cursor == "" || bad != nil || p != nil {
			return tasks, next, p
		}
		last, _, _ := in.page(listQuery{State: q.State, Cursor: writeCursor(before + 1), Limit: 1, Active: q.Active})
		return append(last, tasks...), next, nil
	}),
}
