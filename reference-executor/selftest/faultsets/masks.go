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

// A Mask says that a test does not see a fault while another one is on.
type Mask struct {
	Profile string   `yaml:"profile"`
	Fault   string   `yaml:"fault"`  // that is not seen
	By      []string `yaml:"by"`     // faults of which one is on
	Tests   []string `yaml:"tests"`  // that do not see it: ids
	Reason  string   `yaml:"reason"` // why no client could see it
}

//go:embed masks.yaml
var masksFile []byte

// Masks are the reviewed masks of a profile.
func Masks(profile string) ([]Mask, error) { return readMasks(masksFile, profile) }

func readMasks(text []byte, profile string) ([]Mask, error) {
	var all, own []Mask
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("masks.yaml: %w", err)
	}
	var problems []error
	for _, m := range all {
		if m.Profile == "" || m.Fault == "" || len(m.By) == 0 || len(m.Tests) == 0 || m.Reason == "" {
			problems = append(problems, fmt.Errorf("masks.yaml: an entry needs a profile, a fault, by, tests and a reason: %+v", m))
		}
		if m.Profile == profile {
			own = append(own, m)
		}
	}
	return own, errors.Join(problems...)
}

func (m Mask) covers(fault, test string) bool {
	return m.Fault == fault && slices.Contains(m.Tests, test)
}

func (m Mask) hiddenBy(fault string) bool { return slices.Contains(m.By, fault) }
