// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/faults.tsv
var listedFaults string

// The list of faults that is published is that of the server, and says of each what it breaks.
func TestTheListOfFaults(t *testing.T) {
	t.Parallel()
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(listedFaults), "\n") {
		name, ids, is := strings.Cut(line, "\t")
		if !is || !strings.HasPrefix(ids, "OHV1-") {
			t.Errorf("%q does not say what it breaks", line)
		}
		names = append(names, name)
	}
	has := Faults()
	for _, name := range names {
		if !slices.Contains(has, name) {
			t.Errorf("there is no fault %s", name)
		}
	}
	for _, name := range has {
		if !slices.Contains(names, name) {
			t.Errorf("the fault %s is not in the list", name)
		}
		if changed, whole := Edited(name); whole || len(changed) == 0 {
			t.Errorf("%s changes the points %q (whole %t), want some that can be watched", name, changed, whole)
		}
	}
}
