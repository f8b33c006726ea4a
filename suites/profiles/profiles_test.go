// SPDX-License-Identifier: Apache-2.0

package profiles_test

import (
	"slices"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// TestRowsAndFolders: a profile is a folder of bundled suites and a row. What lacks one of them is found nowhere else before
// somebody plays it.
func TestRowsAndFolders(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, p := range profiles.All {
		rows = append(rows, p.Name)
	}
	slices.Sort(rows)
	if folders := suites.Profiles(); !slices.Equal(rows, folders) {
		t.Errorf("rows of profiles.All: %q; folders of suites: %q. Add the row or the folder that is missing", rows, folders)
	}
}
