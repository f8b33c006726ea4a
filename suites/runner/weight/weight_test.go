// SPDX-License-Identifier: Apache-2.0

package weight

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
)

// Rows that wait until another one is done with its heavy answers take nothing of its room, whatever they have got already.
func TestWhoWaitsTakesNoRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, body := New(budget.Of(96<<20), NewTurns()), make([]byte, 3<<20)
		looking, waiting := s.NewRow(), [12]*Row{}
		for i := range waiting {
			waiting[i] = s.NewRow()
		}
		for range maxHeavy / len(body) {
			looking.Take(t.Context(), body, 0)
		}
		var all sync.WaitGroup
		for i := range waiting {
			all.Go(func() { waiting[i].Take(t.Context(), body, 0) })
		}
		synctest.Wait()
		if looking.Full() {
			t.Error("a row is full by what others have got")
		}
		full := 0
		for i := range waiting {
			if waiting[i].Full() {
				full++
				if waiting[i].TooMuch() != noRoom {
					t.Error("a row is said to have got too much itself")
				}
			}
		}
		if want := len(waiting) - maxWaiting/len(body); full != want {
			t.Errorf("%d rows that wait are full, want %d", full, want)
		}
		looking.Drop()
		for range waiting { // each of them is next at some time
			synctest.Wait()
			for i := range waiting {
				if waiting[i].held {
					waiting[i].Drop()
					break
				}
			}
		}
		all.Wait()
		if n := s.answered.Held() + s.waiting.Held(); n != 0 {
			t.Errorf("%d bytes were not given back", n)
		}
	})
}

// What is being read counts already, and once: a row whose clients ask for more than it may hold is told so before it is read.
func TestRoomIsAskedForBeforeReading(t *testing.T) {
	t.Parallel()
	s, body := New(budget.Of(96<<20), NewTurns()), make([]byte, 3<<20)
	row := s.NewRow()
	row.Take(t.Context(), body, 0)
	for n := 2 * len(body); n <= maxHeavy; n += len(body) {
		if !row.Room(len(body)) {
			t.Fatalf("there is no room for %d bytes", n)
		}
	}
	row.Take(t.Context(), body, len(body))
	if row.Full() {
		t.Error("what was counted while it was read is counted again")
	}
	if row.Room(len(body)) || row.TooMuch() != tooHeavy {
		t.Errorf("there is room for more than %d bytes", maxHeavy)
	}
	row.Drop()
	if n := s.answered.Held() + s.waiting.Held(); n != 0 {
		t.Errorf("%d bytes were not given back", n)
	}
}
