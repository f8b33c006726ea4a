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
	"v1-counters-lose-what-comes-at-the-same-time": func(b *behaviour) {
		var inside atomic.Int64
		b.v1.label = func(c *call) (string, bool) {
			path, counts := v1Label(c)
			if !counts {
				return path, false
			}
			defer inside.Add(-1)
			if inside.Add(1) > 1 {
				return path, false
			}
			time.Sleep(lostUpdate)
			return path, true
		}
	},
}
