// SPDX-License-Identifier: Apache-2.0

package order

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// TestAHurriedRunMeasuresTheMostImportantFirst: by level, by whether they wait, by surface, by whether they lead a root cause, and then
// in the order of the suites.
func TestAHurriedRunMeasuresTheMostImportantFirst(t *testing.T) {
	t.Parallel()
	card, auth, lists := &suites.Suite{Surface: "card"}, &suites.Suite{Surface: "auth"}, &suites.Suite{Surface: "lists"}
	waits := []*suites.Step{{Do: suites.Silence{For: suites.Duration{Min: 2 * time.Second}}}}
	looks := []*suites.Step{waits[0], {Do: suites.Watch{}}}
	tests := []*suites.Test{
		0:  {ID: "may", Level: suites.May, Suite: card},
		1:  {ID: "should", Level: suites.Should, Suite: card},
		2:  {ID: "waits", Level: suites.Must, Suite: card, Steps: waits},
		3:  {ID: "lists", Level: suites.Must, Suite: lists},
		4:  {ID: "lists-leading", Level: suites.MustNot, Suite: lists},
		5:  {ID: "auth", Level: suites.Must, Suite: auth},
		6:  {ID: "card", Level: suites.MustNot, Suite: card},
		7:  {ID: "alone-should", Level: suites.ShouldNot, Suite: card, Alone: true},
		8:  {ID: "alone", Level: suites.Must, Suite: lists, Alone: true},
		9:  {ID: "whole-run", Level: suites.Must, Suite: card, Last: true, Watches: true, Steps: looks},
		10: {ID: "last-should", Level: suites.Should, Suite: card, Last: true},
		11: {ID: "last", Level: suites.Must, Suite: lists, Last: true},
		12: {ID: "nowhere", Level: suites.Must},
	}
	p := &Planner{
		Profile: profiles.Profile{Foremost: []string{"card", "auth"}}, Hurried: true, Leads: []string{"lists-leading"},
		Reach: func(d suites.Duration) time.Duration { return d.Min }, Rows: func(*suites.Test) int { return 1 },
	}
	want := Stages{Ahead: []int{6, 5, 4, 3, 12, 2}, AheadAlone: []int{8}, Together: []int{1, 0, 9}, Early: []int{9}, Alone: []int{7}, Last: []int{11, 10}}
	if diff := cmp.Diff(want, p.Stages(tests)); diff != "" {
		t.Errorf("the stages (-want +got):\n%s", diff)
	}
}
