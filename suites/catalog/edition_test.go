// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"os"
	"path/filepath"
	"testing"
)

func TestEditions(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, profile := range Profiles() {
		edition, known, err := EditionOf(profile)
		if err != nil || !known {
			t.Fatalf("%s: known %v, %v", profile, known, err)
		}
		requirements, _ := Of(profile)
		decided, _ := Rulings(profile)
		if edition.Requirements != len(requirements) || edition.Rulings != len(decided) {
			t.Errorf("%s: %d requirements and %d rulings, want %d and %d", profile, edition.Requirements, edition.Rulings, len(requirements), len(decided))
		}
		if _, err := os.Stat(filepath.Join("rulings", profile+".json")); err == nil && edition.Rulings == 0 {
			t.Errorf("%s has a file of rulings, and none is read", profile)
		}
		if len(edition.SHA256) != 64 || seen[edition.SHA256] != "" {
			t.Errorf("%s: the sum is %q, which is that of %q", profile, edition.SHA256, seen[edition.SHA256])
		}
		seen[edition.SHA256] = profile
	}
	if _, known, err := EditionOf("nobody-1.0"); known || err != nil {
		t.Errorf("nobody-1.0: known %v, %v", known, err)
	}
}
