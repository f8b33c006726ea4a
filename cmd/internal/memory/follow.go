// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// headroom is what may come on top of what is in use before garbage is collected again, whatever the limit, in bytes.
const headroom = 32 << 20

// A cycle is garbage from the beginning: that it is collected tells that a collection has been.
type cycle struct{ _ *cycle }

// follow keeps the limit above what is in use. What a run has to keep for its end can be more than the limit, and then the collector would run
// without end and free nothing: half of the time in which a large run is judged went into that.
func follow() {
	runtime.SetFinalizer(&cycle{}, func(*cycle) {
		if percent := next.Swap(0); percent != 0 {
			debug.SetGCPercent(int(percent))
		}
		wanted := max(least.Load(), inUse()*5/4+headroom+beside())
		if ours(debug.SetMemoryLimit(-1)) && distance(wanted, set.Load()) > headroom/4 {
			limit(wanted)
		}
		follow()
	})
}

// inUse is what the last collection has left, in bytes.
func inUse() int64 { return read("/gc/heap/live:bytes") }

// beside is what the limit counts and no collection frees, in bytes: stacks, and what the runtime keeps of its own.
func beside() (all int64) {
	for _, class := range []string{"heap/stacks", "metadata/mspan/inuse", "metadata/mcache/inuse", "metadata/other", "os-stacks", "profiling/buckets", "other"} {
		all += read("/memory/classes/" + class + ":bytes")
	}
	return all
}

func read(metric string) int64 {
	sample := []metrics.Sample{{Name: metric}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(min(sample[0].Value.Uint64(), 1<<40))
}

func distance(a, b int64) int64 { return max(a-b, b-a) }
