// SPDX-License-Identifier: Apache-2.0

package order

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// notWaited are times of steps that a run does not wait by its nature, with the reason.
var notWaited = map[string]string{
	"Type.Every":        "what is typed again is typed until something is seen",
	"Request.WalkAgain": "a list is walked again only while it does not show what is there",
	"Poll.WalkAgain":    "a poll walks no list",
	"Stream.WalkAgain":  "a stream walks no list",
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

// TestTheLongestComeFirst: by what they wait, by how long operations let expect, and by how many requests they send one after the other.
func TestTheLongestComeFirst(t *testing.T) {
	t.Parallel()
	request := &suites.Step{Do: suites.Request{}}
	operation := &suites.Step{Do: suites.Request{Operation: "SendMessage"}, Within: suites.Duration{Min: time.Minute}}
	tests := []*suites.Test{
		0: {ID: "a request", Steps: []*suites.Step{request}},
		1: {ID: "a silence of two seconds", Steps: []*suites.Step{{Do: suites.Silence{For: suites.Duration{Min: 2 * time.Second}}}}},
		2: {ID: "an operation that works", Steps: []*suites.Step{operation}},
		3: {ID: "64 clients one by one", Steps: []*suites.Step{{Do: suites.Together{Clients: 64, AtOnce: 1, Steps: []*suites.Step{request}}}}},
		4: {ID: "64 clients at once", Steps: []*suites.Step{{Do: suites.Together{Clients: 64, Steps: []*suites.Step{request, request}}}}},
		5: {ID: "30 requests of a poll", Steps: []*suites.Step{{Do: suites.Poll{Times: 30}}}},
	}
	p := &Planner{Reach: func(d suites.Duration) time.Duration { return d.Min }, Rows: func(*suites.Test) int { return 1 }}
	if diff := cmp.Diff([]int{3, 1, 5, 2, 4, 0}, p.Stages(tests).Together); diff != "" {
		t.Errorf("the order (-want +got):\n%s", diff)
	}
}
