// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// Identify writes into the report of a run what its profile judges by: the contract, which is called name or else as the profile is, and the
// rulings that findings name. Where the program has no list of the profile's requirements, nothing is
// written. The error is a bug.
func Identify(run *report.Run, profile, name string) error {
	edition, known, err := EditionOf(profile)
	if err != nil || !known {
		return err
	}
	run.Suites.Contract = &report.Contract{Name: cmp.Or(name, profile), Requirements: edition.Requirements, Rulings: edition.Rulings, SHA256: edition.SHA256}
	decided, err := Rulings(profile)
	if err != nil {
		return err
	}
	all := make([]report.Ruling, len(decided))
	for i, r := range decided {
		all[i] = report.Ruling{ID: r.ID, Title: r.Title, Ruling: r.Ruling}
	}
	report.KeepRulings(run, all)
	return nil
}
