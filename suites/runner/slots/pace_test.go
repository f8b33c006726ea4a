// SPDX-License-Identifier: Apache-2.0

package slots

import (
	"testing"
	"time"
)

// TestSlotsFollowTheTarget: more tests at once where it is far and copes, fewer when it slows down, and never fewer than were asked for.
func TestSlotsFollowTheTarget(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	type answers struct {
		n          int
		took       time.Duration
		overloaded bool
	}
	for _, c := range []struct {
		what    string
		answers []answers
		want    int
	}{
		{"nothing has been answered", nil, 16},
		{"near", []answers{{1000, 2 * ms, false}}, 16},
		{"far, and a few answers", []answers{{31, 300 * ms, false}}, 16},
		{"far, and more answers", []answers{{32, 300 * ms, false}}, 20},
		{"far, and it copes", []answers{{5000, 300 * ms, false}}, 64},
		{"far, and as slow as ever is no slower", []answers{{1000, 300 * ms, false}, {1000, 400 * ms, false}}, 64},
		{"far, and it slows down", []answers{{5000, 300 * ms, false}, {140, 900 * ms, false}}, 32},
		{"far, and it stays slow", []answers{{5000, 300 * ms, false}, {5000, 900 * ms, false}}, 16},
		{"far, and it has recovered", []answers{{5000, 300 * ms, false}, {5000, 900 * ms, false}, {5000, 300 * ms, false}}, 64},
		{"far, and it says that it is too much", []answers{{5000, 300 * ms, false}, {1, 300 * ms, true}}, 32},
		{"work that takes long says nothing of the way", []answers{{10, 3 * ms, false}, {22, 3000 * ms, false}, {1000, 3 * ms, false}}, 16},
	} {
		s := Adaptive(16)
		for _, a := range c.answers {
			for range a.n {
				s.Answered(a.took, a.overloaded)
			}
		}
		if far := s.limit > 16; s.Far() != far {
			t.Errorf("%s: far is %t, want %t", c.what, s.Far(), far)
		}
		if s.limit != c.want {
			t.Errorf("%s: %d slots, want %d", c.what, s.limit, c.want)
		}
	}
}

// TestSlotsThatWereAskedFor: their number does not change.
func TestSlotsThatWereAskedFor(t *testing.T) {
	t.Parallel()
	s := New(16)
	for range 5000 {
		s.Answered(300*time.Millisecond, false)
	}
	if s.limit != 16 {
		t.Errorf("%d slots, want 16", s.limit)
	}
}
