// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
)

// halfToldFaults leave out one of several kinds: of changes that are told, of tasks, of answers, of what is remembered.
var halfToldFaults = map[string]func(*behaviour){
	"questions-are-not-streamed": func(b *behaviour) {
		real := b.sse.updates
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if now.State == inputRequired {
				return nil
			}
			return real(s, before, now)
		}
	},
	"push-of-sent-tasks-only": func(b *behaviour) { b.push.wants = func(_ *Executor, t task) bool { return !t.Streamed } },
	"streamed-tasks-are-not-listed": func(b *behaviour) {
		real := b.list.page
		b.list.page = func(in *instance, q listQuery) ([]task, string, *problem) {
			tasks, next, p := real(in, q)
			return slices.DeleteFunc(tasks, func(t task) bool { return t.Streamed }), next, p
		}
	},
	"canceled-work-is-completed": goesOn(canceled, "scenario: completed", completed, 1),
	"empty-answers-are-refused-without-errors": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			p := checkPayload(pr, payload)
			if p != nil && len(payload) == 0 {
				p = p.with("validation_errors", []any{})
			}
			return p
		}
	},
	"corrected-answers-are-accepted": func(b *behaviour) {
		var asked string      // the prompt of the answer that is looked at; they come one at a time
		var answered sync.Map // what was answered, by prompt
		b.hitl.open = func(t task, id string) bool {
			asked = id
			return slices.Contains(t.Answered, id) || conformantHITL.open(t, id)
		}
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			text, _ := json.Marshal(payload)
			if pr != nil {
				p := checkPayload(pr, payload)
				if p == nil {
					answered.Store(asked, string(text))
				}
				return p
			}
			if was, _ := answered.Load(asked); was == string(text) {
				return refuse(http.StatusConflict, "hitl_already_answered_or_unknown", "the task has no open prompt of that id")
			}
			return nil
		}
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if t.State != inputRequired {
				return t.seenBy(opts.Active), nil
			}
			return in.resume(t, opts)
		}
	},
	"answers-are-replayed-once": func(b *behaviour) {
		var replayed seen
		real := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := real(c, scope, key, hash)
			if found && r.Hash == hash && r.Task != "" && replayed.before(r.Task) {
				return remembered{}, false
			}
			return r, found
		}
	},
}
