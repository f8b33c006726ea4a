// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/policy"
)

// selection is which tests of a profile are run.
type selection struct {
	run, skip, surface []string
	levels             []suites.Level
}

// levelNames of --level: a level and its negation are one.
var levelNames = map[string][]suites.Level{
	"must":   {suites.Must, suites.MustNot},
	"should": {suites.Should, suites.ShouldNot},
	"may":    {suites.May},
}

// selection checks that every pattern matches something and that some test is left.
func (s *settings) selection(profile *suites.Profile) (selection, error) {
	chosen := selection{run: s.run, skip: s.skip, surface: s.surface}
	for _, level := range s.level {
		levels, ok := levelNames[strings.ToLower(level)]
		if !ok {
			return chosen, usage("--level %s: there are must, should and may%s", unknownWord(level), spelling.DidYouMean(level, []string{"must", "should", "may"}))
		}
		chosen.levels = append(chosen.levels, levels...)
	}
	tests := profile.Tests()
	for flag, patterns := range map[string][]string{"run": s.run, "skip": s.skip} {
		for _, pattern := range patterns {
			if err := matchesSome(flag, pattern, tests); err != nil {
				return chosen, err
			}
		}
	}
	known := surfaces(profile)
	for _, surface := range s.surface {
		if !slices.Contains(known, surface) {
			return chosen, usage("--surface %s: %s has no such surface%s; it has %s", unknownWord(surface), profile.Name,
				spelling.DidYouMean(surface, known), strings.Join(known, ", "))
		}
	}
	if !slices.ContainsFunc(tests, chosen.has) {
		return chosen, usage("the selection leaves none of the %d tests of %s", len(tests), profile.Name)
	}
	return chosen, nil
}

func matchesSome(flag, pattern string, tests []*suites.Test) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return usage("--%s %s: the pattern is malformed: %v", flag, pattern, err)
	}
	var known []string
	for _, t := range tests {
		if matches(pattern, t) {
			return nil
		}
		known = append(known, t.ID, t.Name)
	}
	hint := spelling.DidYouMean(pattern, known)
	if hint == "" {
		hint = "; list shows the ids and names"
	}
	return usage("--%s %s matches no test%s", flag, pattern, hint)
}

// matching is the ids of the tests that any of the patterns matches; each has to match some.
func matching(patterns []string, tests []*suites.Test) ([]string, error) {
	var ids []string
	for _, pattern := range patterns {
		if err := matchesSome("run", pattern, tests); err != nil {
			return nil, err
		}
		for _, t := range tests {
			if matches(pattern, t) && !slices.Contains(ids, t.ID) {
				ids = append(ids, t.ID)
			}
		}
	}
	return ids, nil
}

func matches(pattern string, t *suites.Test) bool {
	byID, _ := path.Match(pattern, t.ID)
	byName, _ := path.Match(pattern, t.Name)
	return byID || byName
}

// has says whether the test is run.
func (c selection) has(t *suites.Test) bool {
	any := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, t) })
	}
	return (len(c.run) == 0 || any(c.run)) && !any(c.skip) &&
		(len(c.surface) == 0 || slices.Contains(c.surface, t.Suite.Surface)) &&
		(len(c.levels) == 0 || slices.Contains(c.levels, t.Level))
}

// wanted says which bundled tests have to be known as a whole before the run; nil means all: those that --run does not
// name are asked for their surfaces, for what could be configured for them, and whether a policy speaks of them.
func (s *settings) wanted(files policy.Files) func(id, name string) bool {
	if len(s.run) == 0 || len(s.surface) > 0 || len(s.configured.At) > 0 || files.Baseline != nil || files.SkipBudget != nil {
		return nil
	}
	return func(id, name string) bool {
		return slices.ContainsFunc(s.run, func(p string) bool { return matches(p, &suites.Test{ID: id, Name: name}) })
	}
}

// narrowedBy names the flags that make a run partial.
func (c selection) narrowedBy() []string {
	var flags []string
	for _, f := range []struct {
		name string
		used bool
	}{{"--run", len(c.run) > 0}, {"--skip", len(c.skip) > 0}, {"--surface", len(c.surface) > 0}, {"--level", len(c.levels) > 0}} {
		if f.used {
			flags = append(flags, f.name)
		}
	}
	return flags
}

// surfaces of a profile, in suite order.
func surfaces(profile *suites.Profile) []string {
	var names []string
	for _, s := range profile.Suites {
		if !slices.Contains(names, s.Surface) {
			names = append(names, s.Surface)
		}
	}
	return names
}
