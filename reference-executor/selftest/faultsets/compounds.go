// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"
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
	var all, own []Compound
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("compounds.yaml: %w", err)
	}
	var problems []error
	for _, c := range all {
		if c.Profile == "" || c.Root == "" || len(c.Faults) < 2 || c.Reason == "" {
			problems = append(problems, fmt.Errorf("compounds.yaml: an entry needs a profile, a root, two faults or more and a reason: %+v", c))
		}
		if c.Profile == profile {
			own = append(own, c)
		}
	}
	return own, errors.Join(problems...)
}

// Makes says whether the compound is the root, and all of its faults are in the set.
func (c Compound) Makes(root string, set []string) bool {
	return c.Root == root && !slices.ContainsFunc(c.Faults, func(fault string) bool { return !slices.Contains(set, fault) })
}
