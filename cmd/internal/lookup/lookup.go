// SPDX-License-Identifier: Apache-2.0

// Package lookup finds what is called as somebody wants it explained (a test, a requirement without one, the code of a reason, a ruling)
// and prints it.
package lookup

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/coverage"
	"github.com/roctinam/agentic-sandbox-conformance/suites/explain"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// DemoMaxWait is how long a test may wait by its nature in a demo: long enough for nearly all of them, and short enough
// for somebody who wants to see whether the program works.
const DemoMaxWait = 5 * time.Second

// A Lookup looks through profiles.
type Lookup struct {
	W        io.Writer
	Profiles []*suites.Profile
	Program  Program

	wanted string
	known  []string // the names that there are, as far as they were looked through
}

// A Program is that which prints, as its users know it.
type Program struct {
	Name       string        // that it is called by
	MaxWait    time.Duration // tests that wait longer are skipped by its demo
	ConfigName string        // of its configuration file
}

// Explain prints the requirement with that id or name, or else whatever else is called so. It says whether there is something, and else
// what may have been meant, as [spelling.DidYouMean] does. The error is a bug.
func (l *Lookup) Explain(wanted string) (found bool, meant string, err error) {
	l.wanted = wanted
	for _, look := range []func() (bool, error){l.requirement, l.noTest, l.code, l.ruling} {
		if found, err := look(); found || err != nil {
			return found, "", err
		}
	}
	return false, spelling.DidYouMean(wanted, l.known), nil
}

// requirement prints the test with that id or name, and the requirement without one whose id it is, of every profile.
func (l *Lookup) requirement() (found bool, err error) {
	for _, p := range l.Profiles {
		for _, s := range p.Suites {
			for _, t := range s.Tests {
				l.known = append(l.known, t.ID, t.Name)
				if strings.EqualFold(t.ID, l.wanted) || t.Name == l.wanted {
					rulings, err := catalog.Rulings(p.Name)
					if err != nil {
						return false, err
					}
					explain.Test(l.W, l.explains(), p, t, rulings)
					found = true
				}
			}
			for _, u := range s.Untested {
				l.known = append(l.known, u.ID)
				if strings.EqualFold(u.ID, l.wanted) {
					explain.Untested(l.W, p, u)
					found = true
				}
			}
		}
	}
	return found, nil
}

// noTest prints a requirement whose test is still to be written. It notes the names there are, as those below do.
func (l *Lookup) noTest() (bool, error) {
	for _, p := range l.Profiles {
		missing, err := coverage.MissingOf(p)
		if err != nil {
			return false, err
		}
		for i := range missing {
			row := &missing[i]
			if l.known = append(l.known, row.ID); !strings.EqualFold(row.ID, l.wanted) {
				continue
			}
			fmt.Fprintf(l.W, "%s  (%s, no test yet)\n\n  %s\n\n", row.ID, p.Name, explain.Plain(row.Summary)+".")
			explain.Field(l.W, "Level", row.Level)
			explain.Field(l.W, "Source", row.Source)
			explain.Field(l.W, "Applies", row.Judged())
			explain.Field(l.W, "Configure", strings.Join(row.Needs, ", "))
			return true, nil
		}
	}
	return false, nil
}

// code prints the reason of that code, with the tests of every profile that it can meet.
func (l *Lookup) code() (bool, error) {
	var meets []*suites.Profile
	code := ""
	for _, p := range l.Profiles {
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
	l.reason(meets, code)
	return true, nil
}

// ruling prints the ruling of that id; where several contracts have one, each under the name of its profile.
func (l *Lookup) ruling() (bool, error) {
	var found []catalog.Ruling
	var of []string
	for _, p := range l.Profiles {
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
			fmt.Fprintf(l.W, "%s%s\n\n", strings.Repeat("\n", min(i, 1)), of[i])
		}
		explain.Ruling(l.W, r)
		fmt.Fprintln(l.W, "\nRequirements that it decides")
		explain.Paragraph(l.W, 1, cmp.Or(strings.Join(r.Requirements, ", "), "none by itself"))
	}
	return len(found) > 0, nil
}

// explains is how a reader sees a test fail.
func (l *Lookup) explains() explain.Program {
	return explain.Program{MaxWait: l.Program.MaxWait, Means: meaningOfSkip, Demo: func(profile string) string {
		if profile == profiles.Default {
			return l.Program.Name + " demo"
		}
		return l.Program.Name + " demo --profile " + profile
	}}
}

// meaningOfSkip is what the page on reports says of the code of a skip. Of what is not configured the code says it already.
func meaningOfSkip(code string) string {
	if strings.HasPrefix(code, "no-") && strings.Contains(code, ":") {
		return ""
	}
	return docs.ReasonMeans(code)
}
