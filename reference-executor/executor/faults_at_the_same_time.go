// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"sync/atomic"
	"time"
)

// sameTimeFaults show to clients that ask at the same time only.
var sameTimeFaults = map[string]func(*behaviour){
	"probes-at-the-same-time-are-turned-away": func(b *behaviour) {
		var inside atomic.Int64
		healthz := b.metrics.healthz
		b.metrics.healthz = func(c *call) answer {
			defer inside.Add(-1)
			if inside.Add(1) > 1 {
				return c.json(http.StatusServiceUnavailable, map[string]any{"status": "busy"})
			}
			time.Sleep(lostUpdate)
			return healthz(c)
		}
	},
	"v1-counters-lose-what-comes-at-the-same-time": countsV1AtOnce(1, func(_ *call, counts bool) bool { return counts }),
}

// countsV1AtOnce counts at most so many of these requests that come at the same time; counts says whether one is counted otherwise.
func countsV1AtOnce(most int64, of func(c *call, counts bool) bool) func(*behaviour) {
	return func(b *behaviour) {
		var inside atomic.Int64
		b.v1.label = func(c *call) (string, bool) {
			path, counts := v1Label(c)
			if !of(c, counts) {
				return path, counts
			}
			defer inside.Add(-1)
			if inside.Add(1) > most {
				return path, false
			}
			time.Sleep(lostUpdate)
			return path, counts
		}
	}
}
