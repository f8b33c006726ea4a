// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"strings"
)

var migrationFaults = map[string]func(*behaviour){
	"parts-of-a-kind": func(b *behaviour) { b.output.part = func(_ *call, v object) { v["kind"] = "text" } },
	"tasks-of-a-kind": func(b *behaviour) { b.output.task = func(_ *call, _ task, v object) { v["kind"] = "task" } },
	"updates-are-final": func(b *behaviour) {
		b.output.statusUpdate = func(_ *call, ev event, v object) { v["final"] = terminal(ev.task.state) }
	},
	"states-in-lower-case": func(b *behaviour) {
		b.output.state = func(_ *call, t task) any { return strings.ToLower(strings.TrimPrefix(t.state, "TASK_STATE_")) }
	},
}
