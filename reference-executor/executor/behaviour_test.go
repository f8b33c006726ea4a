// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestFaultNames(t *testing.T) {
	t.Parallel()
	names := Faults()
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("the names are not sorted, or one stands in two tables")
	}
	form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)
	for _, name := range names {
		if !form.MatchString(name) {
			t.Errorf("%q is no name of a fault", name)
		}
	}
}

func TestUnknownFaultIsRefused(t *testing.T) {
	t.Parallel()
	name := Faults()[0]
	_, err := New(Config{Faults: []string{name + "x"}})
	if err == nil || !strings.Contains(err.Error(), `did you mean "`+name+`"?`) {
		t.Errorf("error is %v", err)
	}
	if _, err := New(Config{Profile: "no-such-profile"}); err == nil {
		t.Error("an unknown profile is taken")
	}
}

// A fault breaks the contract, not the executor: it still starts, answers and stops.
func TestEveryFaultServes(t *testing.T) {
	t.Parallel()
	for _, name := range Faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := serve(t, Config{Faults: []string{name}, AdminToken: "the-admin-token"})
			b.do("GET", "/healthz", "")
			b.do("GET", "/metrics", "")
			b.do("GET", ".well-known/agent-card.json", "")
			b.do("GET", "v1/tasks?limit=1", "", "A2A-Extensions", both)
			b.do("GET", "/api/v1/agents", "")
			b.do("GET", "/api/v2/admin/instances", "")
			b.do("GET", "/api/v2/admin/container-images", "", "Authorization", "")
			b.do("GET", "v1/tasks/"+newID(), "")
		})
	}
}
