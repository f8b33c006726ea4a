// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestRulings(t *testing.T) {
	t.Parallel()
	for profile, atLeast := range map[string]int{"agentic-sandbox-v2": 100, "a2a-1.0": 72, "openhands-v1": 29, "sac": 20} {
		all, err := Rulings(profile)
		if err != nil || len(all) < atLeast {
			t.Fatalf("%s: %d rulings, %v", profile, len(all), err)
		}
		required, err := Of(profile)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, r := range all {
			if seen[r.ID] || r.Title == "" || r.Ruling == "" || r.Requirements == nil {
				t.Errorf("%s: %s is there twice, or says nothing: %+v", profile, r.ID, r)
			}
			seen[r.ID] = true
			for _, id := range r.Requirements {
				if !slices.ContainsFunc(required, func(q Requirement) bool { return q.ID == id }) {
					t.Errorf("%s: %s is about %s, which is no requirement", profile, r.ID, id)
				}
			}
		}
	}
	if none, err := Rulings("no-such-profile"); err != nil || len(none) > 0 {
		t.Errorf("%v, %v", none, err)
	}
}

// named is how a suite names a ruling; the letter alone stands for many other things.
var named = regexp.MustCompile(`\bruling:? (AMB-\d+|A\d\d|C\d+)\b|\b(AMB-\d+)\b`)

// Every ruling that a suite names can be looked up, among those of its own profile: the ids of two profiles are alike.
func TestRulingsOfTheSuitesAreThere(t *testing.T) {
	t.Parallel()
	for _, profile := range Profiles() {
		all, err := Rulings(profile)
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob("../" + profile + "/*.yaml")
		if err != nil || len(files) == 0 && profile == "agentic-sandbox-v2" {
			t.Fatal(files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range named.FindAllStringSubmatch(string(text), -1) {
				id := strings.Join(found[1:], "")
				if !slices.ContainsFunc(all, func(r Ruling) bool { return r.ID == id }) {
					t.Errorf("%s names %s, which is no ruling on %s", file, id, profile)
				}
			}
		}
	}
}
