// SPDX-License-Identifier: Apache-2.0

// Package memory says how often the program collects garbage. It imports no package of the module, and few others, so that it is
// initialised before those that make a lot of garbage while they are: tables of patterns, the schemas of JSON Schema. A run of one
// test would otherwise spend a quarter of the time until its first request on collections that free next to nothing.
package memory

import (
	"math"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// enough is what a run makes do with, whatever the target sends, in bytes.
const enough = 112 << 20

// How often garbage is collected: the memory in use may grow by so many percent before it is. Reading the suites makes a
// lot of garbage from a small beginning, and would be held up by a collection every few milliseconds; a run has much time to wait
// in, so that collecting more often costs less there and keeps thousands of tests small.
const (
	WhileReading = 300
	WhilePlaying = 100
	whileProving = 200
)

// Until main begins, what little there is stays.
func init() { Bound(2 * WhileReading) }

// Bound has garbage collected before the program grows large, unless the operator has said how (GOGC, GOMEMLIMIT).
func Bound(percent int) { BoundFor(0, percent) }

// forTarget is what each target more that is played at the same time may take, in bytes.
const forTarget = 4 << 20

// BoundFor is Bound for a run that plays so many targets at once.
func BoundFor(targets, percent int) {
	follows := ours(debug.SetMemoryLimit(-1))
	if follows {
		least.Store(max(least.Load(), enough+int64(targets)*forTarget)) // each run of many calls Bound as well
		limit(max(least.Load(), set.Load()))
		following.Do(follow)
	}
	switch {
	case os.Getenv("GOGC") != "":
	case follows && percent == WhilePlaying && read("/memory/classes/heap/objects:bytes") < few:
		next.Store(int64(percent))
	default:
		next.Store(0)
		debug.SetGCPercent(percent)
	}
}

// few is up to how many bytes in use a run begins without a collection, which would be the first thing that it does, and hold up its
// first request.
const few = 10 << 20

var (
	next       atomic.Int64 // the percentage from the next collection on; 0: it stays
	least, set atomic.Int64 // the least limit, and the one that was set last, in bytes
	following  sync.Once
)

// ours says whether a limit is none, or one that was set here: another one is the operator's.
func ours(is int64) bool { return is == math.MaxInt64 || is == set.Load() }

func limit(to int64) {
	set.Store(to)
	debug.SetMemoryLimit(to)
}

// Unbound takes the limit away: for a self-test, which plays a dozen executors and runs at once. What these hold at every moment is far
// more than the limit, so that more than half of its time went into collections.
func Unbound() {
	if os.Getenv("GOGC") == "" {
		next.Store(0)
		debug.SetGCPercent(whileProving)
	}
	if ours(debug.SetMemoryLimit(-1)) {
		least.Store(math.MaxInt64)
		limit(math.MaxInt64)
	}
}
