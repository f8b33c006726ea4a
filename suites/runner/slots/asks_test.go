// SPDX-License-Identifier: Apache-2.0

package slots

import (
	"testing"
	"testing/synctest"
	"time"
)

// The work of an agent leaves its slot to another test where the target copes, and only there; who has been answered is at work again.
func TestTheWorkOfAnAgentLeavesItsSlot(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		slots func() *Slots
		took  []time.Duration // of quick answers, in turns of as many as are looked at
		long  time.Duration   // until the answer comes
		free  bool            // whether another test could begin meanwhile
	}{
		{"a target that answers at once", func() *Slots { return Adaptive(2) }, []time.Duration{time.Millisecond}, 3 * time.Second, true},
		{"an answer that takes a moment", func() *Slots { return Adaptive(2) }, []time.Duration{time.Millisecond}, Worth / 2, false},
		{"a target of which nothing is known", func() *Slots { return Adaptive(2) }, nil, 3 * time.Second, false},
		{"a target that answers slowly", func() *Slots { return Adaptive(2) }, []time.Duration{time.Second}, 3 * time.Second, false},
		{"a target that has become slower", func() *Slots { return Adaptive(2) }, []time.Duration{time.Millisecond, 200 * time.Millisecond}, 3 * time.Second, false},
		{"so many tests as were asked for", func() *Slots { return New(2) }, []time.Duration{time.Millisecond}, 3 * time.Second, false},
		{"one test after the other", func() *Slots { return New(1) }, []time.Duration{time.Millisecond}, 3 * time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := row.slots()
			for _, took := range row.took {
				for range 2 * s.limit {
					s.Answered(took, false)
				}
			}
			all := seats(t, s, s.limit)
			answered := all[0].Asks()
			time.Sleep(row.long)
			synctest.Wait()
			if got := free(s); got != row.free {
				t.Errorf("%s: another test could begin: %t, want %t", row.name, got, row.free)
			}
			answered()
			if free(s) {
				t.Errorf("%s: another test could begin beside who has been answered", row.name)
			}
			for _, seat := range all {
				seat.End()
			}
			if s.working != 0 || s.begun != 0 {
				t.Errorf("%s: %d at work of %d under way at the end, want none", row.name, s.working, s.begun)
			}
		})
	}
}

// A target that says it is asked too often gets no more at once.
func TestWhoIsAskedTooOftenDoesNotCope(t *testing.T) {
	t.Parallel()
	s := Adaptive(2)
	for range 4 {
		s.Answered(time.Millisecond, false)
	}
	if !s.copes() {
		t.Error("a target that answers in a millisecond does not cope")
	}
	if s.Answered(time.Millisecond, true); s.copes() {
		t.Error("a target that answers 429 copes")
	}
}
