// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
)

// Every liberty is in one group, no group has two that change the same point, and what was reviewed of them exists.
func TestLibertiesGoTogether(t *testing.T) {
	t.Parallel()
	for _, with := range proofs {
		if with.liberties == nil {
			continue
		}
		var grouped []string
		for _, group := range with.together(with.liberties()) {
			grouped = append(grouped, group...)
			changed := map[string]string{}
			for _, name := range group {
				points, _ := with.freed(name)
				for _, point := range points {
					if other := changed[point]; other != "" {
						t.Errorf("%s: %s and %s both change %s", with.profile, other, name, point)
					}
					changed[point] = name
				}
			}
		}
		slices.Sort(grouped)
		if !slices.Equal(grouped, with.liberties()) {
			t.Errorf("%s: grouped are %q of %q", with.profile, grouped, with.liberties())
		}
		reviewed, err := restraints(with.profile)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range reviewed {
			if !slices.Contains(with.liberties(), r.Liberty) {
				t.Errorf("liberties.yaml: %s has no liberty %q", with.profile, r.Liberty)
			}
		}
	}
}

// What a liberty changes is a problem that names both: here a fault is said to be one.
func TestALibertyThatChangesAVerdictIsAProblem(t *testing.T) {
	t.Parallel()
	with := *anyAgent
	with.liberties = func() []string { return []string{"answers-come-through-a-gateway", "ended-tasks-take-messages"} }
	with.freed = func(name string) ([]string, bool) { return []string{name}, false }
	p, err := newProver(t.Context(), Options{Profile: "a2a-1.0", Tests: []string{"A2A-REST-034"}, LibertiesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(plain.Faults(), with.liberties()[1]) {
		t.Fatalf("there is no fault %q", with.liberties()[1])
	}
	p.proof = &with
	if err := p.conformant(); err != nil {
		t.Fatal(err)
	}
	if err := p.liberties(); err != nil {
		t.Fatal(err)
	}
	if len(p.problems) != 1 || !strings.Contains(p.problems[0].Says, "takes the liberty ended-tasks-take-messages (") {
		t.Errorf("the problems are %v", p.problems)
	}
}
