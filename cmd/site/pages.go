// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A site is the pages of one version.
type site struct {
	version, commit string

	tree         fs.FS
	groups       []group
	pages        []*page
	byFile       map[string]*page        // the pages that show a file or a folder of the repository
	requirements map[string]*requirement // by id
	places       []place                 // what can be found
	wanted       []string                // files that pages link to, and that have no page yet
	problems     []error                 // links that lead nowhere
}

// A page is a file of the site.
type page struct {
	path     string // from the folder of the version: "requirements/a2a-1.0/a2a-card.html"
	title    string
	file     string // of the repository that it shows; "": none
	profile  string // whose requirements it shows; "": none
	body     template.HTML
	sections []section
	links    []link
	ids      map[string]bool // its anchors
}

// A section is a heading of a page, with the text below it.
type section struct {
	id, title, text string
	level           int
}

// A link is one inside the site.
type link struct{ path, anchor, from string }

// build makes the pages of a version from a tree of the repository.
func build(tree fs.FS, version, commit string) (*site, error) {
	s := &site{version: version, commit: commit, tree: tree, byFile: map[string]*page{}, requirements: map[string]*requirement{}}
	var err error
	if s.groups, err = outlineOf(tree); err != nil {
		return nil, err
	}
	if err := s.readRequirements(); err != nil {
		return nil, err
	}
	for _, g := range s.groups {
		for _, file := range g.files {
			if err := s.show(file); err != nil {
				return nil, err
			}
		}
	}
	if len(s.pages) == 0 || s.byFile["README.md"] == nil {
		return nil, errors.New("there is no README.md: -tree is not the folder of the repository")
	}
	if err := s.requirementPages(); err != nil {
		return nil, err
	}
	for len(s.wanted) > 0 {
		file := s.wanted[0]
		s.wanted = s.wanted[1:]
		if s.byFile[file] == nil {
			if err := s.show(file); err != nil {
				return nil, err
			}
		}
	}
	s.checkLinks()
	if len(s.problems) > 0 {
		return nil, errors.Join(s.problems...)
	}
	s.index()
	return s, nil
}

// show adds the page of a file or a folder of the repository.
func (s *site) show(file string) error {
	p := &page{path: pageOf(file), file: file, ids: map[string]bool{}}
	s.pages = append(s.pages, p)
	s.byFile[file] = p
	info, err := fs.Stat(s.tree, file)
	switch {
	case err != nil:
		return err
	case file == recipesFolder:
		return s.showRecipes(p)
	case info.IsDir():
		return s.showFolder(p)
	case path.Ext(file) != ".md":
		return s.showText(p)
	}
	text, err := fs.ReadFile(s.tree, file)
	if err != nil {
		return err
	}
	return s.showMarkdown(p, text)
}

// showMarkdown makes a page of a Markdown text.
func (s *site) showMarkdown(p *page, text []byte) error {
	document := parsed(text)
	p.sections = sectionsOf(document, text, p.ids)
	if len(p.sections) == 0 || p.sections[0].level != 1 {
		return fmt.Errorf("%s: its first heading is no title: # Title", p.file)
	}
	p.title = p.sections[0].title
	s.relink(p, document, text)
	body, err := rendered(document, text)
	p.body = body
	return err
}

// target is where a link of a file leads: into the site, or out of it. A link that leads nowhere is a problem of the build.
func (s *site) target(p *page, destination string, line int) string {
	if strings.Contains(destination, "://") || strings.HasPrefix(destination, "mailto:") {
		return destination
	}
	name, anchor, _ := strings.Cut(destination, "#")
	file := p.file
	if name != "" {
		file = path.Join(path.Dir(p.file), name)
	}
	from := fmt.Sprintf("%s:%d", p.file, line)
	if _, err := fs.Stat(s.tree, file); err != nil {
		s.problems = append(s.problems, fmt.Errorf("%s: the link %s leads to %s, which is not there", from, destination, file))
		return destination
	}
	to := pageOf(file)
	if profile := profileOfPage(file); profile != "" {
		to = "requirements/" + profile + "/index.html"
		if r := s.requirements[anchor]; r != nil {
			to, anchor = r.page, r.ID
		}
	} else if s.byFile[file] == nil && !s.inOutline(file) {
		s.wanted = append(s.wanted, file)
	}
	p.links = append(p.links, link{to, anchor, from})
	if anchor != "" {
		anchor = "#" + anchor
	}
	if to == p.path && anchor != "" {
		return anchor
	}
	return p.up() + to + anchor
}

// inOutline says whether a file has a page of its own, made already or not.
func (s *site) inOutline(file string) bool {
	return strings.HasPrefix(file, recipesFolder+"/") || slices.ContainsFunc(s.groups, func(g group) bool { return slices.Contains(g.files, file) })
}

// up leads from the page to the folder of the version.
func (p *page) up() string { return strings.Repeat("../", strings.Count(p.path, "/")) }

// checkLinks notes every link inside the site to a page or an anchor that is not there.
func (s *site) checkLinks() {
	by := map[string]*page{}
	for _, p := range s.pages {
		if by[p.path] != nil {
			s.problems = append(s.problems, fmt.Errorf("two pages are called %s", p.path))
		}
		by[p.path] = p
	}
	for _, p := range s.pages {
		for _, l := range p.links {
			switch to := by[l.path]; {
			case to == nil:
				s.problems = append(s.problems, fmt.Errorf("%s: there is no page %s", l.from, l.path))
			case l.anchor != "" && !to.ids[l.anchor]:
				s.problems = append(s.problems, fmt.Errorf("%s: there is no #%s on %s", l.from, l.anchor, l.path))
			}
		}
	}
}

// profileOfPage is the profile whose requirements a page of docs/ lists; "" for every other file.
func profileOfPage(file string) string {
	for _, name := range suites.Profiles() {
		if file == "docs/"+docs.RequirementsFile(name) {
			return name
		}
	}
	return ""
}

// lineOf is the line that a node stands on, as far as it is known.
func lineOf(node ast.Node, text []byte) int {
	for n := node; n != nil; n = n.Parent() {
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			return 1 + strings.Count(string(text[:n.Lines().At(0).Start]), "\n")
		}
	}
	return 1
}
