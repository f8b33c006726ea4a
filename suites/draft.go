// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// A Draft is suites that somebody is working at, for [Lint]. What is wrong with them is told, and nothing is judged besides: of
// the files around them, and of the bundled suites that they are added to, only the ids are read, and shared.yaml.
type Draft struct {
	Paths   []string  // files, and folders with all their YAML files
	Input   io.Reader // a file of its own; nil: there is none
	Bundled fs.FS     // the bundled suites, a folder a profile; one on disk that is called like a profile is a working copy of it
	Profile string    // whose shared steps, addresses and ids the suites outside of a working copy stand beside
}

// inputName is what positions in [Draft.Input] begin with.
const inputName = "<stdin>"

// Load reads the draft. When anything is wrong with it the error is an [Errors] with all of it.
func (d Draft) Load() (*Profile, error) {
	folders, err := byFolder(d.Paths)
	if err != nil {
		return nil, fmt.Errorf("load suites: %w", err)
	}
	var bundled *Profile // is not needed, nor looked at, when all is of working copies
	if d.Input != nil || slices.ContainsFunc(sortedKeys(folders), func(folder string) bool { return d.copied(folder) == "" }) {
		if bundled, err = added(d.Bundled, d.Profile); err != nil {
			return nil, err
		}
	}
	l := loader{read: readFile}
	profile := &Profile{Name: "own", Row: profiles.Of(d.Profile), partly: map[string]bool{}}
	var problems []Problem
	add := func(suites []*Suite, found []Problem, around []*Suite) {
		problems = append(append(problems, found...), uniqueIDs(suites, around)...)
		profile.Suites, profile.around = append(profile.Suites, suites...), append(profile.around, around...)
	}
	for _, folder := range sortedKeys(folders) {
		left := leftOut(folder, folders[folder])
		profile.partly[path.Clean(folder)] = len(left) > 0
		var outer common
		var around []*Suite
		if name := d.copied(folder); name != "" {
			outer.row = profiles.Of(name)
			around = outlines(readFile, folder, left)
		} else {
			outer, around = bundled.common, bundled.Suites
		}
		suites, found, err := l.folder(folder, folders[folder], outer)
		if err != nil {
			return nil, fmt.Errorf("load suites: %w", err)
		}
		add(suites, found, around)
	}
	if d.Input != nil {
		text, err := bounded(d.Input, inputName)
		if err != nil {
			return nil, fmt.Errorf("load suites: %w", err)
		}
		suite, found := readSuite(inputName, text, bundled.common)
		add(slices.DeleteFunc([]*Suite{suite}, func(s *Suite) bool { return s == nil }), found, bundled.Suites)
	}
	profile.Roots, profile.SideEffects = l.roots, l.effects
	if err := asError(append(problems, uniqueIDs(profile.Suites, nil)...)); err != nil {
		return nil, err
	}
	return profile, nil
}

// copied names the profile that a folder is a working copy of; "" when it is none.
func (d Draft) copied(folder string) string {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	if found, err := fs.Stat(d.Bundled, filepath.Base(absolute)); err != nil || !found.IsDir() {
		return ""
	}
	return filepath.Base(absolute)
}

// added is what suites that are added to a profile have to know of it: its ids, and what its shared.yaml gives.
func added(fsys fs.FS, folder string) (*Profile, error) {
	entries, err := fs.ReadDir(fsys, folder)
	if err != nil {
		return nil, fmt.Errorf("load suites: %w", err)
	}
	read := func(file string) ([]byte, error) { return fs.ReadFile(fsys, file) }
	row := profiles.Of(folder)
	profile := &Profile{Name: folder, Row: row, common: common{row: row}}
	var files []string
	for _, entry := range entries {
		switch name := entry.Name(); {
		case entry.IsDir() || !isSuiteFile(name):
		case name == sharedFile:
			text, err := read(path.Join(folder, name))
			if err != nil {
				return nil, fmt.Errorf("load suites: %w", err)
			}
			var problems []Problem
			if profile.common, problems = readCommon(path.Join(folder, name), text, profile.common); len(problems) > 0 {
				return nil, asError(problems)
			}
		default:
			files = append(files, name)
		}
	}
	profile.Suites = outlines(read, folder, files)
	return profile, nil
}

// outlines are the ids of files that are not judged themselves. One that cannot be read has none.
func outlines(read func(file string) ([]byte, error), folder string, names []string) []*Suite {
	var all []*Suite
	for _, name := range names {
		if isRootsFile(name) || name == sharedFile || name == SideEffectsFile {
			continue
		}
		file := path.Join(folder, name)
		if text, err := read(file); err == nil {
			suite, _, _ := outline(file, text, func(_, _ string) bool { return false })
			all = append(all, suite)
		}
	}
	return all
}

// leftOut are the files of suites in a folder beside those that are read.
func leftOut(folder string, read []string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var left []string
	for _, entry := range entries {
		if name := entry.Name(); entry.Type().IsRegular() && isSuiteFile(name) && !slices.Contains(read, name) {
			left = append(left, name)
		}
	}
	return left
}

// Knows says whether a requirement stands in the suites, or beside them.
func (p *Profile) Knows(id string) bool {
	return slices.ContainsFunc(slices.Concat(p.Suites, p.around), func(s *Suite) bool {
		return slices.ContainsFunc(s.Tests, func(t *Test) bool { return t.ID == id }) ||
			slices.ContainsFunc(s.Untested, func(u Untested) bool { return u.ID == id })
	})
}

// usersKnown says whether all files were read that could use the shared steps at a position.
func (p *Profile) usersKnown(at Position) bool {
	return path.Base(at.File) != sharedFile || !p.partly[path.Dir(at.File)]
}
