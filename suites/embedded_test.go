// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestEveryFolderOfSuitesIsBundled: a profile whose folder nobody names in embedded.go would be missing from the program.
func TestEveryFolderOfSuitesIsBundled(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var folders []string
	for _, file := range files {
		folders = append(folders, filepath.Dir(file))
	}
	if folders = slices.Compact(folders); !slices.Equal(folders, suites.Profiles()) {
		t.Errorf("the bundled profiles are %q, and there are suites in %q", suites.Profiles(), folders)
	}
}
