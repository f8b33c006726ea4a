// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"time"
)

// asTimeGoesOnFaults keep the contract in what a client asks for; they break it in what it is told by itself, when it asks again later,
// and for the level at which most is logged.
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
