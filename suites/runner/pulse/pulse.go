// SPDX-License-Identifier: Apache-2.0

// Package pulse tells how long the machine has kept the harness from running: because others used it, because it was put to sleep. What
// the harness was too late to see in that time says nothing about the target, so that a limit does not count it. Where the processors are
// busy, the harness and a target on the same machine both go on slowly without ever standing still: a limit is longer then, within bounds.
package pulse

import (
	"slices"
	"sync"
	"time"
)

// Every is the time between two beats. Late is how much later a beat may come, as on a machine that is used by others as well, before
// something is lost.
const (
	Every = 100 * time.Millisecond
	Late  = 100 * time.Millisecond
)

// maxStops is how many stops are remembered, and how many crushes; the oldest are forgotten.
const maxStops = 4096

// A stop is a time in which the harness did not run.
type stop struct{ from, to time.Time }

// A Pulse beats as long as the harness runs. A nil one has lost nothing.
type Pulse struct {
	mu    sync.Mutex
	last  time.Time // of the beats
	stops []stop

	looked  look    // at the processors
	share   float64 // of its work that the harness spent waiting for one lately; 0: the machine has time
	crushes []crush

	longer map[time.Time]bool // by when they began, the waits that went on beyond their limits
	most   time.Duration      // of them, so far

	ended chan struct{}
	gone  chan struct{}
}

// Start begins a pulse, which [Pulse.Stop] has to end. One that goes by the clock knows of stops alone, however busy the machine is.
func Start(byTheClock bool) *Pulse {
	p := &Pulse{last: time.Now(), ended: make(chan struct{}), gone: make(chan struct{})}
	go func() {
		defer close(p.gone)
		ticker := time.NewTicker(Every)
		defer ticker.Stop()
		for beat := 0; ; beat++ {
			if now := time.Now(); !byTheClock && beat%int(sampled/Every) == 0 {
				if had, waited, known := ofProcessors(now); known {
					p.Press(now, had, waited)
				}
			}
			select {
			case <-p.ended:
				return
			case <-ticker.C:
				p.Beat(time.Now())
			}
		}
	}()
	return p
}

// Stopped is the pulse of a harness that did not run between two moments, and at all other times did. It is for tests.
func Stopped(from, to time.Time) *Pulse {
	return &Pulse{last: time.Now().Add(24 * time.Hour), stops: []stop{{from, to}}}
}

// Beat tells that the harness runs.
func (p *Pulse) Beat(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s, is := p.since(now); is {
		p.stops = bounded(append(p.stops, s))
	}
	p.last = now
}

// bounded is the newest of a list.
func bounded[T any](list []T) []T {
	return slices.Delete(list, 0, max(0, len(list)-maxStops))
}

// since is the stop between the last beat and a moment, if there was one.
func (p *Pulse) since(now time.Time) (stop, bool) {
	return stop{p.last.Add(Every), now}, now.Sub(p.last) > Every+Late
}

// Lost is how long the harness did not run between two moments.
func (p *Pulse) Lost(from, to time.Time) time.Duration {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var lost time.Duration
	if s, is := p.since(to); is { // whoever asks may be awake before the next beat
		lost += s.within(from, to)
	}
	for i := len(p.stops) - 1; i >= 0 && p.stops[i].to.After(from); i-- {
		lost += p.stops[i].within(from, to)
	}
	return lost
}

// within is how much of a stop lies between two moments.
func (s stop) within(from, to time.Time) time.Duration {
	if s.from.Before(from) {
		s.from = from
	}
	if s.to.After(to) {
		s.to = to
	}
	return max(0, s.to.Sub(s.from))
}

// Stop ends the pulse.
func (p *Pulse) Stop() {
	if p != nil && p.ended != nil {
		close(p.ended)
		<-p.gone
	}
}
