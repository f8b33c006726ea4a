// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

func (a *app) lintCommand() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Check suite files or folders, and print everything that is wrong with them",
		Long: `Check suite files, or folders of them. What is wrong goes to standard error, and the exit code is 2; advice on what
could be better goes to standard output, and the exit code is 0.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("lint needs the suite files, or folders of them, to check")
			}
			return nil
		},
	}
	c.Flags().StringVar(&name, "profile", defaultProfile, "`name` of the profile whose shared steps the suites may use")
	c.RunE = func(_ *cobra.Command, paths []string) error {
		profile, err := loadProfile(name)
		if err != nil {
			return err
		}
		own, err := suites.LoadFiles(paths, profile)
		var problems suites.Errors
		switch {
		case errors.As(err, &problems):
			fmt.Fprintln(a.stderr, saidOf(problems)) // one line each, as compilers print them
			return &exit{code: exitUsage}
		case err != nil:
			return usage("%w", err)
		}
		missing, err := missingOf(profile)
		if err != nil {
			return bug(err)
		}
		for _, advice := range suites.Lint(own) {
			if len(missing) == 0 || !tooEarly(advice, profile) {
				fmt.Fprintln(a.stdout, escaped(advice.Error()))
			}
		}
		return nil
	}
	return c
}

// tooEarly says whether advice is about shared steps of the profile's own folder that nothing uses: as long as some of its
// tests are still to be written, those can.
func tooEarly(advice suites.Problem, profile *suites.Profile) bool {
	return filepath.Base(filepath.Dir(advice.At.File)) == profile.Name && strings.HasPrefix(advice.What, "nothing uses the shared steps ")
}
