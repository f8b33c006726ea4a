// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// LoadSelected reads a profile as [LoadProfile] does, but of the files without any test that is wanted only which tests
// they hold. Whoever plays one test of hundreds need not wait until the others are read. What is [Suite.Outlined] has the
// ids, names and places of its tests, and nothing else. It is for suites that are known to be without mistakes, as the
// bundled ones are: nothing in an outlined file is checked, except that its ids are its own.
func LoadSelected(fsys fs.FS, folder string, wanted func(id, name string) bool) (*Profile, error) {
	return load(fsys, folder, profiles.Of(path.Base(folder)), wanted)
}

// isEntry finds the beginning of a requirement, written the one way in which the bundled suites write it; what is not
// written so is seen by the test that compares every outline with what the file says.
var isEntry = regexp.MustCompile(`(?m)^  - id: (\S+)\n(?:    test: (\S+)\n)?`)

// outline is a suite as far as it is known without reading it, and whether no test in it is wanted.
func outline(file string, text []byte, wanted func(id, name string) bool) (*Suite, bool) {
	s := &Suite{At: Position{File: file, Line: 1, Col: 1}, Outlined: true}
	line, seen := 1, 0
	for _, at := range isEntry.FindAllSubmatchIndex(text, -1) {
		line += bytes.Count(text[seen:at[0]], []byte("\n"))
		seen = at[0]
		id, place := string(text[at[2]:at[3]]), Position{File: file, Line: line, Col: 5}
		if at[4] < 0 {
			s.Untested = append(s.Untested, Untested{ID: id, At: place})
			continue
		}
		name := string(text[at[4]:at[5]])
		if wanted(id, name) {
			return nil, false
		}
		s.Tests = append(s.Tests, &Test{ID: id, Name: name, At: place, Suite: s})
	}
	return s, true
}
