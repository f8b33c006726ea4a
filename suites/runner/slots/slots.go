// SPDX-License-Identifier: Apache-2.0

// Package slots bounds how many tests of a run are at work at once. A test at work holds a slot: it sends, reads or judges. One that
// does nothing but wait, because the contract makes it or for the work of an agent, gives its slot to another that has not begun yet.
//
// Whoever has waited goes on at once, whether a slot is free or not: its time is judged, and must not depend on what others do. The slots
// are then overdrawn, and nobody begins until they are not any more. So the bound holds for beginnings; how many tests can be under way
// in all is bounded as well, and with it how far the slots can be overdrawn.
package slots

import (
	"context"
	"sync"
	"time"
)

// Worth is from which wait on a test gives its slot away. What is shorter is a pause between requests: a test that asks ten times
// a second is at work.
const Worth = 500 * time.Millisecond

// ManyTimes is how many times as many tests can be under way as there are slots: what a test holds while it waits is memory.
const ManyTimes = 4

// Slots are those of a run. Their zero value has none.
type Slots struct {
	mu      sync.Mutex
	changed chan struct{} // closed when somebody may begin
	limit   int           // slots, from least to most
	least   int           // as were asked for
	most    int           // where the target is far and copes
	few     int           // than which no more begin at once, where the target allows only so many requests a second; 0: it allows any
	pace    pace          // of the target
	fixed   bool          // a wait gives no slot away
	adapts  bool          // the number of slots follows the target
	working int           // tests that hold a slot
	begun   int           // tests that are under way
}

// New are so many slots. With one, tests are played one after the other, whatever they do.
func New(jobs int) *Slots {
	return &Slots{changed: make(chan struct{}), limit: jobs, least: jobs, most: jobs, fixed: jobs == 1}
}

// Adaptive are so many slots, and up to [ManyTimes] as many where the target is far and copes: see [Slots.Answered].
func Adaptive(jobs int) *Slots {
	s := New(jobs)
	s.most, s.adapts = ManyTimes*jobs, true
	return s
}

// Few lets no more tests begin at once than so many from now on, since the target allows only so many requests a second; 0: it allows any again.
func (s *Slots) Few(jobs int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.few == jobs {
		return
	}
	s.few = jobs
	if s.limit = min(max(s.limit, s.least), s.top()); jobs == 0 {
		s.tell()
	}
}

// top is the most slots that there may be for now. The caller holds the lock.
func (s *Slots) top() int {
	if s.few > 0 {
		return min(s.most, s.few)
	}
	return s.most
}

// Seats is how many tests can be under way at once, however far away the target is.
func (s *Slots) Seats() int {
	if s.fixed {
		return 1
	}
	return ManyTimes * s.least
}

// Begin waits until one more test may begin, and gives it its seat, which [Seat.End] gives back. It is nil when ctx ends first.
func (s *Slots) Begin(ctx context.Context) *Seat {
	for {
		s.mu.Lock()
		if s.working < s.limit && s.begun < ManyTimes*s.least {
			s.working, s.begun = s.working+1, s.begun+1
			s.mu.Unlock()
			return &Seat{slots: s, busy: 1}
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// tell wakes those that wait to begin. The caller holds the lock.
func (s *Slots) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Slots) work(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working += n; n < 0 {
		s.tell()
	}
}

// A Seat is the place of a test among the slots. Several goroutines may do the work of one: it holds a slot as long as one of them
// is at work. A nil one is that of a test that is played by itself.
type Seat struct {
	slots *Slots

	mu   sync.Mutex
	busy int // goroutines at work
}

// Rest says that a goroutine only waits from now on, for so long; back says that it goes on, and never waits.
func (s *Seat) Rest(long time.Duration) (back func()) {
	if s == nil || s.slots.fixed || long < Worth {
		return func() {}
	}
	s.add(-1)
	return func() { s.add(1) }
}

// Asks says that a goroutine waits for what the target has to say, until answered is called. Where that takes as long as a wait that is worth it,
// and the target copes with what it is asked, the agent is at work and not the test: the slot goes to another one meanwhile.
func (s *Seat) Asks() (answered func()) {
	if s == nil || !s.slots.adapts {
		return func() {}
	}
	var mu sync.Mutex
	var rests, over bool
	timer := time.AfterFunc(Worth, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over && s.slots.copes() {
			rests = true
			s.add(-1)
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
		if rests {
			s.add(1)
		}
	}
}

// Fork says that n goroutines more do the work of the test, while the one that has called them waits for them. Each calls left when it is
// done; when all are, the caller goes on.
func (s *Seat) Fork(n int) (left func()) {
	if s == nil || n == 0 {
		return func() {}
	}
	var once sync.Mutex
	open := n
	s.add(n - 1)
	return func() {
		once.Lock()
		open--
		last := open == 0
		once.Unlock()
		if !last { // the last one hands over to the caller
			s.add(-1)
		}
	}
}

func (s *Seat) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.busy
	s.busy += n
	switch {
	case before > 0 && s.busy == 0:
		s.slots.work(-1)
	case before == 0 && s.busy > 0:
		s.slots.work(1)
	}
}

// End gives the seat back.
func (s *Seat) End() {
	if s == nil {
		return
	}
	s.slots.mu.Lock()
	defer s.slots.mu.Unlock()
	if s.busy > 0 {
		s.slots.working--
	}
	s.slots.begun--
	s.slots.tell()
}

// seatKey is where a context has the seat of the test that it is for.
type seatKey struct{}

// With is a context for a test with a seat.
func With(ctx context.Context, seat *Seat) context.Context {
	return context.WithValue(ctx, seatKey{}, seat)
}

// Of is the seat of the test that a context is for; nil: it is played by itself.
func Of(ctx context.Context) *Seat {
	seat, _ := ctx.Value(seatKey{}).(*Seat)
	return seat
}
