// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/coverage"
)

// A listed is one requirement as `list --json` prints it. The members are public API.
type listed struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Profile     string   `json:"profile"`
	Surface     string   `json:"surface"`
	Level       string   `json:"level"`
	Requirement string   `json:"requirement"`
	Source      string   `json:"source"`
	Suite       string   `json:"suite"` // file:line
	Faults      []string `json:"faults"`
	Untested    string   `json:"untested,omitempty"` // why no client can observe it, or noTestYet
}

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	var name string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the requirements, of all profiles or of one",
		Args:  noArguments,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as one JSON array")
	c.Flags().StringVar(&name, "profile", "", "only the requirements of the profile of this `name`")
	c.RunE = func(*cobra.Command, []string) error {
		profiles, err := chosenProfiles(name)
		if err != nil {
			return err
		}
		all := []listed{}
		for _, p := range profiles {
			rows, err := withoutTest(p, requirements(p))
			if err != nil {
				return bug(err)
			}
			all = append(all, rows...)
		}
		if asJSON {
			return a.printJSON(all)
		}
		a.printList(all)
		return nil
	}
	return c
}

// chosenProfiles is the profile of that name, or every one, the default first.
func chosenProfiles(name string) ([]*suites.Profile, error) {
	names := []string{name}
	if name == "" {
		names = union([]string{defaultProfile}, suites.Profiles()...)
	}
	var profiles []*suites.Profile
	for _, name := range names {
		p, err := loadProfile(name)
		if err != nil {
			return nil, err
		}
		profiles = append(profiles, p)
	}
	return profiles, nil
}

// requirements are all that a profile holds, in suite order, those that cannot be tested after the tests of their file.
func requirements(p *suites.Profile) []listed {
	var all []listed
	for _, s := range p.Suites {
		for _, t := range s.Tests {
			l := listed{ID: t.ID, Name: t.Name, Profile: p.Name, Surface: s.Surface, Level: string(t.Level), Requirement: t.Says,
				Source: t.Source, Suite: fmt.Sprintf("%s:%d", t.At.File, t.At.Line), Faults: []string{}}
			for _, b := range t.BrokenBy {
				if !slices.Contains(l.Faults, b.Fault) {
					l.Faults = append(l.Faults, b.Fault)
				}
			}
			all = append(all, l)
		}
		for _, u := range s.Untested {
			all = append(all, listed{ID: u.ID, Profile: p.Name, Surface: s.Surface, Level: string(u.Level), Requirement: u.Says,
				Source: u.Source, Suite: fmt.Sprintf("%s:%d", u.At.File, u.At.Line), Faults: []string{}, Untested: u.Because})
		}
	}
	return all
}

// noTestYet stands where others say why a requirement cannot be tested.
const noTestYet = "no test yet"

// withoutTest adds what the contract of the profile asks for and nobody has written the test of, each behind what else
// there is on its surface.
func withoutTest(p *suites.Profile, all []listed) ([]listed, error) {
	missing, err := coverage.MissingOf(p)
	if err != nil {
		return nil, err
	}
	for _, r := range missing {
		behind := len(all)
		for i, l := range all {
			if l.Surface == r.Surface {
				behind = i + 1
			}
		}
		all = slices.Insert(all, behind, listed{ID: r.ID, Profile: p.Name, Surface: r.Surface, Level: r.Level, Requirement: r.Summary,
			Source: r.Source, Faults: []string{}, Untested: noTestYet})
	}
	return all, nil
}

// printList prints one table for each profile and surface.
func (a *app) printList(all []listed) {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	profile, surface := "", ""
	for _, l := range all {
		if l.Profile != profile || l.Surface != surface {
			if profile != "" {
				fmt.Fprintln(w)
			}
			profile, surface = l.Profile, l.Surface
			fmt.Fprintf(w, "%s, %s\n", profile, surface)
		}
		name := l.Name
		if l.Untested != "" {
			name = "(untested: " + l.Untested + ")"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", l.ID, l.Level, name)
	}
	w.Flush()
}
