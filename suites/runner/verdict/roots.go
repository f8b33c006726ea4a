// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"path"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// Roots are the roots that the results may have: those of which at least two tests did not pass.
func Roots(roots []*suites.Root, results []report.Result) []report.Root {
	var open []string
	for i := range results {
		if o := results[i].Outcome; o != report.Pass && o != report.Skip {
			open = append(open, results[i].ID)
		}
	}
	var some []report.Root
	for _, root := range roots {
		met := 0
		for _, id := range open {
			if slices.ContainsFunc(root.Tests(), func(pattern string) bool { is, err := path.Match(pattern, id); return err == nil && is }) {
				met++
			}
		}
		if met < 2 {
			continue
		}
		r := report.Root{Name: root.Name, Says: root.Says, Fix: root.Fix, Leads: root.Leads, Least: root.Least}
		for _, s := range root.Shows {
			r.Signs = append(r.Signs, report.RootSign{Tests: s.Tests, Says: s.Says, Sometimes: s.Sometimes})
		}
		some = append(some, r)
	}
	return some
}
