// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"runtime/debug"
)

// enoughMemory is what a run makes do with, whatever the target sends.
const enoughMemory = 160 << 20

// boundMemory has garbage collected before a run grows large, unless the operator has set a limit (GOMEMLIMIT).
func boundMemory() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(enoughMemory)
	}
}
