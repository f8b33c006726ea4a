// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadCompounds(t *testing.T) {
	t.Parallel()
	whole := "- {profile: p, root: r, faults: [f, g], reason: what one leaves the other takes}\n"
	for _, row := range []struct {
		name, text string
		read       int
		err        string
	}{
		{"whole", whole, 1, ""},
		{"of another profile", strings.Replace(whole, "profile: p", "profile: q", 1), 0, ""},
		{"of tests", strings.Replace(whole, "root: r", "tests: [A-1]", 1), 1, ""},
		{"of tests and a root", strings.Replace(whole, "root: r", "root: r, tests: [A-1]", 1), 1, "a root or tests"},
		{"of neither", strings.Replace(whole, "root: r, ", "", 1), 1, "a root or tests"},
		{"of one fault", strings.Replace(whole, ", g", "", 1), 1, "two faults or more"},
		{"without a reason", "- {profile: p, root: r, faults: [f, g]}", 1, "needs a profile"},
		{"with a member that nobody reads", "- {profile: p, root: r, by: [g]}", 0, "compounds.yaml"},
	} {
		got, err := readCompounds([]byte(row.text), "p")
		if len(got) != row.read || row.err == "" && err != nil || row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)) {
			t.Errorf("%s: %d are read, and the error is %v, want %d and %q", row.name, len(got), err, row.read, row.err)
		}
	}
}

func TestACompoundNeedsAllOfItsFaults(t *testing.T) {
	t.Parallel()
	c := Compound{Root: "r", Faults: []string{"f", "g"}}
	for _, row := range []struct {
		root string
		set  []string
		want bool
	}{
		{"r", []string{"f", "g"}, true},
		{"r", []string{"g", "h", "f"}, true},
		{"r", []string{"f", "h"}, false},
		{"r", nil, false},
		{"s", []string{"f", "g"}, false},
	} {
		if got := c.Makes(row.root, row.set); got != row.want {
			t.Errorf("with %v on, %s is made: %v, want %v", row.set, row.root, got, row.want)
		}
	}
}

func TestTogetherFaultsChangeMore(t *testing.T) {
	t.Parallel()
	f, g, h := Fault{Name: "f", Tests: []Test{{ID: "A", Named: true}}}, Fault{Name: "g"}, Fault{Name: "h"}
	compounds := []Compound{{Root: "r", Faults: []string{"f", "g"}}, {Tests: []string{"B", "C"}, Faults: []string{"f", "g"}}, {Tests: []string{"D"}, Faults: []string{"g", "i"}}}
	also := []Test{{ID: "B"}, {ID: "C"}}
	for _, row := range []struct {
		name      string
		set, want []Fault
	}{
		{"both are on", []Fault{f, g, h}, []Fault{{Name: "f", Tests: append(f.Tests[:1:1], also...)}, {Name: "g", Tests: also}, h}},
		{"one is on", []Fault{f, h}, []Fault{f, h}},
	} {
		if diff := cmp.Diff(row.want, Together(row.set, compounds)); diff != "" {
			t.Errorf("%s: the set differs (-want +got):\n%s", row.name, diff)
		}
	}
	if len(f.Tests) != 1 || len(g.Tests) != 0 {
		t.Errorf("the faults themselves are changed: %+v, %+v", f, g)
	}
}

func TestBundledCompoundsAreRead(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"agentic-sandbox-v2", "a2a-1.0", "sac"} {
		if _, err := Compounds(profile); err != nil {
			t.Error(err)
		}
	}
}
