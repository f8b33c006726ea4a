// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"bytes"
	"cmp"
	"io/fs"
	"path"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// LoadSelected reads a profile as [LoadProfile] does, but of the tests that are not wanted only which they are: their ids, names
// and places, see [Test.Outlined]. Whoever plays one test of hundreds need not wait until the others are read. Where fewer than two
// are wanted, the roots and the side effects are not read either, which speak of several. It is for suites that are known to be
// without mistakes, as the bundled ones are: nothing that is outlined is checked, except that its ids are its own.
func LoadSelected(fsys fs.FS, folder string, wanted func(id, name string) bool) (*Profile, error) {
	return load(fsys, folder, profiles.Of(path.Base(folder)), wanted)
}

// A place is where a requirement stands in the text of a suite, written the one way in which the bundled suites write it; what is
// not written so is seen by the test that compares every outline with what the file says.
type place struct {
	id, name string // no name: it is not tested
	line     int
	from, to int // bytes; up to the next requirement, or the end of the text
}

var (
	entryMark = []byte("\n  - id: ")
	testMark  = []byte("    test: ")
)

// places are where the requirements of a file stand, in their order.
func places(text []byte) []place {
	var all []place
	line, seen := 1, 0
	for {
		next := bytes.Index(text[seen:], entryMark)
		if next < 0 {
			return all
		}
		from := seen + next + 1 // the line break belongs to the line before
		line += bytes.Count(text[seen:from], []byte("\n"))
		seen = from
		if len(all) > 0 {
			all[len(all)-1].to = from
		}
		head, rest, _ := bytes.Cut(text[from+len(entryMark)-1:], []byte("\n"))
		p := place{id: string(bytes.TrimSpace(head)), line: line, from: from, to: len(text)}
		if named, is := bytes.CutPrefix(rest, testMark); is {
			name, _, _ := bytes.Cut(named, []byte("\n"))
			p.name = string(bytes.TrimSpace(name))
		}
		all = append(all, p)
	}
}

// keyBehind is where, behind the beginning of a requirement, the next key of the file stands; the end of the text where none does.
func keyBehind(text []byte) int {
	for at := 0; ; {
		next := bytes.IndexByte(text[at:], '\n')
		if next < 0 || at+next+1 == len(text) {
			return len(text)
		}
		at += next + 1
		if c := text[at]; c != ' ' && c != '\n' && c != '#' {
			return at
		}
	}
}

// outline is a suite as far as it is known without reading it, and how many of its tests are wanted. rest is the text of these with
// all that stands around them: of the others it has the line breaks only, so that everything stands where it stood. It is empty
// where no test is wanted.
func outline(file string, text []byte, wanted func(id, name string) bool) (s *Suite, some int, rest []byte) {
	s = &Suite{At: Position{File: file, Line: 1, Col: 1}}
	var left []place
	for _, p := range places(text) {
		at := Position{File: file, Line: p.line, Col: 5}
		switch {
		case p.name == "":
			s.Untested = append(s.Untested, Untested{ID: p.id, At: at})
		case wanted(p.id, p.name):
			some++
		default:
			s.Tests = append(s.Tests, &Test{ID: p.id, Name: p.name, At: at, Suite: s, Outlined: true})
			left = append(left, p)
		}
	}
	if some == 0 {
		return s, 0, nil
	}
	rest = make([]byte, 0, len(text))
	seen := 0
	for _, p := range left {
		to := p.from + keyBehind(text[p.from:p.to])
		rest = append(rest, text[seen:p.from]...)
		rest = append(rest, bytes.Repeat([]byte("\n"), bytes.Count(text[p.from:to], []byte("\n")))...)
		seen = to
	}
	return s, some, append(rest, text[seen:]...)
}

// complete adds to a suite that was read in part what is known of its other tests.
func (s *Suite) complete(outlined *Suite) {
	for _, t := range outlined.Tests {
		t.Suite = s
	}
	s.Tests = append(s.Tests, outlined.Tests...)
	slices.SortFunc(s.Tests, func(a, b *Test) int { return cmp.Compare(a.At.Line, b.At.Line) })
}
