// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"sync/atomic"
	"time"
)

// asTimeGoesOnFaults keep the contract in what a client asks for; they break it in what it is told by itself, when it asks again later,
// for the level at which most is logged, and in cards that are signed once more now and then.
var asTimeGoesOnFaults = map[string]func(*behaviour){
	"prompt-in-updates-without-activation": func(b *behaviour) {
		was := b.sse.updates
		b.sse.updates = func(s *eventStream, before, now task) []event {
			return was(s, before, now.seenBy(append(slices.Clone(now.Active), uriHITL)))
		}
	},
	"old-ends-are-the-time-of-asking": func(b *behaviour) {
		was := b.tasks.endedAt
		b.tasks.endedAt = func(t task) any {
			if time.Since(t.Ended) > 60*time.Millisecond { // more than a second, in the pace of the self-test
				return stamp(time.Now())
			}
			return was(t)
		}
	},
	"cards-that-change-are-shorter-without-credentials": func(b *behaviour) {
		var asked atomic.Int64
		b.card.answer = func(c *call, a answer) answer {
			return changesBody(func(v map[string]any) {
				signatures, _ := v["signatures"].([]any)
				if _, given := bearer(c.r); !given {
					delete(v, "skills")
				} else if asked.Add(1)%2 == 0 && len(signatures) > 0 {
					v["signatures"] = append(signatures, signatures[0])
				}
			})(c, a)
		}
	},
	"logs-of-level-info-are-not-limited": adminAnswer("logs", func(c *call, a answer) answer {
		by, p := readFilter(c)
		if p != nil || by.follow || c.query().Get("level") != "info" {
			return a
		}
		by.limit = maxEntries
		items := []any{}
		for _, one := range c.e.admin.logs.newest(c, by) {
			items = append(items, one.value)
		}
		return c.json(http.StatusOK, map[string]any{"items": items})
	}),
}
