// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/lookup"
	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/coverage"
	"github.com/roctinam/agentic-sandbox-conformance/suites/explain"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/sources"
)

const program = "agentic-sandbox-conformance"

// A requirement is one of a contract, with what its page says of it. All of it is what the program says: coverage and explain.
type requirement struct {
	coverage.Requirement
	Profile   string
	Explained string // what `explain` says of it
	page      string // of its surface, from the folder of the version
}

// A ruling says how a sentence of a contract is read.
type ruling struct {
	catalog.Ruling
	Decides []*requirement
}

// A contract is a bundled profile, with what the program says of it.
type contract struct {
	*suites.Profile
	*coverage.Coverage
	rulings   []catalog.Ruling
	explained map[string]string // what `explain` says, by id
}

// contracts are those of all bundled profiles, the default one first.
var contracts = sync.OnceValues(func() ([]*contract, error) {
	var all []*contract
	for _, name := range suites.Profiles() {
		profile, err := suites.LoadProfile(suites.Embedded(), name)
		if err != nil {
			return nil, err
		}
		c := &contract{Profile: profile, explained: map[string]string{}}
		if c.Coverage, err = coverage.Of(profile); err != nil {
			return nil, err
		}
		if c.rulings, err = catalog.Rulings(name); err != nil {
			return nil, err
		}
		for _, row := range c.Requirements {
			if c.explained[row.ID], err = explained(profile, row.ID); err != nil {
				return nil, err
			}
		}
		if name == profiles.Default {
			all = slices.Insert(all, 0, c)
		} else {
			all = append(all, c)
		}
	}
	return all, nil
})

// readRequirements notes those of every bundled profile.
func (s *site) readRequirements() error {
	all, err := contracts()
	if err != nil {
		return err
	}
	for _, c := range all {
		for _, row := range c.Requirements {
			if other := s.requirements[row.ID]; other != nil {
				return fmt.Errorf("%s is a requirement of %s and of %s: an anchor is that of one", row.ID, other.Profile, c.Name)
			}
			at, _, _ := strings.Cut(docs.RequirementOnSite(c.Name, row.Surface, row.ID), "#")
			s.requirements[row.ID] = &requirement{row, c.Name, c.explained[row.ID], at}
		}
	}
	return nil
}

// requirementPages adds, for every profile, a page with all of its requirements, one for each surface, and one with the rulings.
func (s *site) requirementPages() error {
	all, err := contracts()
	if err != nil {
		return err
	}
	for _, c := range all {
		o := &overview{Profile: c.Name, Contract: c.Row.Contract, Total: c.Total, Rulings: len(c.rulings) > 0}
		for _, n := range c.Coverage.Surfaces {
			sf := &surface{Counts: n, Profile: c.Name}
			for i := range c.Requirements {
				if r := s.requirements[c.Requirements[i].ID]; r.Surface == n.Surface {
					sf.All = append(sf.All, r)
				}
			}
			o.Surfaces = append(o.Surfaces, sf)
		}
		if err := s.overviewPage(o); err != nil {
			return err
		}
		for _, sf := range o.Surfaces {
			if err := s.surfacePage(sf); err != nil {
				return err
			}
		}
		if err := s.rulingsPage(c.Name, c.rulings); err != nil {
			return err
		}
	}
	return nil
}

// An overview is the page of a profile.
type overview struct {
	Profile, Contract string
	Total             coverage.Counts
	Surfaces          []*surface
	Rulings           bool
}

// A surface is the page of a part of a contract.
type surface struct {
	coverage.Counts
	Profile string
	All     []*requirement
}

func (s *site) overviewPage(o *overview) error {
	p := s.newRequirementsPage("requirements/"+o.Profile+"/index.html", "Requirements of "+o.Profile, o.Profile)
	for _, sf := range o.Surfaces {
		p.ids[sf.Surface] = true
		p.sections = append(p.sections, section{id: sf.Surface, title: sf.Surface, level: 2})
		p.links = append(p.links, link{path: "requirements/" + o.Profile + "/" + sf.Surface + ".html", from: p.path})
	}
	return s.fill(p, "overview", o)
}

func (s *site) surfacePage(sf *surface) error {
	p := s.newRequirementsPage("requirements/"+sf.Profile+"/"+sf.Surface+".html", sf.Surface+" of "+sf.Profile, sf.Profile)
	for _, r := range sf.All {
		if r.page != p.path {
			return fmt.Errorf("%s is on %s, and reports link to %s", r.ID, p.path, r.page)
		}
		p.ids[r.ID] = true
		p.sections = append(p.sections, section{id: r.ID, title: strings.TrimSpace(r.ID + " " + r.Test), level: 2, text: r.found()})
	}
	p.links = append(p.links, link{path: "operators.html", from: p.path})
	return s.fill(p, "surface", sf)
}

func (s *site) rulingsPage(profile string, all []catalog.Ruling) error {
	if len(all) == 0 {
		return nil
	}
	p := s.newRequirementsPage("requirements/"+profile+"/rulings.html", "Rulings on "+profile, profile)
	var rulings []ruling
	for _, r := range all {
		one := ruling{Ruling: r}
		for _, id := range r.Requirements {
			if decided := s.requirements[id]; decided != nil {
				one.Decides = append(one.Decides, decided)
				p.links = append(p.links, link{decided.page, id, p.path})
			}
		}
		p.ids[r.ID] = true
		p.sections = append(p.sections, section{id: r.ID, title: r.ID + " " + r.Title, level: 2, text: r.Ruling})
		rulings = append(rulings, one)
	}
	return s.fill(p, "rulings", struct {
		Profile string
		All     []ruling
	}{profile, rulings})
}

func (s *site) newRequirementsPage(path, title, profile string) *page {
	p := &page{path: path, title: title, profile: profile, ids: map[string]bool{}, sections: []section{{title: title, level: 1}}}
	s.pages = append(s.pages, p)
	return p
}

// explained is what `explain` says of a requirement.
func explained(profile *suites.Profile, id string) (string, error) {
	var b bytes.Buffer
	l := &lookup.Lookup{W: &b, Profiles: []*suites.Profile{profile}, Program: lookup.Program{Name: program, MaxWait: lookup.DemoMaxWait, ConfigName: program + ".yaml"}}
	found, _, err := l.Explain(id)
	if err == nil && !found {
		err = fmt.Errorf("explain does not know %s", id)
	}
	return strings.TrimSpace(b.String()), err
}

// Parts are the pieces of the source, with where they can be read.
func (r *requirement) Parts() []sources.Part { return sources.Parts(r.Source) }

// Becomes is what a violation of the requirement leads to, where its level does not say it.
func (r *requirement) Becomes() string {
	return map[string]string{"warn": "a violation is only a warning", "info": "a violation is only a note"}[r.Verdict]
}

// When says when the requirement is judged.
func (r *requirement) When() (template.HTML, error) { return inline(r.Judged()) }

// Sentence is the requirement as its catalog says it; what stands in backticks is code.
func (r *requirement) Sentence() template.HTML { return withCode(r.Summary) }

// Why is why there is no test.
func (r *requirement) Why() template.HTML { return withCode(r.Reason) }

// found is the text by which the requirement is found.
func (r *requirement) found() string {
	words := []string{explain.Plain(r.Summary), r.Level, r.Source}
	for _, f := range r.Faults {
		words = append(words, f.Name)
	}
	return strings.Join(words, " ")
}

// withCode is a text as HTML. What stands in backticks is code.
func withCode(text string) template.HTML {
	parts := strings.Split(text, "`")
	var b strings.Builder
	for i, part := range parts {
		escaped := template.HTMLEscapeString(part)
		switch {
		case i%2 == 0:
			b.WriteString(escaped)
		case i == len(parts)-1: // never closed
			b.WriteString("`" + escaped)
		default:
			b.WriteString("<code>" + escaped + "</code>")
		}
	}
	return template.HTML(b.String())
}

// Link is the address of the requirement from the folder of the version.
func (r *requirement) Link() string { return r.page + "#" + r.ID }
