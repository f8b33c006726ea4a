// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// maxResults is how many results of one report are taken in: many times what a profile has.
const maxResults = 20_000

// A played is the folder of one run of many targets.
type played struct {
	path string // as it is shown, and as reports in it are found from where the overview is written
	root *os.Root
	*Manifest
}

// called is the run in a sentence.
func (m *Manifest) called() string {
	if m.Shard.Of == 0 {
		return "the run"
	}
	return "shard " + m.Shard.String()
}

// Merge reads what runs of many targets have written into folders, and makes one overview of it. A folder is that of a run, or holds those
// of several. into is where the overview will be written, from which the paths of reports are told. What is wrong with a report is a
// note of the overview; an error says that there is nothing to merge, or that the folders are those of different lists.
func Merge(folders []string, into string, tool report.Tool) (*overview.Overview, error) {
	runs, err := open(folders)
	defer func() {
		for _, p := range runs {
			p.root.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	first := runs[0]
	for _, p := range runs[1:] {
		if !first.same(p.Manifest) {
			return nil, fmt.Errorf("%s and %s are of different lists of targets (SHA-256 %.12s and %.12s): play all shards with the same file of --targets", first.path, p.path, first.SHA256, p.SHA256)
		}
	}
	m := &merging{runs: runs, into: into}
	places := make([]int, len(first.Targets))
	for i := range places {
		places[i] = i
	}
	m.builder = overview.NewBuilder(overview.List{SHA256: first.SHA256, Targets: len(first.Targets)}, entries(first.Targets, places, m.absence))
	for i := range places {
		m.target(i)
	}
	m.shards()
	return m.builder.Overview(tool), nil
}

// maxRuns bounds how many folders are merged.
const maxRuns = 20_000

// open finds the folders that runs have written.
func open(folders []string) (runs []*played, err error) {
	var problems []error
	seen := map[string]bool{}
	add := func(path string) error {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || seen[real] {
			return err
		}
		p, err := openRun(path)
		if err == nil {
			seen[real] = true
			runs = append(runs, p)
		}
		return err
	}
	for _, folder := range folders {
		err := add(folder)
		if errors.Is(err, fs.ErrNotExist) {
			err = inside(folder, add)
		}
		if err != nil {
			problems = append(problems, refused(folder, err))
		}
		if len(runs) > maxRuns {
			return runs, fmt.Errorf("there are more than %d folders to merge", maxRuns)
		}
	}
	if len(problems) == 0 && len(runs) == 0 {
		problems = append(problems, errors.New("there is nothing to merge"))
	}
	slices.SortFunc(runs, func(a, b *played) int {
		return cmp.Or(a.Shard.Of-b.Shard.Of, a.Shard.Index-b.Shard.Index, a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.path, b.path))
	})
	return runs, errors.Join(problems...)
}

// refused says of something that is no folder, or none that can be read, what is wanted instead of it; other errors say it themselves.
func refused(folder string, err error) error {
	info, unseen := os.Stat(folder)
	seen := ""
	switch {
	case errors.Is(unseen, fs.ErrNotExist):
		seen = "does not exist"
	case unseen == nil && !info.IsDir():
		seen = "is no folder"
	case errors.Is(err, fs.ErrPermission):
		seen = "may not be read"
	default:
		return err
	}
	return fmt.Errorf("%s %s, want a folder that run --targets has written, or one that holds several of those", folder, seen)
}

// inside adds the folders of runs that stand in a folder.
func inside(folder string, add func(string) error) error {
	all, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	some := false
	for _, e := range all {
		switch err := add(filepath.Join(folder, e.Name())); {
		case err == nil:
			some = true
		case !errors.Is(err, fs.ErrNotExist) && !isNoFolder(err):
			return err
		}
	}
	if !some {
		return fmt.Errorf("%s holds no %s, nor does a folder in it: run --targets writes one", folder, manifestName)
	}
	return nil
}

func isNoFolder(err error) bool { return strings.Contains(err.Error(), "not a directory") }

// openRun reads the manifest of a run; the error is fs.ErrNotExist where there is none.
func openRun(path string) (*played, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	file, err := root.Open(manifestName)
	if err != nil {
		root.Close()
		return nil, err
	}
	defer file.Close()
	m, err := readManifest(file)
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("%s: %w", filepath.Join(path, manifestName), err)
	}
	return &played{path, root, m}, nil
}

// A merging is several runs that become one overview.
type merging struct {
	runs    []*played
	into    string
	builder *overview.Builder
}

// A found is a report of a target.
type found struct {
	run      report.Settled
	of       *played
	complete bool
}

// absence is why nothing is known of a target, before its reports have been looked for.
func (m *merging) absence(i int) string {
	for _, p := range m.runs {
		if slices.Contains(p.Own, i) {
			return fmt.Sprintf("%s was to play it, and has left no report in %s", p.called(), p.path)
		}
	}
	if of := m.shardsOf(); of > 1 {
		return fmt.Sprintf("shard %d/%d is missing", i%of, of)
	}
	return "no run was going to play it"
}

// shardsOf is into how many shards the list was divided, by most of the runs; 0: it was not.
func (m *merging) shardsOf() int {
	count, of := map[int]int{}, 0
	for _, p := range m.runs {
		if p.Shard.Of == 0 {
			continue
		}
		if count[p.Shard.Of]++; count[p.Shard.Of] > count[of] {
			of = p.Shard.Of
		}
	}
	return of
}

// target looks for the reports of a target, and takes the one that counts.
func (m *merging) target(i int) {
	name := m.runs[0].Targets[i].Name
	var best *found
	var others, unread []string
	for _, p := range m.runs {
		if !slices.Contains(p.Own, i) {
			continue
		}
		f, err := p.read(i)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, errEarlier):
			m.builder.Lack(i, fmt.Sprintf("the report in %s is left from an earlier attempt: the last one has not come to this target", p.path))
		case err != nil:
			unread = append(unread, fmt.Sprintf("%s in %s: %v", name, p.path, err))
			m.builder.Lack(i, "its report cannot be read")
		case best == nil:
			best = f
		case f.counts(best):
			others, best = append(others, best.of.path), f
		default:
			others = append(others, f.of.path)
		}
	}
	for _, text := range unread {
		m.builder.Note(overview.NoteUnreadable, text, best == nil)
	}
	if best == nil {
		return
	}
	if len(others) > 0 {
		state := "complete"
		if !best.complete {
			state = "incomplete"
		}
		m.builder.Note(overview.NoteTwice, fmt.Sprintf("%s was played %s: the newest %s report counts, which is that in %s, and not what stands in %s", name, times(len(others)+1), state, best.of.path, show.InWords(others)), false)
	}
	if !best.complete {
		m.builder.Note(overview.NoteInterrupted, fmt.Sprintf("%s was interrupted: play %s again", name, best.of.called()), true)
	}
	m.builder.Add(i, best.run, best.of.Shard.String(), m.reports(best.of, name))
}

func times(n int) string {
	if n == 2 {
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// counts says whether a report counts rather than another one: the complete one, of two the newer.
func (f *found) counts(other *found) bool {
	if f.complete != other.complete {
		return f.complete
	}
	return !f.run.StartedAt.Before(other.run.StartedAt)
}

// errEarlier is said of a report that was there before the run began.
var errEarlier = errors.New("left from an earlier attempt")

// read reads the report of a target.
func (p *played) read(i int) (*found, error) {
	t := p.Targets[i]
	file, err := p.root.Open(t.Name + "/" + ReportBase + ".json")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("the report is no file"))
	}
	run, err := report.ReadJSON(file)
	switch {
	case err != nil:
		return nil, err
	case len(run.Results) > maxResults:
		return nil, fmt.Errorf("the report has %d results, of which at most %d are read", len(run.Results), maxResults)
	case run.StartedAt.Before(p.StartedAt):
		return nil, errEarlier
	case !strings.Contains(t.URL, "${") && !sameAddress(run.Target.ExecutorURL, t.URL):
		return nil, fmt.Errorf("the report is that of %s, not of %s", show.Brief(run.Target.ExecutorURL, 200), show.Brief(t.URL, 200))
	}
	return &found{run: run.Settled(), of: p, complete: !slices.Contains(run.Partial, interrupted)}, nil
}

// interrupted is why a run that was told to end is partial; the runner says it in the same word.
const interrupted = "interrupted"

// sameAddress compares two addresses as far as a report may have written one otherwise.
func sameAddress(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// reports are the paths of the reports of a target, from where the overview is written.
func (m *merging) reports(p *played, name string) []string {
	from, err := filepath.Rel(m.into, p.path)
	if err != nil {
		from = p.path
	}
	return Reports(p.root.FS(), name, from)
}

// shards notes which of them are missing.
func (m *merging) shards() {
	of := m.shardsOf()
	given := map[int]bool{}
	covered := map[int]bool{}
	for _, p := range m.runs {
		if p.Shard.Of == of {
			given[p.Shard.Index] = true
		}
		for _, i := range p.Own {
			covered[i] = true
		}
	}
	var missing []string
	for s := range of {
		lacks := false
		for i := s; i < len(m.runs[0].Targets); i += of {
			lacks = lacks || !covered[i]
		}
		if !given[s] && lacks {
			missing = append(missing, Shard{s, of}.String())
		}
	}
	if len(missing) > 0 {
		m.builder.Note(overview.NoteMissing, fmt.Sprintf("%s: %s; play what is missing with --shard, and merge again", show.Plural(len(missing), "shard is missing", "shards are missing"), show.FirstOf(missing, 50)), true)
	}
}
