// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/coverage"
	"github.com/roctinam/agentic-sandbox-conformance/suites/explain"
)

func (a *app) explainCommand() *cobra.Command {
	var name string
	var dirs []string
	c := &cobra.Command{
		Use:   "explain ID|REASON",
		Short: "Explain what a test asks, sends, accepts and rejects, and how to fix what it finds",
		Long: `Say what a test asks, sends, accepts and rejects, why it may be skipped, and how to fix what it finds.

In the place of an ID it takes the code of a reason for which tests were skipped or blocked, and says what to configure, with
the lines of the configuration file (explain no-hook:restart); and a ruling, where the contract can be read in more than
one way (explain AMB-18). Rulings of different contracts can be called alike: --profile says which one is meant.`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			profiles, err := chosenProfiles(name)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var all []string
			for _, p := range profiles {
				all = append(all, ids(p)...)
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
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
		return a.explain(args[0], profiles)
	}
	return c
}

// explain prints the requirement with that id or name.
func (a *app) explain(wanted string, profiles []*suites.Profile) error {
	var known []string
	found := false
	for _, p := range profiles {
		for _, s := range p.Suites {
			for _, t := range s.Tests {
				known = append(known, t.ID, t.Name)
				if strings.EqualFold(t.ID, wanted) || t.Name == wanted {
					if err := explainTest(a.stdout, p, t); err != nil {
						return err
					}
					found = true
				}
			}
			for _, u := range s.Untested {
				known = append(known, u.ID)
				if strings.EqualFold(u.ID, wanted) {
					explain.Untested(a.stdout, p, u)
					found = true
				}
			}
		}
	}
	if found {
		return nil
	}
	for _, next := range []func([]*suites.Profile, string, *[]string) (bool, error){a.explainNoTest, a.explainCode, a.explainRulingOf} {
		explained, err := next(profiles, wanted, &known)
		if err != nil {
			return bug(err)
		}
		if explained {
			return nil
		}
	}
	return usage("there is no test %q%s; list shows the ids", wanted, didYouMean(wanted, known))
}

// explainNoTest prints a requirement whose test is still to be written. It notes the names there are, as those below do.
func (a *app) explainNoTest(profiles []*suites.Profile, wanted string, known *[]string) (bool, error) {
	for _, p := range profiles {
		missing, err := coverage.MissingOf(p)
		if err != nil {
			return false, err
		}
		for i := range missing {
			row := &missing[i]
			if *known = append(*known, row.ID); !strings.EqualFold(row.ID, wanted) {
				continue
			}
			fmt.Fprintf(a.stdout, "%s  (%s, no test yet)\n\n  %s\n\n", row.ID, p.Name, explain.Plain(row.Summary)+".")
			explain.Field(a.stdout, "Level", row.Level)
			explain.Field(a.stdout, "Source", row.Source)
			explain.Field(a.stdout, "Applies", row.Judged())
			explain.Field(a.stdout, "Configure", strings.Join(row.Needs, ", "))
			return true, nil
		}
	}
	return false, nil
}

// explainCode prints the reason of that code, with the tests of every profile that it can meet.
func (a *app) explainCode(profiles []*suites.Profile, wanted string, known *[]string) (bool, error) {
	var meets []*suites.Profile
	code := ""
	for _, p := range profiles {
		for _, one := range knownReasons(p) {
			if *known = append(*known, one); strings.EqualFold(one, wanted) {
				meets, code = append(meets, p), one
				break
			}
		}
	}
	if code == "" {
		return false, nil
	}
	explainReason(a.stdout, meets, code)
	return true, nil
}

// explainRulingOf prints the ruling of that id; where several contracts have one, each under the name of its profile.
func (a *app) explainRulingOf(profiles []*suites.Profile, wanted string, known *[]string) (bool, error) {
	var found []catalog.Ruling
	var of []string
	for _, p := range profiles {
		all, err := catalog.Rulings(p.Name)
		if err != nil {
			return false, err
		}
		for _, r := range all {
			if *known = append(*known, r.ID); strings.EqualFold(r.ID, wanted) {
				found, of = append(found, r), append(of, p.Name)
			}
		}
	}
	for i, r := range found {
		if len(found) > 1 {
			fmt.Fprintf(a.stdout, "%s%s\n\n", strings.Repeat("\n", min(i, 1)), of[i])
		}
		explain.Ruling(a.stdout, r)
		fmt.Fprintln(a.stdout, "\nRequirements that it decides")
		explain.Paragraph(a.stdout, 1, cmp.Or(strings.Join(r.Requirements, ", "), "none by itself"))
	}
	return len(found) > 0, nil
}

// explainProgram is how a reader sees a test fail.
var explainProgram = explain.Program{MaxWait: demoMaxWait, Means: meaningOfSkip, Demo: func(profile string) string {
	if profile == defaultProfile {
		return program + " demo"
	}
	return program + " demo --profile " + profile
}}

// meaningOfSkip is what the page on reports says of the code of a skip. Of what is not configured the code says it already.
func meaningOfSkip(code string) string {
	if strings.HasPrefix(code, "no-") && strings.Contains(code, ":") {
		return ""
	}
	return docs.ReasonMeans(code)
}

func explainTest(w io.Writer, p *suites.Profile, t *suites.Test) error {
	rulings, err := catalog.Rulings(p.Name)
	if err != nil {
		return bug(err)
	}
	explain.Test(w, explainProgram, p, t, rulings)
	return nil
}
