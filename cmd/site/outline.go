// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A group is a heading of the list of pages, with the files below it.
type group struct {
	title string
	files []string
}

// outline is the list of pages. What stands in docs/ and not here comes last, so that a new page needs no line.
var outline = []group{
	{"Start", []string{"README.md", "docs/a2a-1.0.md", "docs/operators.md", "docs/doctor.md"}},
	{"Reports", []string{"docs/reading-a-report.md", "docs/policy.md", "docs/gates.md", "docs/signed-reports.md"}},
	{"Protocols", []string{"docs/pty.md", "docs/websocket.md", "docs/migrating-from-0.3.md"}},
	{"Proof", []string{"docs/quantifiers.md", "docs/mutants.md", "docs/robustness.md", "docs/peers.md"}},
	{"Authors", []string{"docs/suite-format.md", "assertions/VOCABULARY.md", recipesFolder, "docs/architecture.md"}},
	{"Versions", []string{"CHANGELOG.md", "docs/releases.md"}},
}

const (
	recipesFolder = "docs/recipes"
	moreGroup     = "More"
)

// short are the names of pages in the list, where the title is too long for it.
var short = map[string]string{
	"README.md":                  "Overview",
	"docs/policy.md":             "Policy",
	"docs/migrating-from-0.3.md": "From A2A 0.3 to 1.0",
	"docs/websocket.md":          "Broken WebSockets",
}

// pageOf is where a file of the repository is shown: "docs/operators.md" on operators.html. Files without a place of their own, which pages
// link to, are below files/.
func pageOf(file string) string {
	switch {
	case file == "README.md":
		return "index.html"
	case file == "CHANGELOG.md":
		return "changelog.html"
	case file == "assertions/VOCABULARY.md":
		return "vocabulary.html"
	case file == recipesFolder || path.Dir(file) == recipesFolder:
		return "recipes.html"
	case path.Dir(file) == "docs" && path.Ext(file) == ".md":
		return strings.TrimSuffix(path.Base(file), ".md") + ".html"
	}
	return "files/" + file + ".html"
}

// outlineOf are the groups with the files that a tree has. The pages of requirements of the repository are left out: the site has its own.
func outlineOf(tree fs.FS) ([]group, error) {
	there, err := fs.Glob(tree, "docs/*.md")
	if err != nil {
		return nil, err
	}
	there = slices.DeleteFunc(there, func(file string) bool { return profileOfPage(file) != "" })
	var groups []group
	for _, g := range outline {
		var files []string
		for _, file := range g.files {
			if _, err := fs.Stat(tree, file); err == nil {
				files = append(files, file)
			}
			there = slices.DeleteFunc(there, func(other string) bool { return other == file })
		}
		if len(files) > 0 {
			groups = append(groups, group{g.title, files})
		}
	}
	if len(there) > 0 {
		groups = append(groups, group{moreGroup, there})
	}
	return groups, nil
}
