// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// lostUpdate is how long these faults leave between reading and writing.
const lostUpdate = 25 * time.Millisecond

// atOnceFaults show only when something happens again, at the same time or later.
var atOnceFaults = map[string]func(*behaviour){
	"push-configs-made-at-once-are-lost": func(b *behaviour) {
		b.push.replaces = func(e *Executor, p pushConfig) error {
			before := e.pushConfigs(p.Task)
			time.Sleep(lostUpdate)
			for _, now := range e.pushConfigs(p.Task) {
				if !slices.ContainsFunc(before, func(old pushConfig) bool { return old.ID == now.ID }) {
					if err := e.store.dropPush(now.ID); err != nil {
						return err
					}
				}
			}
			return conformantPush.replaces(e, p)
		}
	},
	"answers-at-the-same-time-are-accepted": func(b *behaviour) {
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			in.e.work.Unlock()
			time.Sleep(lostUpdate)
			in.e.work.Lock()
			return conformantHITL.answered(in, t, opts)
		}
	},
	"third-invalid-answer-closes-the-prompt": func(b *behaviour) {
		refused := map[string]int{} // the lock on tasks is held
		b.hitl.invalid = func(in *instance, t task) {
			if refused[t.ID]++; refused[t.ID] == 3 {
				_, _ = in.move(t, failed, func(t *task) { t.FailKind = "application" })
			}
		}
	},
	"every-seventh-card-is-changed-after-signing": func(b *behaviour) {
		var shown atomic.Int64
		b.card.signed = func(in *instance, card map[string]any) {
			conformantCard.signed(in, card)
			if shown.Add(1)%7 == 0 {
				card["description"] = "A newer description."
			}
		}
	},
	"destroyed-instances-are-listed-by-runtime": listsDestroyed(func(c *call, in *instance) bool {
		return c.query().Get("runtime") == in.Runtime && c.query().Get("state") == ""
	}),
	"destroyed-instances-are-listed-without-a-filter": listsDestroyed(func(c *call, _ *instance) bool { return len(c.query()) == 0 }),
}

// listsDestroyed goes on to list instances that are gone.
func listsDestroyed(which func(c *call, in *instance) bool) func(*behaviour) {
	return func(b *behaviour) {
		var mu sync.Mutex
		var gone []*instance
		b.admin.remove = func(e *Executor, in *instance) error {
			mu.Lock()
			defer mu.Unlock()
			gone = append(gone, in)
			return conformantAdmin.remove(e, in)
		}
		b.admin.listed = func(c *call) []any {
			items := conformantAdmin.listed(c)
			mu.Lock()
			defer mu.Unlock()
			for _, in := range gone {
				if which(c, in) {
					items = append(items, in.renderIn(stateStopped))
				}
			}
			return items
		}
	}
}
