// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"time"
)

// restTimeFaults are about the times of statuses.
var restTimeFaults = map[string]func(*behaviour){
	"statuses-without-time": shownStatus(func(_ task, v object) { delete(v, "timestamp") }),
	"new-tasks-without-time": shownStatus(func(t task, v object) {
		if t.state == submitted || t.state == working {
			delete(v, "timestamp")
		}
	}),
	"times-with-an-offset": stamped(func(at time.Time) any { return at.Format("2006-01-02T15:04:05.000") + "+00:00" }),
	"times-are-local": stamped(func(at time.Time) any {
		return at.In(time.FixedZone("", 2*60*60)).Format("2006-01-02T15:04:05.000Z07:00")
	}),
	"times-are-numbers":             stamped(func(at time.Time) any { return at.UnixMilli() }),
	"times-of-the-31st-of-february": stamped(func(at time.Time) any { return at.Format("2006-") + "02-31" + at.Format("T15:04:05.000Z") }),
	"times-are-whole-seconds":       stamped(func(at time.Time) any { return at.Format("2006-01-02T15:04:05Z") }),
	"times-in-nanoseconds":          stamped(func(at time.Time) any { return at.Format("2006-01-02T15:04:05.000000000Z") }),
	"times-are-local-but-say-utc": func(b *behaviour) {
		const offset = 2 * time.Hour
		b.output.stamp = func(at time.Time) any { return conformantOutput.stamp(at.Add(offset)) }
		b.input.time = func(path, text string) (time.Time, *failure) {
			at, f := timestamp(path, text)
			return at.Add(-offset), f
		}
	},
}

// stamped changes how times are written.
func stamped(write func(at time.Time) any) func(*behaviour) {
	return func(b *behaviour) { b.output.stamp = write }
}
