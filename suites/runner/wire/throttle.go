// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// How the pace follows a target that goes on refusing requests as too many (RFC 6585, 4).
const (
	slowest     = rate.Limit(1)   // request a second: a target that refuses this too is not slowed down for any more
	firstSlower = 0.5             // of the most that was sent in a second
	slower      = 0.7             // of the pace before, a second later at the earliest
	quicker     = 1.2             // times the pace before, where calm has passed without a refusal
	calm        = 5 * time.Second // see quicker
	remembered  = 5               // seconds over which what was sent and refused is looked at
	crowded     = 5               // one request of so many is refused where the pace is the reason, at least
	fewTimes    = 3               // how often a request goes out that is refused where most are not
)

// A throttle is the pace that a target turns out to allow. The zero value allows any.
type throttle struct {
	mu      sync.Mutex
	sent    [remembered]int // requests, by the second in which they went out
	refused [remembered]int // those that were refused, by the second in which that was seen
	second  int64           // of the last of both
	peak    rate.Limit      // requests a second before the first refusal
	limit   *rate.Limiter   // nil: any pace
	changed time.Time       // when the limit was
}

// note counts a request, and lets the pace come back to what it was where nothing has been refused for a while. It returns what the request
// has to wait for; nil: nothing.
func (t *throttle) note(now time.Time) *rate.Limiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(now.Unix())
	t.sent[now.Unix()%remembered]++
	if t.limit != nil && now.Sub(t.changed) >= calm {
		t.set(t.limit.Limit()*quicker, now)
	}
	return t.limit
}

// forget empties the places of seconds that have passed without a request since.
func (t *throttle) forget(second int64) {
	for s := max(t.second+1, second-remembered+1); s <= second; s++ {
		t.sent[s%remembered], t.refused[s%remembered] = 0, 0
	}
	t.second = max(t.second, second)
}

func (t *throttle) set(pace rate.Limit, now time.Time) {
	t.changed = now
	switch {
	case pace >= t.peak:
		t.limit = nil
	case t.limit == nil:
		t.limit = rate.NewLimiter(pace, 1)
	default:
		t.limit.SetLimit(pace)
	}
}

// putOff notes that a request was refused for the so many-th time, and says whether it is worth while to send it again. From the second time
// on the pace is lowered, where so many are refused that it is the reason, and once a second at most: those that are refused together are
// refused together.
func (t *throttle) putOff(now time.Time, times int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(now.Unix())
	t.refused[now.Unix()%remembered]++
	sent, refused, most := 0, 0, 0
	for i, n := range t.sent {
		sent, refused, most = sent+n, refused+t.refused[i], max(most, n)
	}
	switch {
	case times <= 1:
		return true
	case crowded*refused < sent:
		return t.limit != nil || times < fewTimes
	case t.limit == nil:
		t.peak = rate.Limit(most)
		if t.peak*firstSlower < slowest {
			return false
		}
		t.set(t.peak*firstSlower, now)
	case now.Sub(t.changed) < time.Second:
	case t.limit.Limit() <= slowest:
		return false
	default:
		t.set(max(t.limit.Limit()*slower, slowest), now)
	}
	return true
}

// PutOff notes that the target refused a request as one of too many (429), for the so many-th time, and says whether it is worth while to
// send it again after the time that the target asks for. Where many are refused again, requests are fewer a second from then on: a target that
// allows so many a second puts everybody off, and would again when all come back together.
func (c *Client) PutOff(times int) bool { return c.throttle.putOff(time.Now(), times) }

// Pace is how many requests a second the target turned out to allow; 0: any.
func (c *Client) Pace() float64 {
	c.throttle.mu.Lock()
	defer c.throttle.mu.Unlock()
	if c.throttle.limit == nil {
		return 0
	}
	return float64(c.throttle.limit.Limit())
}

// paced waits for the pace that the target turned out to allow.
func (c *Client) paced(ctx context.Context) error {
	if limit := c.throttle.note(time.Now()); limit != nil {
		return waitFor(ctx, limit)
	}
	return nil
}
