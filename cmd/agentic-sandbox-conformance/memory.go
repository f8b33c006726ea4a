// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"os"
	"runtime/debug"
)

// enoughMemory is what a run makes do with, whatever the target sends.
const enoughMemory = 96 << 20

// boundMemory has garbage collected before a run grows large, unless the operator has set a limit (GOMEMLIMIT).
func boundMemory() {
	// A run is mostly waiting: collecting twice as often costs little and keeps thousands of tests under 100 MiB.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(enoughMemory)
	}
}
