// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A Reason says why mutants may survive.
type Reason struct {
	Profile string `yaml:"profile"` // empty: every profile
	Pattern string `yaml:"pattern"` // of ids; * stands for any text
	Reason  string `yaml:"reason"`  // what the contract leaves open, and where it says so

	matches *regexp.Regexp
}

//go:embed lawful.yaml
var lawfulFile []byte

// Reasons are the reviewed reasons of a profile.
func Reasons(profile string) ([]Reason, error) { return readReasons(lawfulFile, profile) }

func readReasons(text []byte, profile string) ([]Reason, error) {
	var all []Reason
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("lawful.yaml: %w", err)
	}
	var problems []error
	var own []Reason
	for _, r := range all {
		if r.Pattern == "" || r.Reason == "" {
			problems = append(problems, fmt.Errorf("lawful.yaml: an entry needs a pattern and a reason: %q", r.Pattern+r.Reason))
			continue
		}
		quoted := strings.ReplaceAll(regexp.QuoteMeta(r.Pattern), `\*`, `.*`)
		r.matches = regexp.MustCompile("^" + quoted + "$")
		if r.Profile == "" || r.Profile == profile {
			own = append(own, r)
		}
	}
	return own, errors.Join(problems...)
}

// Why is the reason for which a mutant may survive; "" if there is none.
func Why(reasons []Reason, m Mutant) string {
	id := m.String()
	for _, r := range reasons {
		if r.matches.MatchString(id) {
			return r.Reason
		}
	}
	return ""
}

// Stale are the entries that match none of the mutants.
func Stale(reasons []Reason, all []Mutant) []string {
	var stale []string
	for _, r := range reasons {
		found := false
		for _, m := range all {
			if found = r.matches.MatchString(m.String()); found {
				break
			}
		}
		if !found {
			stale = append(stale, fmt.Sprintf("lawful.yaml: %q matches no mutant: strike it", r.Pattern))
		}
	}
	return stale
}
