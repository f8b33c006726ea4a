// SPDX-License-Identifier: Apache-2.0

package profiles_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// TestRowsAndFolders: a profile is a folder of bundled suites and a row. What lacks one of them is found nowhere else before
// somebody plays it.
func TestRowsAndFolders(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, p := range profiles.All {
		rows = append(rows, p.Name)
		for field, text := range map[string]string{"Judges": p.Judges, "Address": p.Address, "Give": p.Give} {
			if text == "" {
				t.Errorf("the row of %s lacks %s, without which reports and advice have holes", p.Name, field)
			}
		}
	}
	slices.Sort(rows)
	if folders := suites.Profiles(); !slices.Equal(rows, folders) {
		t.Errorf("rows of profiles.All: %q; folders of suites: %q. Add the row or the folder that is missing", rows, folders)
	}
}

// TestRowsHaveWhatSuitesAsk: whatever a test of a profile needs from the operator stands in the row of that profile, once.
func TestRowsHaveWhatSuitesAsk(t *testing.T) {
	t.Parallel()
	for _, row := range profiles.All {
		brings := map[string]bool{}
		add := func(what string) {
			if brings[what] {
				t.Errorf("%s brings %s twice", row.Name, what)
			}
			brings[what] = true
		}
		for _, h := range row.Hooks {
			add("hook:" + h.Name)
		}
		for _, c := range row.Cues {
			add("cue:" + c.Name)
		}
		profile, err := suites.LoadProfile(suites.Embedded(), row.Name)
		if err != nil {
			t.Fatal(err)
		}
		surfaces := map[string]bool{}
		for _, test := range profile.Tests() {
			surfaces[test.Suite.Surface] = true
			for _, need := range needs.Of(test) {
				if kind, _, _ := strings.Cut(need, ":"); (kind == "hook" || kind == "cue") && !brings[need] {
					t.Errorf("%s: %s needs %s, which the row of %s does not have", test.At, test.ID, need, row.Name)
				}
			}
		}
		for _, surface := range row.Foremost {
			if !surfaces[surface] {
				t.Errorf("%s measures the surface %s first, which no suite of it has", row.Name, surface)
			}
		}
	}
}

// TestTheRowComesFirst: what two profiles call alike is that of the one that is asked; what it does not have is that of the others.
func TestTheRowComesFirst(t *testing.T) {
	t.Parallel()
	own := profiles.Profile{Name: "own", Hooks: []hooks.Hook{{Name: "restart", What: "which restarts the greeter"}}, Cues: []profiles.Cue{{Name: "failed", Does: "sulks"}}}
	if h, _ := own.Hook("restart"); h.What != "which restarts the greeter" {
		t.Errorf("the hook restart of a profile of its own is %+v", h)
	}
	if h, known := own.Hook("shutdown"); !known || h.What != "which ends the target in an orderly way" {
		t.Errorf("the hook shutdown is %+v", h)
	}
	if c, _ := own.Cue("failed"); c.Does != "sulks" {
		t.Errorf("the cue failed of a profile of its own is %+v", c)
	}
	if c, known := own.Cue("ping"); !known || c.Else != "ping" {
		t.Errorf("the cue ping is %+v", c)
	}
	if _, known := own.Hook("nosuch"); known {
		t.Error("there is a hook nosuch")
	}
}
