// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// How often one address may ask in a second: beyond the first number it is delayed, beyond the second it is refused.
const (
	often    = 10
	tooOften = 20
)

// visitors are the times of the requests in the last second, by address.
type visitors struct {
	mu   sync.Mutex
	seen map[string][]time.Time
}

// visit notes a request, and says how many there were from its address in the last second.
func (v *visitors) visit(address string, now time.Time) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.seen == nil {
		v.seen = map[string][]time.Time{}
	}
	second := now.Add(-time.Second)
	for other, times := range v.seen { // who has gone is forgotten
		if len(times) == 0 || times[len(times)-1].Before(second) {
			delete(v.seen, other)
		}
	}
	times := v.seen[address]
	for len(times) > 0 && times[0].Before(second) {
		times = times[1:]
	}
	v.seen[address] = append(times, now)
	return len(v.seen[address])
}

// trafficBehaviour is what happens to who asks often.
type trafficBehaviour struct {
	delay   func(c *call, n int) bool // of n requests in a second
	refuses func(c *call, n int) bool
}

var conformantTraffic = trafficBehaviour{
	delay:   func(_ *call, n int) bool { return n > often },
	refuses: func(_ *call, n int) bool { return n > tooOften },
}

// tooOften delays a request, or refuses it.
func (c *call) tooOften() (refused answer, is bool) {
	if c.s.config.NoRateLimit {
		return answer{}, false
	}
	address, _, err := net.SplitHostPort(c.r.RemoteAddr)
	if err != nil {
		address = c.r.RemoteAddr
	}
	n := c.s.traffic.visit(address, c.arrive)
	b := &c.s.b.traffic
	switch {
	case b.refuses(c, n):
		a := c.json(http.StatusTooManyRequests, object{"message": "Too many requests"})
		a.header.Set("Retry-After", "1")
		return a, true
	case b.delay(c, n):
		select {
		case <-time.After(time.Second):
		case <-c.r.Context().Done():
		case <-c.s.stopping.Done():
		}
	}
	return answer{}, false
}
