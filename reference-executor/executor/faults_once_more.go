// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// onceMoreFaults keep the contract the first time, and of the first of several; they break it when the same is asked for once more.
var onceMoreFaults = map[string]func(*behaviour){
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
	"third-cancels-succeed": func(b *behaviour) {
		var counts sync.Map // *atomic.Int64, by task
		real := b.tasks.cancel
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			count, _ := counts.LoadOrStore(t.ID, &atomic.Int64{})
			if count.(*atomic.Int64).Add(1) > 2 && t.State == canceled {
				return t, nil
			}
			return real(in, t)
		}
	},
	"snapshots-are-kept-for-later": func(b *behaviour) {
		var begun seen // with the task as it began, whatever the first subscriber was shown
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if !s.ofMessage() && begun.before(t.ID) && t.State == working {
				t.State = submitted
			}
			return []event{s.snapshot(t)}
		}
	},
	"only-the-newest-of-a-list-has-runtime-metadata": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		for i := range tasks {
			if i > 0 {
				tasks[i] = tasks[i].seenBy(withoutRuntime(tasks[i].Active))
			}
		}
		return tasks, next, p
	}),
	"instances-need-no-name": func(b *behaviour) {
		b.admin.validate = func(body map[string]any) *problem {
			if _, named := body["name"]; !named && len(body) > 0 {
				body["name"] = "nameless-" + strings.ToLower(digest(newID())[:8])
			}
			return validateProvision(body)
		}
	},
}
