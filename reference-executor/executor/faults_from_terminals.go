// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

// fromTerminalFaults are about tasks that a terminal has begun or canceled, as HTTP shows them.
var fromTerminalFaults = map[string]func(*behaviour){
	"cancels-over-terminals-are-not-streamed": func(b *behaviour) {
		var here seen
		pty.Notes(&b.pty, func(string) {}, func(id string) { here.before(id) })
		updates, ends := b.sse.updates, b.sse.ends
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if now.State == canceled && here.has(now.ID) {
				return nil
			}
			return updates(s, before, now)
		}
		b.sse.ends = func(s *eventStream, t task) bool {
			return ends(s, t) && !(s.emitted > 0 && t.State == canceled && here.has(t.ID))
		}
	},
	"tasks-of-terminals-are-not-listed": func(b *behaviour) {
		var here seen
		pty.Notes(&b.pty, func(id string) { here.before(id) }, func(string) {})
		b.list.shown = func(v map[string]any) {
			tasks, _ := v["tasks"].([]any)
			v["tasks"] = slices.DeleteFunc(tasks, func(one any) bool {
				id, _ := one.(map[string]any)["id"].(string)
				return here.has(id)
			})
		}
	},
	"tasks-canceled-over-terminals-read-as-working": func(b *behaviour) {
		var here seen
		pty.Notes(&b.pty, func(string) {}, func(id string) { here.before(id) })
		answers("get", func(c *call, a answer) answer {
			var v map[string]any
			if !here.has(c.vars["tid"]) || undoc(a.body, &v) != nil {
				return a
			}
			if status, is := v["status"].(map[string]any); is && status["state"] == canceled {
				status["state"] = working
				delete(status, "terminal_at")
				a.body = c.e.lawful.Encode(v)
			}
			return a
		})(b)
	},
}
