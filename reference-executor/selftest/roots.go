// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"path"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// roots are those that the suites of a profile describe.
type roots []*suites.Root

// under are the roots that a fault shows.
func (rs roots) under(fault string) roots {
	var some roots
	for _, root := range rs {
		if slices.Contains(root.Faults, fault) {
			some = append(some, root)
		}
	}
	return some
}

// shows says whether a test can show a root of the fault.
func (rs roots) shows(fault string, t *suites.Test) bool {
	return slices.ContainsFunc(rs.under(fault), func(root *suites.Root) bool {
		return slices.Contains(root.Tests(), t.ID) // those that a pattern names may show it, and are too many
	})
}

// mayShow says whether a test can show a root of the fault, by its id or by a pattern.
func (rs roots) mayShow(fault string, t *suites.Test) bool {
	return slices.ContainsFunc(rs.under(fault), func(root *suites.Root) bool {
		return slices.ContainsFunc(root.Tests(), func(pattern string) bool { is, err := path.Match(pattern, t.ID); return err == nil && is })
	})
}

// named is the root of a name that is known to be one.
func (rs roots) named(name string) *suites.Root {
	return rs[slices.IndexFunc(rs, func(root *suites.Root) bool { return root.Name == name })]
}
