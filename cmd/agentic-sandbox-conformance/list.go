// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
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
	var surfaces []string
	c := &cobra.Command{
		Use:   "list [PATTERN...]",
		Short: "List the requirements, of all profiles or of one",
		Long: `List the requirements, of all profiles or of one. A pattern is an id, a name or a glob of either, as --run takes it:

  ` + program + ` list 'CARD-00*' '*cancel*'`,
		ValidArgsFunction: offerIDs(&name, func(*suites.Profile) []string { return nil }),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as one JSON array")
	c.Flags().StringVar(&name, "profile", "", "only the requirements of the profile of this `name`")
	c.Flags().StringSliceVar(&surfaces, "surface", nil, "only the requirements of these `surfaces`")
	c.RunE = func(_ *cobra.Command, patterns []string) error {
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
		if all, err = chosen(all, patterns, surfaces); err != nil {
			return err
		}
		if asJSON {
			return a.printJSON(all)
		}
		printList(a.stdout, all)
		return nil
	}
	return c
}

// chosen are the requirements that a pattern matches, on the surfaces that are named. Each pattern and surface has to fit some.
func chosen(all []listed, patterns, surfaces []string) ([]listed, error) {
	fits := func(l listed, pattern string) bool { return matches(pattern, &suites.Test{ID: l.ID, Name: l.Name}) }
	var words, places []string
	for _, l := range all {
		words, places = append(words, l.ID, l.Name), append(places, l.Surface)
	}
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, usage("%s: the pattern is malformed: %v", unknownWord(pattern), err)
		}
		if !slices.ContainsFunc(all, func(l listed) bool { return fits(l, pattern) }) {
			return nil, usage("%s matches no requirement%s; list without a pattern shows them all, and a pattern is like 'PTY-*'", unknownWord(pattern), spelling.DidYouMean(pattern, words))
		}
	}
	for _, surface := range surfaces {
		if !slices.Contains(places, surface) {
			slices.Sort(places)
			return nil, usage("--surface: there is no surface %s%s; there is %s", unknownWord(surface), spelling.DidYouMean(surface, places), strings.Join(slices.Compact(places), ", "))
		}
	}
	return slices.DeleteFunc(all, func(l listed) bool {
		return len(surfaces) > 0 && !slices.Contains(surfaces, l.Surface) ||
			len(patterns) > 0 && !slices.ContainsFunc(patterns, func(pattern string) bool { return fits(l, pattern) })
	}), nil
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
func printList(out io.Writer, all []listed) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
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
