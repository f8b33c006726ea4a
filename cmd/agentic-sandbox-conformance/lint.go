// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

func (a *app) lintCommand() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Check suite files or folders, and print everything that is wrong with them",
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
		_, err = suites.LoadFiles(paths, profile)
		var problems suites.Errors
		switch {
		case errors.As(err, &problems):
			fmt.Fprintln(a.stderr, problems) // one line each, as compilers print them
			return &exit{code: exitUsage}
		case err != nil:
			return usage("%w", err)
		}
		return nil
	}
	return c
}
