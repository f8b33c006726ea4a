// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"testing"
	"time"
)

// TestReplayLogKeepsTheLargerSet is about the two limits.
func TestReplayLogKeepsTheLargerSet(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for _, row := range []struct {
		name  string
		every time.Duration
		kept  int
		lost  uint64
	}{
		{"many young ones", time.Second, 2000, 0},
		{"old ones", time.Minute, 1001, 999}, // of the last 1000 minutes and the last 1000
	} {
		l := replayLog{most: 1000, age: 1000 * time.Minute}
		for i := range 2000 {
			l.addAt(start.Add(time.Duration(i)*row.every), &frame{sequence: uint64(i + 1)})
		}
		if len(l.frames) != row.kept || l.lost != row.lost {
			t.Errorf("%s: %d kept, %d lost, want %d and %d", row.name, len(l.frames), l.lost, row.kept, row.lost)
		}
		if _, lost := l.since(row.lost); lost {
			t.Errorf("%s: everything after %d is there", row.name, row.lost)
		}
		if row.lost > 0 {
			if _, lost := l.since(row.lost - 1); !lost {
				t.Errorf("%s: %d is not there any more", row.name, row.lost)
			}
		}
	}
}
