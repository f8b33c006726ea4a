// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	_ "embed"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/reviewed"
)

// A Compound says what several faults do together, though none of them alone does: they are what a root says, or they change tests.
type Compound struct {
	Profile string   `yaml:"profile"`
	Root    string   `yaml:"root"`   // or tests
	Tests   []string `yaml:"tests"`  // that they change: ids
	Faults  []string `yaml:"faults"` // two or more
	Reason  string   `yaml:"reason"`
}

//go:embed compounds.yaml
var compoundsFile []byte

// Compounds are the reviewed compounds of a profile.
func Compounds(profile string) ([]Compound, error) { return readCompounds(compoundsFile, profile) }

func readCompounds(text []byte, profile string) ([]Compound, error) {
	return reviewed.Read[Compound]("compounds.yaml", text, profile, "a profile, a root or tests, two faults or more and a reason")
}

// Whole says whether the entry has all that it needs.
func (c Compound) Whole() bool {
	return c.Profile != "" && (c.Root != "") != (len(c.Tests) > 0) && len(c.Faults) >= 2 && c.Reason != ""
}

// Of says whether the entry is about a profile.
func (c Compound) Of(profile string) bool { return c.Profile == profile }

// Makes says whether the compound is the root, and all of its faults are in the set.
func (c Compound) Makes(root string, set []string) bool {
	return c.Root == root && !slices.ContainsFunc(c.Faults, func(fault string) bool { return !slices.Contains(set, fault) })
}

// Together is a set of which each fault is said to change what it changes in the compounds as well whose faults are all in the set.
func Together(set []Fault, compounds []Compound) []Fault {
	names := make([]string, len(set))
	for i, f := range set {
		names[i] = f.Name
	}
	all := slices.Clone(set)
	for _, c := range compounds {
		if !c.Makes("", names) {
			continue
		}
		for i, f := range all {
			if !slices.Contains(c.Faults, f.Name) {
				continue
			}
			all[i].Tests = slices.Clone(f.Tests) // those of the set are of every set
			for _, id := range c.Tests {
				all[i].Tests = append(all[i].Tests, Test{ID: id})
			}
		}
	}
	return all
}
