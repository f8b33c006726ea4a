// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"testing"
)

// A stream of nothing but the ends of lines takes no memory beside its own.
func TestLinesOfNothing(t *testing.T) {
	stream := bytes.Repeat([]byte("\n"), 1<<20)
	n := 0
	allocations := testing.AllocsPerRun(1, func() {
		n = 0
		for range sseLines(stream) {
			n++
		}
	})
	if n != len(stream) || allocations > 100 {
		t.Errorf("%d lines took %.0f allocations", n, allocations)
	}
}
