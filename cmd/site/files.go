// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// maxText is the longest file that has a page: what a page of the documentation links to is there to be read.
const maxText = 1 << 20

// showText makes the page of a file that is no Markdown: what is in it.
func (s *site) showText(p *page) error {
	text, err := fs.ReadFile(s.tree, p.file)
	switch {
	case err != nil:
		return err
	case len(text) > maxText || !utf8.Valid(text):
		return fmt.Errorf("%s: a page links to it, and it is no text of at most %d bytes", p.file, maxText)
	}
	p.title = p.file
	p.sections = []section{{title: p.file, level: 1, text: string(text)}}
	return s.fill(p, "text", struct{ Title, Text string }{p.file, string(text)})
}

// showFolder makes the page of a folder: what its package says of itself, and the names of its files.
func (s *site) showFolder(p *page) error {
	entries, err := fs.ReadDir(s.tree, p.file)
	if err != nil {
		return err
	}
	var files []string
	about := ""
	for _, e := range entries {
		if e.IsDir() {
			files = append(files, e.Name()+"/")
			continue
		}
		files = append(files, e.Name())
		if about == "" && path.Ext(e.Name()) == ".go" && !strings.HasSuffix(e.Name(), "_test.go") {
			if about, err = s.packageComment(path.Join(p.file, e.Name())); err != nil {
				return err
			}
		}
	}
	p.title = p.file + "/"
	p.sections = []section{{title: p.title, level: 1, text: about}}
	return s.fill(p, "folder", struct {
		Title string
		About template.HTML
		Files []string
	}{p.title, template.HTML(new(doc.Package).HTML(about)), files})
}

// packageComment is what a Go file says of its package; "" where it says nothing.
func (s *site) packageComment(file string) (string, error) {
	text, err := fs.ReadFile(s.tree, file)
	if err != nil {
		return "", err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil || parsed.Doc == nil {
		return "", err
	}
	return parsed.Doc.Text(), nil
}

// A recipe is an example of the section of the README that says how something is added.
type recipe struct {
	ID, Title, About string
	Files            []txtar.File
}

// Text is a file of the example.
func (recipe) Text(f txtar.File) string { return string(bytes.TrimRight(f.Data, "\n")) }

// showRecipes makes the page of the examples of the recipes.
func (s *site) showRecipes(p *page) error {
	files, err := fs.Glob(s.tree, recipesFolder+"/*.txtar")
	if err != nil {
		return err
	}
	p.title = "Recipes"
	p.sections = []section{{title: p.title, level: 1}}
	var all []recipe
	for _, file := range files {
		text, err := fs.ReadFile(s.tree, file)
		if err != nil {
			return err
		}
		archive := txtar.Parse(text)
		id := strings.TrimSuffix(path.Base(file), ".txtar")
		words := strings.ReplaceAll(id, "-", " ")
		r := recipe{ID: id, Title: strings.ToUpper(words[:1]) + words[1:], About: strings.TrimSpace(string(archive.Comment)), Files: archive.Files}
		all = append(all, r)
		p.ids[id] = true
		p.sections = append(p.sections, section{id: id, title: r.Title, level: 2, text: r.About})
	}
	p.links = append(p.links, link{"index.html", "three-recipes", recipesFolder})
	return s.fill(p, "recipes", all)
}
