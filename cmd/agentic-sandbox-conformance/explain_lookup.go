// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/coverage"
	"github.com/roctinam/agentic-sandbox-conformance/suites/explain"
)

// A lookup finds what is called as someone wants it explained, and prints it.
type lookup struct {
	w        io.Writer
	profiles []*suites.Profile
	wanted   string
	known    []string // the names that there are, as far as they were looked through
}

// explain prints the requirement with that id or name, or else whatever else is called so.
func (l *lookup) explain() error {
	found := false
	for _, p := range l.profiles {
		for _, s := range p.Suites {
			for _, t := range s.Tests {
				l.known = append(l.known, t.ID, t.Name)
				if strings.EqualFold(t.ID, l.wanted) || t.Name == l.wanted {
					if err := explainTest(l.w, p, t); err != nil {
						return err
					}
					found = true
				}
			}
			for _, u := range s.Untested {
				l.known = append(l.known, u.ID)
				if strings.EqualFold(u.ID, l.wanted) {
					explain.Untested(l.w, p, u)
					found = true
				}
			}
		}
	}
	if found {
		return nil
	}
	for _, next := range []func() (bool, error){l.noTest, l.code, l.ruling} {
		explained, err := next()
		if err != nil {
			return bug(err)
		}
		if explained {
			return nil
		}
	}
	return usage("there is no test %q%s; list shows the ids", l.wanted, spelling.DidYouMean(l.wanted, l.known))
}

// noTest prints a requirement whose test is still to be written. It notes the names there are, as those below do.
func (l *lookup) noTest() (bool, error) {
	for _, p := range l.profiles {
		missing, err := coverage.MissingOf(p)
		if err != nil {
			return false, err
		}
		for i := range missing {
			row := &missing[i]
			if l.known = append(l.known, row.ID); !strings.EqualFold(row.ID, l.wanted) {
				continue
			}
			fmt.Fprintf(l.w, "%s  (%s, no test yet)\n\n  %s\n\n", row.ID, p.Name, explain.Plain(row.Summary)+".")
			explain.Field(l.w, "Level", row.Level)
			explain.Field(l.w, "Source", row.Source)
			explain.Field(l.w, "Applies", row.Judged())
			explain.Field(l.w, "Configure", strings.Join(row.Needs, ", "))
			return true, nil
		}
	}
	return false, nil
}

// code prints the reason of that code, with the tests of every profile that it can meet.
func (l *lookup) code() (bool, error) {
	var meets []*suites.Profile
	code := ""
	for _, p := range l.profiles {
		for _, one := range knownReasons(p) {
			if l.known = append(l.known, one); strings.EqualFold(one, l.wanted) {
				meets, code = append(meets, p), one
				break
			}
		}
	}
	if code == "" {
		return false, nil
	}
	explainReason(l.w, meets, code)
	return true, nil
}

// ruling prints the ruling of that id; where several contracts have one, each under the name of its profile.
func (l *lookup) ruling() (bool, error) {
	var found []catalog.Ruling
	var of []string
	for _, p := range l.profiles {
		all, err := catalog.Rulings(p.Name)
		if err != nil {
			return false, err
		}
		for _, r := range all {
			if l.known = append(l.known, r.ID); strings.EqualFold(r.ID, l.wanted) {
				found, of = append(found, r), append(of, p.Name)
			}
		}
	}
	for i, r := range found {
		if len(found) > 1 {
			fmt.Fprintf(l.w, "%s%s\n\n", strings.Repeat("\n", min(i, 1)), of[i])
		}
		explain.Ruling(l.w, r)
		fmt.Fprintln(l.w, "\nRequirements that it decides")
		explain.Paragraph(l.w, 1, cmp.Or(strings.Join(r.Requirements, ", "), "none by itself"))
	}
	return len(found) > 0, nil
}

func explainTest(w io.Writer, p *suites.Profile, t *suites.Test) error {
	rulings, err := catalog.Rulings(p.Name)
	if err != nil {
		return bug(err)
	}
	explain.Test(w, explainProgram, p, t, rulings)
	return nil
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
