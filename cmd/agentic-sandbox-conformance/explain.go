// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/lookup"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
)

func (a *app) explainCommand() *cobra.Command {
	var name string
	var dirs []string
	c := &cobra.Command{
		Use:   "explain ID|REASON",
		Short: "Explain what a test asks, sends, accepts and rejects, and how to fix what it finds",
		Long: `Describe a test: what it requires, sends, accepts and rejects, why it may be skipped, and how to fix what it finds.

Instead of an ID it takes the code of a reason for which tests were skipped or blocked, and says what to configure, with
the lines of the configuration file (explain no-hook:restart); and a ruling, where the contract can be read in more than
one way (explain AMB-18). Rulings of different contracts can have the same name: --profile selects one.`,
		ValidArgsFunction: offerIDs(&name, needs.Reasons),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("explain needs the id or the name of one test (list shows them), the code of a reason, or a ruling")
			}
			return nil
		},
	}
	c.Flags().StringVar(&name, "profile", "", "`name` of the profile to look in (default: all)")
	c.Flags().StringArrayVar(&dirs, "suite-dir", nil, "`folder` with suites of your own, which use what the profile shares; repeatable")
	c.RunE = func(_ *cobra.Command, args []string) error {
		profiles, err := chosenProfiles(name)
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			if err := addOwn(profiles[0], dir); err != nil {
				return err
			}
		}
		return explained(a.stdout, profiles, args[0])
	}
	return c
}

// explained prints what has a name.
func explained(w io.Writer, profiles []*suites.Profile, wanted string) error {
	l := &lookup.Lookup{W: w, Profiles: profiles, Program: lookup.Program{Name: program, MaxWait: demoMaxWait, ConfigName: config.FileName}}
	found, meant, err := l.Explain(wanted)
	switch {
	case err != nil:
		return bug(err)
	case !found:
		return usage("there is no test %q%s; list shows the ids", wanted, meant)
	}
	return nil
}
