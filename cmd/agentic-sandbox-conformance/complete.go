// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// completed says, by flag, what the shell can offer as its value.
var completed = map[string]func() []string{
	"profile":       suites.Profiles,
	"report-format": report.FormatNames,
	"format":        func() []string { return coverageFormats },
	"evidence":      func() []string { return []string{"failures", "all", "none"} },
	"level":         func() []string { return []string{"must", "should", "may"} },
	"fault":         executor.Faults,
	"surface":       func() []string { return ofDefaultProfile(surfaces) },
	"run":           func() []string { return ofDefaultProfile(ids) },
	"skip":          func() []string { return ofDefaultProfile(ids) },
}

// offerValues tells the shell about the values of the command's flags.
func offerValues(c *cobra.Command) {
	for name, values := range completed {
		if c.Flags().Lookup(name) == nil {
			continue
		}
		c.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return values(), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

func ofDefaultProfile(names func(*suites.Profile) []string) []string {
	profile, err := loadProfile(defaultProfile)
	if err != nil {
		return nil
	}
	return names(profile)
}

// ids of a profile's tests, in suite order.
func ids(profile *suites.Profile) []string {
	var all []string
	for _, t := range profile.Tests() {
		all = append(all, t.ID)
	}
	return all
}
