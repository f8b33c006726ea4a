// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"sync"
	"time"
)

// A perSecond counts what happens within a second.
type perSecond struct {
	mu    sync.Mutex
	since time.Time
	n     int
}

// take lets a request through, or says when to come back (RFC 6585, 4). With most at 0 there is no limit.
func (r *perSecond) take(most int, now time.Time) *problem {
	if most <= 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.since) >= time.Second {
		r.since, r.n = now, 0
	}
	if r.n++; r.n <= most {
		return nil
	}
	return refuse(http.StatusTooManyRequests, "rate_limit.exceeded", "too many requests").headed("Retry-After", "1")
}
