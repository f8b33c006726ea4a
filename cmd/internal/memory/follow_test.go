// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// What is in use is more than the limit: it grows with that, and shrinks again.
func TestTheLimitFollowsWhatIsInUse(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	debug.SetMemoryLimit(math.MaxInt64)
	Bound(WhilePlaying)
	held := make([][]byte, 0, 200)
	for range 200 {
		held = append(held, make([]byte, 1<<20))
	}
	if now := awaited(func(limit int64) bool { return limit >= 200<<20 }); now < 200<<20 {
		t.Errorf("with 200 MiB in use the limit is %d MiB", now>>20)
	}
	runtime.KeepAlive(held)
	held = nil
	if now := awaited(func(limit int64) bool { return limit == enough }); now != enough {
		t.Errorf("with little in use the limit is %d MiB, want %d", now>>20, enough>>20)
	}
}

// A limit that somebody else has set stays.
func TestTheLimitOfTheOperatorStays(t *testing.T) {
	before := debug.SetMemoryLimit(500 << 20)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	Bound(WhilePlaying)
	runtime.GC()
	runtime.GC()
	if now := debug.SetMemoryLimit(-1); now != 500<<20 {
		t.Errorf("the limit is %d MiB, want 500", now>>20)
	}
}

// awaited collects garbage until the limit is as wanted, for ten seconds at most, and returns it.
func awaited(wanted func(int64) bool) int64 {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		runtime.GC()
		if now := debug.SetMemoryLimit(-1); wanted(now) {
			return now
		}
		runtime.Gosched()
	}
	return debug.SetMemoryLimit(-1)
}

// A run that begins with little in use collects it when it has become more, and then as often as others do.
func TestASmallRunBeginsWithoutACollection(t *testing.T) {
	unlimited(t)
	before := debug.SetGCPercent(WhileReading)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	Bound(WhileReading)
	runtime.GC()
	Bound(WhilePlaying)
	now := debug.SetGCPercent(WhileReading)
	debug.SetGCPercent(now)
	if now != WhileReading {
		t.Errorf("at once it is %d %%, want %d", now, WhileReading)
	}
	awaited(func(int64) bool { return next.Load() == 0 })
	if now := debug.SetGCPercent(WhileReading); now != WhilePlaying {
		t.Errorf("after a collection it is %d %%, want %d", now, WhilePlaying)
	}
}

// What is played beside others does not take the room of the others away.
func TestARunOfManyLowersNoLimit(t *testing.T) {
	before, room := debug.SetMemoryLimit(-1), least.Load()
	t.Cleanup(func() { least.Store(room); debug.SetMemoryLimit(before) })
	debug.SetMemoryLimit(math.MaxInt64)
	BoundFor(10, WhilePlaying)
	Bound(WhilePlaying)
	if want := int64(enough + 10*forTarget); least.Load() != want || debug.SetMemoryLimit(-1) < want {
		t.Errorf("the limit is %d MiB, and never less than %d, want %d", debug.SetMemoryLimit(-1)>>20, least.Load()>>20, want>>20)
	}
}

// A self-test has no limit, and what is read or played in it brings none back.
func TestASelfTestHasNoLimit(t *testing.T) {
	unlimited(t)
	Bound(WhileReading)
	Unbound()
	Bound(WhilePlaying)
	runtime.GC()
	runtime.GC()
	if now := debug.SetMemoryLimit(-1); now != math.MaxInt64 {
		t.Errorf("the limit is %d MiB", now>>20)
	}
}

// What serves for long, and plays nothing, is given what it has in use as well.
func TestTheLimitFollowsWithoutARun(t *testing.T) {
	unlimited(t)
	Bound(WhileReading)
	held := make([]byte, 200<<20)
	if now := awaited(func(limit int64) bool { return limit >= 200<<20 }); now < 200<<20 {
		t.Errorf("with 200 MiB in use the limit is %d MiB", now>>20)
	}
	runtime.KeepAlive(held)
}

// unlimited begins a test without a limit, and brings back what there was.
func unlimited(t *testing.T) {
	t.Setenv("GOGC", "")
	before, room := debug.SetMemoryLimit(-1), least.Load()
	t.Cleanup(func() { least.Store(room); debug.SetMemoryLimit(before) })
	debug.SetMemoryLimit(math.MaxInt64)
}
