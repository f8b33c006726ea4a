// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"slices"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"
)

func TestEditedNamesWhatAFaultChanges(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string][]string{
		"replay-marked-twice":                  {"idempotency.mark"},
		"raw-bytes-are-compared":               {"idempotency.hash"},
		"v1-deprecation-instead-of-deprecated": nil, // filled in below: it must edit something
	} {
		changed, whole := Edited(fault)
		if whole || want != nil && !slices.Equal(changed, want) || len(changed) == 0 {
			t.Errorf("%s edits %v (whole %v), want %v", fault, changed, whole, want)
		}
	}
	if _, whole := Edited("no-such-fault"); !whole {
		t.Error("an unknown fault is said to change nothing")
	}
}

// A fault that changes nothing could break no test.
func TestEveryFaultEditsSomething(t *testing.T) {
	t.Parallel()
	whole := 0
	for _, name := range Faults() {
		changed, all := Edited(name)
		if len(changed) == 0 && !all {
			t.Errorf("%s edits nothing", name)
		}
		if all {
			whole++
		}
	}
	if whole > len(Faults())/10 {
		t.Errorf("%d of %d faults edit a value that nobody can watch", whole, len(Faults()))
	}
}

func TestWatchSeesEveryPointAndChangesNone(t *testing.T) {
	t.Parallel()
	var asked []string
	b := conformant()
	points.Watch(b, func(point string) { asked = append(asked, point) })
	if got, want := b.tasks.steps(task{}, "working"), "working"; got != want {
		t.Errorf("a watched point answers %q, want %q", got, want)
	}
	b.tasks.dresses(&task{})
	if want := []string{"tasks.steps", "tasks.dresses"}; !slices.Equal(asked, want) {
		t.Errorf("asked were %v, want %v", asked, want)
	}
	if watchable, rest := points.All(b); len(watchable) < 200 || len(rest) > 20 {
		t.Errorf("%d points can be watched, but %v cannot", len(watchable), rest)
	}
	if again := conformant(); again.tasks.steps(task{}, "x") != "x" || len(asked) != 2 {
		t.Error("watching one executor watches the others")
	}
}
