// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"testing"
	"time"
)

// When the time of a run is up, undoing has a moment in all, whatever it is that is undone; before, it has its own limit.
func TestUndoingEndsWithTheRun(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name        string
		ends        time.Duration // from now on; 0: never
		limit       time.Duration
		least, most time.Duration
	}{
		{"a run without a limit", 0, time.Hour, time.Hour, time.Hour},
		{"long before its end", time.Hour, time.Minute, time.Minute, time.Minute},
		{"shortly before its end", 10 * time.Second, time.Minute, 9 * time.Second, 10*time.Second + afterEnd},
		{"at its end", time.Nanosecond, time.Minute, 0, afterEnd},
		{"after its end", -time.Minute, time.Minute, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := &run{}
			if row.ends != 0 {
				r.ends = time.Now().Add(row.ends)
			}
			if got := r.lastly(row.limit); got < row.least || got > row.most {
				t.Errorf("undoing has %s, want %s to %s", got, row.least, row.most)
			}
			over, cancel := context.WithCancel(context.Background())
			cancel()
			ctx, done := r.undoing(over, row.limit)
			defer done()
			if ended := ctx.Err() != nil; ended != (row.most == 0) {
				t.Errorf("undoing after an interruption has ended: %t", ended)
			}
		})
	}
}
