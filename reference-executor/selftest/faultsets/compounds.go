// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	_ "embed"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/reviewed"
)

// A Compound says that several faults together are what a root says, though none of them alone is.
type Compound struct {
	Profile string   `yaml:"profile"`
	Root    string   `yaml:"root"`
	Faults  []string `yaml:"faults"` // two or more
	Reason  string   `yaml:"reason"`
}

//go:embed compounds.yaml
var compoundsFile []byte

// Compounds are the reviewed compounds of a profile.
func Compounds(profile string) ([]Compound, error) { return readCompounds(compoundsFile, profile) }

func readCompounds(text []byte, profile string) ([]Compound, error) {
	return reviewed.Read[Compound]("compounds.yaml", text, profile, "a profile, a root, two faults or more and a reason")
}

// Whole says whether the entry has all that it needs.
func (c Compound) Whole() bool {
	return c.Profile != "" && c.Root != "" && len(c.Faults) >= 2 && c.Reason != ""
}

// Of says whether the entry is about a profile.
func (c Compound) Of(profile string) bool { return c.Profile == profile }

// Makes says whether the compound is the root, and all of its faults are in the set.
func (c Compound) Makes(root string, set []string) bool {
	return c.Root == root && !slices.ContainsFunc(c.Faults, func(fault string) bool { return !slices.Contains(set, fault) })
}
