// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	_ "embed"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/reviewed"
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
	return reviewed.Read[Mask]("masks.yaml", text, profile, "a profile, a fault, by, tests and a reason")
}

// Whole says whether the entry has all that it needs.
func (m Mask) Whole() bool {
	return m.Profile != "" && m.Fault != "" && len(m.By) > 0 && len(m.Tests) > 0 && m.Reason != ""
}

// Of says whether the entry is about a profile.
func (m Mask) Of(profile string) bool { return m.Profile == profile }

func (m Mask) covers(fault, test string) bool {
	return m.Fault == fault && slices.Contains(m.Tests, test)
}

func (m Mask) hiddenBy(fault string) bool { return slices.Contains(m.By, fault) }
