// SPDX-License-Identifier: Apache-2.0

package pulse

import (
	"fmt"
	"testing"
	"time"
)

func TestHurried(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for _, row := range []struct {
		name  string
		pulse *Pulse
		want  bool
	}{
		{"busy half of the time", pressed(start, [2]int{100, 100}), true},
		{"idle", pressed(start, [2]int{100, 10}), false},
		{"it stood still", Stopped(start.Add(100*time.Millisecond), start.Add(500*time.Millisecond)), true},
		{"it stood still for a moment", Stopped(start, start.Add(200*time.Millisecond)), false},
		{"no pulse", nil, false},
	} {
		if got := row.pulse.Hurried(start, start.Add(time.Second)); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

// What is late everywhere is not played again and again.
func TestRetriesAreBounded(t *testing.T) {
	t.Parallel()
	var r Retries
	for i := range 2 * mostOfRun {
		done, may := r.Again(fmt.Sprintf("T-%03d", 100-i/2))
		if may != (i < mostOfRun) {
			t.Fatalf("the %dth may be played again: %v", i+1, may)
		}
		if may {
			done()
		}
	}
	if got := fmt.Sprint(r.IDs()); got != "[T-097 T-098 T-099 T-100]" {
		t.Errorf("played again: %s", got)
	}
}
