// SPDX-License-Identifier: Apache-2.0

package slots

import (
	"context"
	"sync"
	"testing"
	"time"
)

// free says whether a test could begin now, and gives its seat back.
func free(s *Slots) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.working < s.limit && s.begun < ManyTimes*s.least
}

func seats(t *testing.T, s *Slots, n int) []*Seat {
	t.Helper()
	all := make([]*Seat, n)
	for i := range all {
		if all[i] = s.Begin(t.Context()); all[i] == nil {
			t.Fatal("there is no seat")
		}
	}
	return all
}

// TestWhoWaitsGivesItsSlotAway: others begin meanwhile, and whoever has waited goes on at once, though no slot is free.
func TestWhoWaitsGivesItsSlotAway(t *testing.T) {
	t.Parallel()
	s := New(2)
	two := seats(t, s, 2)
	if free(s) {
		t.Error("a third test could begin")
	}
	back := two[0].Rest(time.Minute)
	third := s.Begin(t.Context())
	back()
	if s.working != 3 || free(s) {
		t.Errorf("%d at work, and another could begin: %t; want 3, false", s.working, free(s))
	}
	third.End()
	if free(s) {
		t.Error("a test could begin beside two at work")
	}
	two[0].End()
	two[1].End()
	if s.working != 0 || s.begun != 0 {
		t.Errorf("%d at work of %d under way, want none", s.working, s.begun)
	}
}

// TestPausesAreWork: between two requests a test keeps its slot.
func TestPausesAreWork(t *testing.T) {
	t.Parallel()
	s := New(2)
	two := seats(t, s, 2)
	defer two[0].Rest(Worth - 1)()
	if free(s) {
		t.Error("a third test could begin")
	}
}

// TestOneSlotIsOneTest: with --jobs 1 nothing is played beside anything.
func TestOneSlotIsOneTest(t *testing.T) {
	t.Parallel()
	s := New(1)
	defer seats(t, s, 1)[0].Rest(time.Hour)()
	if free(s) {
		t.Error("a second test could begin")
	}
}

// TestTestsUnderWayAreBounded: however many only wait.
func TestTestsUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	s := New(2)
	for range ManyTimes * 2 {
		s.Begin(t.Context()).Rest(time.Hour)
	}
	if free(s) {
		t.Errorf("a test could begin beside %d", s.begun)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if s.Begin(ended) != nil {
		t.Error("a test got a seat that was not free")
	}
}

// TestForks: a test is at work as long as one of its clients is.
func TestForks(t *testing.T) {
	t.Parallel()
	s := New(2)
	two := seats(t, s, 2)
	left := two[0].Fork(2)
	first := two[0].Rest(time.Hour)
	if free(s) {
		t.Error("a slot is free while one of two clients is at work")
	}
	second := two[0].Rest(time.Hour)
	if !free(s) {
		t.Error("no slot is free while both clients wait")
	}
	second()
	first()
	left()
	left()
	if two[0].busy != 1 || s.working != 2 {
		t.Errorf("%d at work on the test, %d tests at work; want 1 and 2", two[0].busy, s.working)
	}
}

// TestWhoIsPlayedByItselfHasNoSeat: everything can be done without one.
func TestWhoIsPlayedByItselfHasNoSeat(t *testing.T) {
	t.Parallel()
	seat := Of(With(t.Context(), nil))
	seat.Rest(time.Hour)()
	seat.Fork(2)()
	seat.End()
}

// A target that allows only so many requests a second takes slots away while tests are at work. Its answers bring none back, and that it
// allows any again brings them all.
func TestFewSlotsStayFew(t *testing.T) {
	t.Parallel()
	s := Adaptive(8)
	var tests sync.WaitGroup
	for range 8 {
		tests.Go(func() {
			seat := s.Begin(t.Context())
			defer seat.End()
			answered := seat.Asks()
			s.Few(3)
			s.Answered(time.Second, false)
			answered()
		})
	}
	tests.Wait()
	for range 100 {
		s.Answered(50*time.Millisecond, false)
	}
	if s.limit != 3 {
		t.Errorf("%d slots, want 3", s.limit)
	}
	if s.Few(0); s.limit != 8 {
		t.Errorf("%d slots where any pace is allowed again, want 8", s.limit)
	}
	for range 2000 {
		s.Answered(50*time.Millisecond, false)
	}
	if s.limit != ManyTimes*8 {
		t.Errorf("%d slots of a far target that copes, want %d", s.limit, ManyTimes*8)
	}
}
