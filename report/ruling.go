// SPDX-License-Identifier: Apache-2.0

package report

import "slices"

// A Ruling says how the suites read the contract where it can be read in two ways, is silent, or contradicts itself.
type Ruling struct {
	ID     string `json:"id"`
	Title  string `json:"title"`  // what is not clear
	Ruling string `json:"ruling"` // how it is read
}

// RulingsOn are the rulings that the findings of a result name, in the order of the contract. They are known of results that are broken or warned of.
func RulingsOn(run *Run, result *Result) []Ruling {
	var on []Ruling
	for _, ruling := range run.Rulings {
		if slices.ContainsFunc(result.Findings, func(f Finding) bool { return f.Ruling == ruling.ID }) {
			on = append(on, ruling)
		}
	}
	return on
}

// KeepRulings keeps, of all rulings on the contract, those that findings of results name that are broken or warned of.
func KeepRulings(run *Run, all []Ruling) {
	run.Rulings = all
	used := map[string]bool{}
	for i := range run.Results {
		if one := &run.Results[i]; one.Outcome == Fail || one.Outcome == Warn {
			for _, ruling := range RulingsOn(run, one) {
				used[ruling.ID] = true
			}
		}
	}
	run.Rulings = nil
	for _, ruling := range all {
		if used[ruling.ID] {
			run.Rulings = append(run.Rulings, ruling)
		}
	}
}
