// SPDX-License-Identifier: Apache-2.0

package applies

import (
	"testing"
	"time"
)

// TestTheLongestWaitIsAskedFor: one setting lets all of them be played.
func TestTheLongestWaitIsAskedFor(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{160 * time.Second: "2m40s", time.Minute: "1m", 1500 * time.Millisecond: "2s", 10 * time.Second: "10s", time.Hour: "1h0m"} {
		if got := shortest(d); got != want {
			t.Errorf("%s is written %s, want %s", d, got, want)
		}
		if back, err := time.ParseDuration(shortest(d)); err != nil || back < d {
			t.Errorf("%s is read as %s, %v", shortest(d), back, err)
		}
	}
}
