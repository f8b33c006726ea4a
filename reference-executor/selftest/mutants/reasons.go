// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A Reason says why mutants may survive.
type Reason struct {
	Reason   string   `yaml:"reason"`   // what the contract leaves open, and where it says so
	Profile  string   `yaml:"profile"`  // empty: every profile
	Patterns []string `yaml:"patterns"` // of ids; * stands for any text

	matches []*regexp.Regexp // a pattern each
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
		if len(r.Patterns) == 0 || slices.Contains(r.Patterns, "") || r.Reason == "" {
			problems = append(problems, fmt.Errorf("lawful.yaml: an entry needs patterns and a reason: %q %s", r.Patterns, r.Reason))
			continue
		}
		for _, pattern := range r.Patterns {
			quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`)
			r.matches = append(r.matches, regexp.MustCompile("^"+quoted+"$"))
		}
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
		if slices.ContainsFunc(r.matches, func(pattern *regexp.Regexp) bool { return pattern.MatchString(id) }) {
			return r.Reason
		}
	}
	return ""
}

// Stale are the patterns that match none of the mutants.
func Stale(reasons []Reason, all []Mutant) []string {
	ids := make([]string, len(all))
	for i, m := range all {
		ids[i] = m.String()
	}
	var stale []string
	for _, r := range reasons {
		for i, pattern := range r.matches {
			if !slices.ContainsFunc(ids, pattern.MatchString) {
				stale = append(stale, fmt.Sprintf("lawful.yaml: %q matches no mutant: strike it", r.Patterns[i]))
			}
		}
	}
	return stale
}
