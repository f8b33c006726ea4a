// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/reviewed"
)

// A Reason says why mutants may survive.
type Reason struct {
	Reason   string   `yaml:"reason"`   // what the contract leaves open, and where it says so
	Profile  string   `yaml:"profile"`  // or several, with commas between them; empty: every profile
	Patterns []string `yaml:"patterns"` // of ids; * stands for any text

	matches []*regexp.Regexp // a pattern each
}

//go:embed lawful.yaml
var lawfulFile []byte

// Reasons are the reviewed reasons of a profile.
func Reasons(profile string) ([]Reason, error) { return readReasons(lawfulFile, profile) }

func readReasons(text []byte, profile string) ([]Reason, error) {
	own, err := reviewed.Read[Reason]("lawful.yaml", text, profile, "patterns and a reason")
	for i := range own {
		for _, pattern := range own[i].Patterns {
			quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`)
			own[i].matches = append(own[i].matches, regexp.MustCompile("^"+quoted+"$"))
		}
	}
	return own, err
}

// Whole says whether the entry has all that it needs.
func (r Reason) Whole() bool {
	return len(r.Patterns) > 0 && !slices.Contains(r.Patterns, "") && r.Reason != ""
}

// Of says whether the entry is about a profile.
func (r Reason) Of(profile string) bool {
	return r.Profile == "" || slices.Contains(strings.Split(r.Profile, ", "), profile)
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
