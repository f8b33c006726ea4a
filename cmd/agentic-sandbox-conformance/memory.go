// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"os"
	"runtime/debug"
)

// enoughMemory is what a run makes do with, whatever the target sends.
const enoughMemory = 96 << 20

// How often garbage is collected: the memory in use may grow by so many percent before it is. Reading the suites makes a
// lot of garbage from a small beginning, and would be held up by a collection every few milliseconds; a run is mostly
// waiting, so that collecting often costs little there and keeps thousands of tests small.
const (
	whileReading = 300
	whilePlaying = 50
)

// boundMemory has garbage collected before the program grows large, unless the operator has said how (GOGC, GOMEMLIMIT).
func boundMemory(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(enoughMemory)
	}
}
