// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A root may have only what mending it mends: each of its signs is shown by a fault of it, and each of its faults exists.
func TestRootsHaveWhatTheirFaultsChange(t *testing.T) {
	t.Parallel()
	for _, name := range Profiles() {
		p := &prover{profile: bundled(t, name)}
		for _, root := range p.profile.Roots {
			if len(root.Faults) == 0 {
				t.Errorf("%s: the root %s has no fault that shows it", root.At, root.Name)
			}
			for _, fault := range root.Faults {
				if !slices.Contains(Faults(name), fault) {
					t.Errorf("%s: the root %s names the fault %s, which does not exist", root.At, root.Name, fault)
				}
			}
			for _, sign := range root.Shows { // which may have tests for servers that do as much elsewhere
				if !slices.ContainsFunc(p.profile.Tests(), func(test *suites.Test) bool {
					return slices.ContainsFunc(sign.Tests, func(pattern string) bool { is, err := path.Match(pattern, test.ID); return err == nil && is }) &&
						slices.ContainsFunc(root.Faults, func(fault string) bool { return names(test, fault) >= 0 || p.collateral(fault)(test.ID) })
				}) {
					t.Errorf("%s: the root %s has %s, which none of its faults is said to change", sign.At, root.Name, strings.Join(sign.Tests, ", "))
				}
			}
		}
	}
}
