// SPDX-License-Identifier: Apache-2.0

package order

import (
	"reflect"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// notWaited are times of steps that a run does not wait by its nature, with the reason.
var notWaited = map[string]string{
	"Type.Every": "what is typed again is typed until something is seen",
}

// TestWaitsAreCounted: whatever time a step makes a run wait is known before it is played.
func TestWaitsAreCounted(t *testing.T) {
	t.Parallel()
	p := &Planner{Reach: func(d suites.Duration) time.Duration { return d.Min }}
	times := 0
	for _, base := range []suites.Action{suites.Request{}, suites.Poll{Times: 2}, suites.Stream{}, suites.Open{}, suites.Send{}, suites.Type{Times: 2}, suites.Receive{},
		suites.Silence{}, suites.Close{}, suites.Cut{}, suites.Listen{}, suites.Await{}, suites.Together{}, suites.Hook{}, suites.Watch{}, suites.Use{}} {
		kind := reflect.TypeOf(base)
		for _, field := range reflect.VisibleFields(kind) {
			if field.Type != reflect.TypeFor[suites.Duration]() {
				continue
			}
			times++
			do := reflect.New(kind).Elem()
			do.Set(reflect.ValueOf(base))
			do.FieldByIndex(field.Index).Set(reflect.ValueOf(suites.Duration{Min: time.Second}))
			waits := p.wait([]*suites.Step{{Do: do.Interface().(suites.Action)}}) >= time.Second
			name := kind.Name() + "." + field.Name
			if why, left := notWaited[name]; waits == left {
				t.Errorf("%s is counted as a wait: %t; it is left out because %q: see Waits in suites/timebudget", name, waits, why)
			}
		}
	}
	if times < 5 {
		t.Errorf("steps have %d times, which cannot be all", times)
	}
}
