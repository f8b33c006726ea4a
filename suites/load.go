// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// LoadProfile reads the suites of a folder: shared.yaml first, then every other YAML file, sorted by name, of which
// roots.yaml holds no suite but roots, and side_effects.yaml what faults change. When anything is wrong the error is an [Errors] with all of it.
func LoadProfile(fsys fs.FS, folder string) (*Profile, error) {
	return load(fsys, folder, profiles.Of(path.Base(folder)), nil)
}

// LoadRow is [LoadProfile] for a profile whose row [profiles.All] need not have: its folder is called like it.
func LoadRow(fsys fs.FS, row profiles.Profile) (*Profile, error) {
	return load(fsys, row.Name, row, nil)
}

// load reads a profile; wanted, when it is not nil, says of which tests everything has to be known.
func load(fsys fs.FS, folder string, row profiles.Profile, wanted func(id, name string) bool) (*Profile, error) {
	entries, err := fs.ReadDir(fsys, folder)
	if err != nil {
		return nil, fmt.Errorf("load suites: %w", err)
	}
	var files []string
	for _, entry := range entries {
		if name := entry.Name(); !entry.IsDir() && isSuiteFile(name) {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("load suites: %s holds no YAML file", folder)
	}
	l := loader{read: func(file string) ([]byte, error) { return fs.ReadFile(fsys, file) }, wanted: wanted}
	suites, problems, err := l.folder(folder, files, common{row: row})
	if err != nil {
		return nil, fmt.Errorf("load suites: %w", err)
	}
	if err := asError(append(problems, uniqueIDs(suites, nil)...)); err != nil {
		return nil, err
	}
	return &Profile{Name: path.Base(folder), Row: row, Suites: suites, Roots: l.roots, SideEffects: l.effects, Digest: l.digest(), common: l.common}, nil
}

// maxSuite bounds a file of suites, in bytes: the largest bundled one has less than a tenth of it.
const maxSuite = 4 << 20

// readFile reads a file of suites on disk.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return bounded(file, path)
}

// bounded reads a file of suites that has been opened.
func bounded(from io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxSuite+1))
	if err == nil && len(text) > maxSuite {
		err = fmt.Errorf("%s is longer than %d MiB, which no file of suites is", name, maxSuite>>20)
	}
	return text, err
}

// LoadFiles reads suites on disk: files, and folders with all their YAML files. A shared.yaml beside them serves them, and
// so do the shared steps, addresses, headers and lifecycles of the bundled profile, whose ids they must not repeat;
// bundled may be nil. A folder that is called like the bundled profile is a working copy of it: it stands for itself.
func LoadFiles(paths []string, bundled *Profile) (*Profile, error) {
	folders, err := byFolder(paths)
	if err != nil {
		return nil, fmt.Errorf("load suites: %w", err)
	}
	l := loader{read: readFile}
	profile := &Profile{Name: "own", Row: profiles.Of(profiles.Default)}
	if bundled != nil {
		profile.Row = bundled.Row
	}
	var problems []Problem
	for _, folder := range sortedKeys(folders) {
		beside := bundled
		if absolute, err := filepath.Abs(folder); bundled != nil && err == nil && filepath.Base(absolute) == bundled.Name {
			beside = nil
		}
		outer := common{row: profile.Row}
		var around []*Suite
		if beside != nil {
			outer, around = beside.common, beside.Suites
		}
		suites, found, err := l.folder(folder, folders[folder], outer)
		if err != nil {
			return nil, fmt.Errorf("load suites: %w", err)
		}
		problems = append(append(problems, found...), uniqueIDs(suites, around)...)
		profile.Suites = append(profile.Suites, suites...)
	}
	if err := asError(append(problems, uniqueIDs(profile.Suites, nil)...)); err != nil {
		return nil, err
	}
	profile.Roots, profile.SideEffects, profile.Digest = l.roots, l.effects, l.digest()
	return profile, nil
}

func isSuiteFile(name string) bool {
	return path.Ext(name) == ".yaml" && !strings.HasPrefix(name, ".")
}

// byFolder sorts files into their folders, shared.yaml of each folder included.
func byFolder(paths []string) (map[string][]string, error) {
	folders := map[string][]string{}
	add := func(folder, name string) {
		if !slices.Contains(folders[folder], name) {
			folders[folder] = append(folders[folder], name)
		}
	}
	for _, p := range paths {
		found, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		folder := filepath.Dir(p)
		if found.IsDir() {
			folder = filepath.Clean(p)
			entries, err := os.ReadDir(p)
			if err != nil {
				return nil, err
			}
			for _, entry := range entries {
				if entry.IsDir() || !isSuiteFile(entry.Name()) {
					continue
				}
				// Nobody named this one: a pipe that nobody writes into would be waited for without end.
				inside := filepath.Join(folder, entry.Name())
				if found, err := os.Stat(inside); err == nil && !found.Mode().IsRegular() && !found.IsDir() {
					return nil, fmt.Errorf("%s is a pipe or a device, which no file of suites is", inside)
				}
				add(folder, entry.Name())
			}
			if len(folders[folder]) == 0 {
				return nil, fmt.Errorf("%s holds no YAML file", p)
			}
		} else {
			add(folder, filepath.Base(p))
		}
		if shared, err := os.Stat(filepath.Join(folder, sharedFile)); err == nil && shared.Mode().IsRegular() {
			add(folder, sharedFile)
		}
	}
	for _, names := range folders {
		slices.Sort(names)
	}
	return folders, nil
}

// A loader reads files and remembers what it read.
type loader struct {
	read    func(file string) ([]byte, error)
	wanted  func(id, name string) bool // nil: every test is
	chosen  atomic.Int64               // tests that were wanted
	sums    map[string][sha256.Size]byte
	common  common
	roots   []*Root
	effects []SideEffect
}

// folder reads the files of one folder at once, each in two passes: what stands in it, and, when all of that is known,
// whether its names lead anywhere.
func (l *loader) folder(folder string, names []string, outer common) ([]*Suite, []Problem, error) {
	texts := make([][]byte, len(names))
	sums := make([][sha256.Size]byte, len(names))
	var problems []Problem
	inner := outer
	for i, name := range names {
		var err error
		if texts[i], err = l.read(path.Join(folder, name)); err != nil {
			return nil, nil, err
		}
		if name == sharedFile {
			inner, problems = readCommon(path.Join(folder, name), texts[i], outer)
		}
	}
	l.common = inner
	suites := make([]*Suite, len(names))
	found := make([][]Problem, len(names))
	roots := make([][]*Root, len(names))
	var effects []SideEffect
	readSeveral := func(i int) { // what speaks of several tests
		switch file := path.Join(folder, names[i]); {
		case isRootsFile(names[i]):
			roots[i], found[i] = readRoots(file, texts[i])
		case names[i] == SideEffectsFile:
			effects, found[i] = readSideEffects(file, texts[i])
		}
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	// Long files first: the last one to be begun decides when all are done.
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(texts[b]), len(texts[a])) })
	for _, i := range order {
		group.Go(func() error {
			sums[i] = sha256.Sum256(texts[i])
			switch file := path.Join(folder, names[i]); {
			case names[i] == sharedFile:
			case isRootsFile(names[i]), names[i] == SideEffectsFile:
				if l.wanted == nil {
					readSeveral(i)
				}
			default:
				suites[i], found[i] = l.suite(file, texts[i], inner)
			}
			return nil
		})
	}
	_ = group.Wait() // no function of the group returns an error
	if l.wanted != nil && l.chosen.Load() > 1 {
		for i := range names {
			readSeveral(i)
		}
	}
	if l.sums == nil {
		l.sums = map[string][sha256.Size]byte{}
	}
	ofFolder := slices.Concat(roots...)
	problems = append(problems, rootsTwice(ofFolder)...)
	l.roots, l.effects = append(l.roots, ofFolder...), append(l.effects, effects...)
	for i, name := range names {
		problems = append(problems, found[i]...)
		l.sums[path.Join(path.Base(folder), name)] = sums[i]
	}
	return slices.DeleteFunc(suites, func(s *Suite) bool { return s == nil }), problems, nil
}

// suite reads a suite file, as far as its tests are wanted.
func (l *loader) suite(file string, text []byte, outer common) (*Suite, []Problem) {
	if l.wanted == nil {
		return readSuite(file, text, outer)
	}
	known, some, rest := outline(file, text, l.wanted)
	if some == 0 {
		return known, nil
	}
	l.chosen.Add(int64(some))
	s, problems := readSuite(file, rest, outer)
	if s != nil {
		s.complete(known)
	}
	return s, problems
}

func readCommon(file string, text []byte, outer common) (common, []Problem) {
	root, problems := parse(file, text)
	r := newReader(file, problems)
	r.row = outer.row
	if root == nil {
		return outer, problems
	}
	inner := r.common(root, outer)
	return inner, append(r.problems, checkAlone(file, inner)...)
}

func readSuite(file string, text []byte, outer common) (*Suite, []Problem) {
	root, problems := parse(file, text)
	if root == nil {
		return nil, problems
	}
	r := newReader(file, problems)
	r.row = outer.row
	s, sharedAt := r.suite(root, outer)
	own := common{uris: s.URIs, shared: s.Shared, sharedAt: sharedAt}
	r.problems = append(r.problems, checkAlone(file, own)...)
	linker := &linker{shared: s.Shared}
	for _, t := range s.Tests {
		linker.link(t)
		r.problems = append(r.problems, checkTest(t)...)
	}
	return s, append(r.problems, linker.problems...)
}

// checkAlone checks the shared steps of a file by themselves, so that they are checked once, and also when nothing uses
// them yet.
func checkAlone(file string, c common) []Problem {
	var problems []Problem
	for _, name := range sortedKeys(c.shared) {
		if c.sharedAt[name].File != file {
			continue
		}
		linker := &linker{shared: c.shared, stack: []string{name}, alone: true}
		steps := linker.linked(c.shared[name], "", "")
		if linker.steps > maxSteps {
			linker.problem(c.sharedAt[name], "the shared steps %s grow to more than %d", name, maxSteps)
		}
		problems = append(append(problems, linker.problems...), checkShared(steps, c.uris)...)
	}
	return problems
}

// digest is one sum over the sums of all files.
func (l *loader) digest() string {
	all := sha256.New()
	for _, file := range sortedKeys(l.sums) {
		fmt.Fprintf(all, "%s %x\n", file, l.sums[file])
	}
	return hex.EncodeToString(all.Sum(nil))
}

// uniqueIDs checks that no id stands twice in the suites, nor in those around them.
func uniqueIDs(suites, around []*Suite) []Problem {
	first := map[string]Position{}
	var problems []Problem
	see := func(suite *Suite, report bool) {
		note := func(id string, at Position) {
			if other, twice := first[id]; twice && report && id != "" {
				problems = append(problems, Problem{at, fmt.Sprintf("the id %s is already taken, at %s", id, other)})
				return
			}
			first[id] = at
		}
		for _, t := range suite.Tests {
			note(t.ID, t.At)
		}
		for _, u := range suite.Untested {
			note(u.ID, u.At)
		}
	}
	for _, s := range around {
		see(s, false)
	}
	for _, s := range suites {
		see(s, true)
	}
	return problems
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func copied[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return maps.Clone(m)
}
