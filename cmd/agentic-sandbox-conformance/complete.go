// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// completed says, by flag, what the shell can offer as its value, given the profile of the command line so far.
var completed = map[string]func(profile string) []string{
	"profile":       func(string) []string { return suites.Profiles() },
	"report-format": func(string) []string { return formats.FormatNames() },
	"format":        func(string) []string { return coverageFormats },
	"evidence":      func(string) []string { return []string{"failures", "all", "none"} },
	"level":         func(string) []string { return []string{"must", "should", "may"} },
	"fault":         selftest.Faults,
	"liberty":       selftest.Liberties,
	"surface":       func(profile string) []string { return ofProfile(profile, surfaces) },
	"run":           func(profile string) []string { return ofProfile(profile, ids) },
	"skip":          func(profile string) []string { return ofProfile(profile, ids) },
}

// offerValues tells the shell about the values of the command's flags.
func offerValues(c *cobra.Command) {
	for name, values := range completed {
		if c.Flags().Lookup(name) == nil {
			continue
		}
		c.RegisterFlagCompletionFunc(name, func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			profile := defaultProfile
			if given := c.Flags().Lookup("profile"); given != nil {
				profile = cmp.Or(given.Value.String(), profile)
			}
			before := begun[:strings.LastIndexByte(begun, ',')+1] // of a list, which goes on
			var all []string
			for _, value := range values(profile) {
				all = append(all, before+value)
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		})
	}
}

func ofProfile(name string, names func(*suites.Profile) []string) []string {
	profile, err := loadProfile(name)
	if err != nil {
		return nil
	}
	return names(profile)
}

// offerIDs offers the ids of all tests, or of those of the profile that --profile has named by now, and what else there is of it.
func offerIDs(name *string, more func(*suites.Profile) []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		profiles, err := chosenProfiles(*name)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var all []string
		for _, p := range profiles {
			all = append(append(all, ids(p)...), more(p)...)
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

// ids of a profile's tests, in suite order.
func ids(profile *suites.Profile) []string {
	var all []string
	for _, t := range profile.Tests() {
		all = append(all, t.ID)
	}
	return all
}
