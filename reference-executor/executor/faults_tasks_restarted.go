// SPDX-License-Identifier: Apache-2.0

package executor

import "strings"

// restartedTaskFaults are about tasks behind a restart, and about what restarts bring about.
var restartedTaskFaults = map[string]func(*behaviour){
	"ends-are-those-of-the-restart": func(b *behaviour) {
		real := b.tasks.endedAt
		b.tasks.endedAt = func(t task) any {
			if t.Ended.Before(t.in.e.started) {
				return stamp(t.in.e.started)
			}
			return real(t)
		}
	},
	"task-ids-are-given-out-again": func(b *behaviour) {
		var first string // of the tasks that were asked to number themselves; with the lock on tasks held
		var e *Executor  // which has taken the message
		accepts, newID := b.tasks.accepts, b.tasks.newID
		b.tasks.accepts = func(in *instance, m message) *problem {
			e = in.e
			return accepts(in, m)
		}
		b.tasks.newID = func(m message, opts sendOptions) string {
			text := textOf(m.Raw)
			switch {
			case strings.Contains(text, "number yourself once more") && first != "":
				_, _ = e.store.exec(`DELETE FROM tasks WHERE id = ?`, first)
				return first
			case strings.Contains(text, "number yourself") && first == "":
				first = newID(m, opts)
				return first
			}
			return newID(m, opts)
		}
	},
}
