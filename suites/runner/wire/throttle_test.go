// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"testing"
	"time"
)

// A target that allows so many requests a second is asked by many who come back together whenever it puts them off: the pace comes down to what
// it allows, and everybody gets through.
func TestThePaceFollowsWhatATargetAllows(t *testing.T) {
	for _, row := range []struct {
		name    string
		callers int
		allowed int // a second
		atLeast float64
		atMost  float64
	}{
		{"many callers, 25 a second", 200, 25, 12, 40},
		{"many callers, 4 a second", 200, 4, 1, 8},
		{"few callers, more allowed than they ask for", 20, 100, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			var pace throttle
			now := time.Unix(1_000_000, 0)
			times := make([]int, row.callers) // refusals of what each asks for just now
			turn, lost, passed := 0, 0, 0
			for second := 0; second < 30; second++ {
				allowed := row.allowed
				most := row.callers
				if pace.limit != nil {
					most = min(most, int(pace.limit.Limit()))
				}
				for range most {
					caller := turn % row.callers
					turn++
					pace.note(now)
					if allowed--; allowed >= 0 {
						times[caller] = 0
						passed++
						continue
					}
					if times[caller]++; !pace.putOff(now, times[caller]) {
						times[caller] = 0
						lost++
					}
				}
				now = now.Add(time.Second)
			}
			got := 0.0
			if pace.limit != nil {
				got = float64(pace.limit.Limit())
			}
			if lost > 0 || got < row.atLeast || got > row.atMost || passed == 0 {
				t.Errorf("%d lost, %d passed, and %.1f requests a second in the end, want none lost and %v to %v a second", lost, passed, got, row.atLeast, row.atMost)
			}
		})
	}
}

// One route that always refuses says nothing of the pace: the others are not slowed down for it.
func TestARouteThatAlwaysRefusesSlowsNobodyDown(t *testing.T) {
	var pace throttle
	now := time.Unix(1_000_000, 0)
	for range 100 {
		pace.note(now)
	}
	for times := 1; times <= fewTimes; times++ {
		pace.note(now)
		if again := pace.putOff(now, times); again != (times < fewTimes) {
			t.Errorf("after %d refusals it may go out again: %v", times, again)
		}
	}
	if pace.limit != nil {
		t.Errorf("%v requests a second are left", pace.limit.Limit())
	}
}

// Who asks for hardly anything is not refused for the pace.
func TestWhoAsksForLittleDoesNotSlowDown(t *testing.T) {
	var pace throttle
	now := time.Unix(1_000_000, 0)
	pace.note(now)
	if !pace.putOff(now, 1) || pace.putOff(now, 2) || pace.limit != nil {
		t.Errorf("one request slows down (%v)", pace.limit)
	}
}

// The pace comes back where nothing has been refused for a while.
func TestThePaceComesBack(t *testing.T) {
	var pace throttle
	now := time.Unix(1_000_000, 0)
	for range 40 {
		pace.note(now)
		pace.putOff(now, 2)
	}
	slow := pace.limit.Limit()
	for range 60 {
		now = now.Add(calm)
		pace.note(now)
	}
	if pace.limit != nil {
		t.Errorf("%v requests a second after a while, %v before", pace.limit.Limit(), slow)
	}
}
