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
	all, err := Rulings("agentic-sandbox-v2")
	if err != nil || len(all) < 100 {
		t.Fatalf("%d rulings, %v", len(all), err)
	}
	required, err := Of("agentic-sandbox-v2")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range all {
		if seen[r.ID] || r.Title == "" || r.Ruling == "" {
			t.Errorf("%s is there twice, or says nothing: %+v", r.ID, r)
		}
		seen[r.ID] = true
		for _, id := range r.Requirements {
			if !slices.ContainsFunc(required, func(q Requirement) bool { return q.ID == id }) {
				t.Errorf("%s is about %s, which is no requirement", r.ID, id)
			}
		}
	}
	if none, err := Rulings("no-such-profile"); err != nil || len(none) > 0 {
		t.Errorf("%v, %v", none, err)
	}
}

// named is how a suite names a ruling; the letter alone stands for many other things.
var named = regexp.MustCompile(`\bruling:? (AMB-\d+|A\d\d)\b|\b(AMB-\d+)\b`)

// Every ruling that a suite names can be looked up.
func TestRulingsOfTheSuitesAreThere(t *testing.T) {
	t.Parallel()
	all, err := Rulings("agentic-sandbox-v2")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../agentic-sandbox-v2/*.yaml")
	if err != nil || len(files) == 0 {
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
				t.Errorf("%s names %s, which is no ruling", file, id)
			}
		}
	}
}
