// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
)

func (a *app) lintCommand() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Check suite files or folders, and print everything that is wrong with them",
		Long: `Check suite files, or folders of them; - is a file on standard input. Mistakes go to standard error, and the exit code is 2.
Advice goes to standard output, and the exit code is 0.

Suites of your own are used together with the bundled ones: they may use their shared steps, and must not repeat their ids.
A folder with the name of a profile is a working copy of its suites, and is checked on its own: its ids are compared with the
catalog of the profile, and its broken_by with the faults of the reference server.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("lint needs the suite files, or folders of them, to check")
			}
			return nil
		},
	}
	c.Flags().StringVar(&name, "profile", defaultProfile, "`name` of the profile whose shared steps the suites may use")
	c.RunE = func(_ *cobra.Command, paths []string) error {
		if err := knownProfile(name); err != nil {
			return err
		}
		draft := suites.Draft{Paths: slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == "-" }), Bundled: suites.Embedded(), Profile: name}
		switch n := len(paths) - len(draft.Paths); {
		case n > 1:
			return usage("standard input is one file, but - is given %d times", n)
		case n == 1:
			draft.Input = a.stdin
		}
		own, err := draft.Load()
		var problems suites.Errors
		switch {
		case errors.As(err, &problems):
			fmt.Fprintln(a.stderr, console.Lines(problems)) // one line each, as compilers print them
			return &exit{code: exitUsage}
		case err != nil:
			return usage("%w", err)
		}
		bundled, err := adviceOnBundled(own)
		if err != nil {
			return bug(err)
		}
		for _, advice := range slices.Concat(suites.Lint(own), bundled) {
			early, err := tooEarly(advice, own)
			if err != nil {
				return bug(err)
			}
			if !early {
				fmt.Fprintln(a.stdout, console.Escaped(advice.Error()))
			}
		}
		return nil
	}
	return c
}

// tooEarly says whether advice is about shared steps of a profile's own folder that nothing uses: as long as some of its
// tests are still to be written, those can.
func tooEarly(advice suites.Problem, own *suites.Profile) (bool, error) {
	if !strings.HasPrefix(advice.What, "nothing uses the shared steps ") {
		return false, nil
	}
	folder, err := filepath.Abs(filepath.Dir(advice.At.File))
	if err != nil {
		return false, nil
	}
	required, err := catalog.Of(filepath.Base(folder))
	return slices.ContainsFunc(required, func(r catalog.Requirement) bool { return !own.Knows(r.ID) && !reservedFor(r) }), err
}

// reservedFor says whether a requirement is not judged before a later version of the contract, and so needs no test.
func reservedFor(r catalog.Requirement) bool {
	return slices.ContainsFunc(r.Conditions(), func(condition string) bool { return strings.HasPrefix(condition, "reserved:") })
}
