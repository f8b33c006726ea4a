// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed assets
var assets embed.FS

//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"code": withCode}).ParseFS(templateFiles, "templates/*.html"))

// fill makes the body of a page by a template.
func (s *site) fill(p *page, name string, data any) error {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name+".html", map[string]any{"Up": p.up(), "Data": data}); err != nil {
		return fmt.Errorf("%s: %w", p.path, err)
	}
	p.body = template.HTML(b.String())
	return nil
}

// An entry is a line of the list of pages.
type entry struct {
	Title, URL string
	Here       bool
	Below      []entry
}

// A listed is a heading of the list of pages.
type listed struct {
	Title   string
	Entries []entry
}

// list is the list of pages as a page has it. The surfaces of a profile are shown on the pages of that profile.
func (s *site) list(on *page) []listed {
	to := func(p *page, title string) entry { return entry{Title: title, URL: on.up() + p.path, Here: p == on} }
	var all []listed
	for i, g := range s.groups {
		l := listed{Title: g.title}
		for _, file := range g.files {
			p := s.byFile[file]
			title := short[file]
			if title == "" {
				title = p.title
			}
			l.Entries = append(l.Entries, to(p, title))
		}
		all = append(all, l)
		if i == 0 {
			all = append(all, s.listRequirements(on, to))
		}
	}
	return all
}

func (s *site) listRequirements(on *page, to func(*page, string) entry) listed {
	l := listed{Title: "Requirements"}
	for _, p := range s.pages {
		switch {
		case p.profile == "":
		case p.path == "requirements/"+p.profile+"/index.html":
			l.Entries = append(l.Entries, to(p, p.profile))
		case p.profile == on.profile:
			last := &l.Entries[len(l.Entries)-1]
			last.Below = append(last.Below, to(p, p.shortTitle()))
		}
	}
	return l
}

// shortTitle is the name of a page of requirements among those of its profile.
func (p *page) shortTitle() string {
	name := filepath.Base(p.path)
	return name[:len(name)-len(".html")]
}

// contents are the headings that a page lists; none where it has few.
func (p *page) contents() []section {
	var all []section
	for _, at := range p.sections {
		if at.level == 2 {
			all = append(all, at)
		}
	}
	if len(all) < 3 || p.profile != "" {
		return nil
	}
	return all
}

// A shown is a page as its template takes it.
type shown struct {
	Title, Up, Version, Commit, Path, Program string
	List                                      []listed
	Contents                                  []entry
	Requirements                              bool // it is a page of requirements
	Body                                      template.HTML
}

// write writes the pages into the folder of the version below that of the site, in place of those that it had.
func (s *site) write(out string) error {
	folder := filepath.Join(out, s.version)
	if err := emptied(folder); err != nil {
		return err
	}
	// Without it the folder is none of a version: what is not finished is not listed.
	defer func() { _ = os.Remove(filepath.Join(folder, unfinished)) }()
	if err := put(folder, unfinished, nil); err != nil {
		return err
	}
	for _, p := range s.pages {
		v := shown{Title: p.title, Up: p.up(), Version: s.version, Commit: s.commit, Path: p.path, Program: program, Requirements: p.profile != "", List: s.list(p), Body: p.body}
		for _, at := range p.contents() {
			v.Contents = append(v.Contents, entry{Title: at.title, URL: "#" + at.id})
		}
		var b bytes.Buffer
		if err := templates.ExecuteTemplate(&b, "page.html", v); err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		if err := put(folder, p.path, b.Bytes()); err != nil {
			return err
		}
	}
	script, err := s.searchScript()
	if err != nil {
		return err
	}
	if err := put(folder, "assets/search-places.js", script); err != nil {
		return err
	}
	err = fs.WalkDir(assets, "assets", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := assets.ReadFile(name)
		if err != nil {
			return err
		}
		return put(folder, name, text)
	})
	if err != nil {
		return err
	}
	return writeMark(folder, madeVersion{Schema: versionForm, Version: s.version, Commit: s.commit, Pages: len(s.pages), Requirements: len(s.requirements)})
}

// put writes a file of the site; its name has slashes.
func put(folder, name string, text []byte) error {
	to := filepath.Join(folder, filepath.FromSlash(name))
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644))
}
