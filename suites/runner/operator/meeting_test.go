// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"sync"
	"testing"
)

// TestAMeetingAsksOnce: for all who have come to it, when the others have ended; and once more for who comes to it again.
func TestAMeetingAsksOnce(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, c := range []struct {
		what    string
		asks    []int // how often each of the tests asks
		err     error
		panics  bool
		times   int // that the operator is asked
		refused int // tests that are told of an error
	}{
		{"none asks", []int{0, 0, 0}, nil, false, 0, 0},
		{"all ask", []int{1, 1, 1, 1}, nil, false, 1, 0},
		{"one ends before", []int{1, 0, 1}, nil, false, 1, 0},
		{"one asks twice", []int{1, 2, 1}, nil, false, 2, 0},
		{"one by itself", []int{3}, nil, false, 3, 0},
		{"it fails for all", []int{1, 1}, broken, false, 1, 2},
		{"the one who asks is lost", []int{1, 1}, nil, true, 1, 1},
	} {
		m := NewMeeting(len(c.asks))
		var mu sync.Mutex
		times, refused := 0, 0
		var all sync.WaitGroup
		for _, asks := range c.asks {
			all.Go(func() {
				defer m.Leave()
				defer func() { _ = recover() }()
				for range asks {
					result, err := m.meet(t.Context(), func() (any, error) {
						mu.Lock()
						defer mu.Unlock()
						if times++; c.panics {
							panic("a bug")
						}
						return times, c.err
					})
					mu.Lock()
					if err != nil {
						refused++
					} else if result != times {
						t.Errorf("%s: a test is told %v of the time %d", c.what, result, times)
					}
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if times != c.times || refused != c.refused {
			t.Errorf("%s: asked %d times, %d refused; want %d and %d", c.what, times, refused, c.times, c.refused)
		}
	}
}
