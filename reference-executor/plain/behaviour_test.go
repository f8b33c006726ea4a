// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestFaultsAreNamedOnceAndChangeSomething(t *testing.T) {
	t.Parallel()
	names := Faults()
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("the names are not sorted, or one stands twice")
	}
	for _, name := range names {
		if !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(name) {
			t.Errorf("fault %q is not written in small letters with hyphens", name)
		}
		if changed, whole := Edited(name); len(changed) == 0 && !whole {
			t.Errorf("fault %q changes nothing", name)
		}
	}
}

func TestLibertiesAreNamedOnceAndChangeSomething(t *testing.T) {
	t.Parallel()
	names := Liberties()
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("a name stands twice")
	}
	for _, name := range names {
		if changed, whole := EditedFreely(name); len(changed) == 0 && !whole || !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(name) {
			t.Errorf("liberty %q changes nothing, or is not written in small letters with hyphens", name)
		}
	}
}

func TestAFaultShows(t *testing.T) {
	t.Parallel()
	over(t, Config{Faults: []string{"list-without-total", "tasks-of-a-kind"}}, func(t *testing.T, cl *client) {
		if got := cl.task(send("ping"))["kind"]; got != "task" {
			t.Errorf("kind is %v", got)
		}
		if got, has := cl.must("ListTasks", object{})["totalSize"]; has {
			t.Errorf("totalSize is %v", got)
		}
	})
}

func TestUnknownFault(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Faults: []string{"card-without-nam"}})
	if err == nil || !strings.Contains(err.Error(), `did you mean "card-without-name"`) {
		t.Errorf("the error is %v", err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Config{
		`no binding "SOAP"`: {Bindings: []string{"SOAP"}}, "needs a binding": {Bindings: []string{}}, `"magic" is not what a card declares`: {Undeclared: []string{"magic"}},
		"is not among the bindings": {Legacy: true, Bindings: []string{BindingREST}}, "needs a first one": {SecondToken: "two"}, "negative": {Work: -1},
	} {
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: the error is %v, want one with %q", c, err, want)
		}
	}
}

func TestPointsAreTold(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]bool{}
	s := start(t, Config{Consulted: func(point string) { mu.Lock(); defer mu.Unlock(); asked[point] = true }})
	(&client{t: t, s: s, binding: BindingREST, version: "1.0"}).task(send("ping"))
	mu.Lock()
	defer mu.Unlock()
	for _, point := range []string{"versions.refuses", "rest.find", "tasks.id", "output.task"} {
		if !asked[point] {
			t.Errorf("point %s was not asked", point)
		}
	}
}
