// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
)

var began = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// fourTargets is a list of four.
func fourTargets() []Listed {
	var list []Listed
	for i := range 4 {
		list = append(list, Listed{Name: fmt.Sprintf("t%d", i), URL: fmt.Sprintf("https://t%d.example/", i)})
	}
	return list
}

// A written is a run that a test writes into a folder.
type written struct {
	folder  string
	shard   Shard
	at      time.Duration // after began
	sha256  string
	targets []wrote
}

// wrote is a target that a run was going to play.
type wrote struct {
	i       int
	change  func(*report.Run) // of its report; nil: there is none
	instead string            // what stands there instead of a report
}

func passes(*report.Run) {}

func (w written) write(t *testing.T, in string) string {
	t.Helper()
	folder := filepath.Join(in, w.folder)
	m := &Manifest{Tool: report.Tool{Name: "x", Version: "1"}, StartedAt: began.Add(w.at), SHA256: strings.Repeat("a", 64), Shard: w.shard, Targets: fourTargets()}
	if w.sha256 != "" {
		m.SHA256 = w.sha256
	}
	for _, one := range w.targets {
		m.Own = append(m.Own, one.i)
	}
	if err := WriteManifest(folder, m); err != nil {
		t.Fatal(err)
	}
	for _, one := range w.targets {
		path := filepath.Join(folder, m.Targets[one.i].Name, ReportBase+".json")
		if one.instead != "" {
			if err := formats.WriteFile(path, func(w io.Writer) error { _, err := io.WriteString(w, one.instead); return err }); err != nil {
				t.Fatal(err)
			}
		}
		if one.change == nil {
			continue
		}
		run := &report.Run{Tool: report.Tool{Name: "x", Version: "1"}, Suites: report.SuiteSet{Profile: "p", Digest: "d", Contract: &report.Contract{SHA256: "c"}}, StartedAt: m.StartedAt.Add(time.Second),
			Target: report.Target{ExecutorURL: m.Targets[one.i].URL}, Verdict: report.Passed, DurationMS: 5,
			Results: []report.Result{{ID: "A-1", Name: "a", Surface: "s", Level: "MUST", Requirement: "hold", Outcome: report.Pass}}}
		one.change(run)
		if _, err := formats.Write(run, []string{"json"}, path); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func fails(r *report.Run) {
	r.Verdict, r.Results[0].Outcome = report.Failed, report.Fail
	r.Results[0].Findings = []report.Finding{{Subject: "status", Observed: "200", Expected: "400", Problem: "status is 200, want 400", Severity: report.Fail}}
}

func stopped(r *report.Run) { r.Verdict, r.Partial = report.Incomplete, []string{"interrupted"} }

func versioned(r *report.Run) { r.Tool.Version = "2" }

func TestMerge(t *testing.T) {
	t.Parallel()
	first, second := Shard{0, 2}, Shard{1, 2}
	whole := []written{
		{"shard-0-of-2", first, 0, "", []wrote{{0, passes, ""}, {2, passes, ""}}},
		{"shard-1-of-2", second, 0, "", []wrote{{1, passes, ""}, {3, passes, ""}}},
	}
	with := func(more ...written) []written { return append(append([]written{}, whole...), more...) }
	for name, row := range map[string]struct {
		runs    []written
		verdict report.Verdict
		counts  overview.Counts
		notes   []string
	}{
		"all shards":       {whole, report.Passed, overview.Counts{Pass: 4}, nil},
		"a shard missing":  {whole[:1], report.Incomplete, overview.Counts{Pass: 2, Missing: 2}, []string{"missing: 1 shard is missing: 1/2; play what is missing with --shard, and merge again (open)"}},
		"a target missing": {[]written{whole[0], {"shard-1-of-2", second, 0, "", []wrote{{1, passes, ""}, {3, nil, ""}}}}, report.Incomplete, overview.Counts{Pass: 3, Missing: 1}, nil},
		"a target broken":  {[]written{whole[0], {"shard-1-of-2", second, 0, "", []wrote{{1, fails, ""}, {3, nil, ""}}}}, report.Failed, overview.Counts{Pass: 2, Fail: 1, Missing: 1}, nil},
		"played twice": {with(written{"again", first, time.Hour, "", []wrote{{0, fails, ""}, {2, nil, ""}}}), report.Failed, overview.Counts{Pass: 3, Fail: 1},
			[]string{"twice: t0 was played twice: the newest complete report counts, which is that in IN/again, and not what stands in IN/shard-0-of-2"}},
		"the newest was interrupted": {with(written{"again", first, time.Hour, "", []wrote{{0, stopped, ""}, {2, nil, ""}}}), report.Passed, overview.Counts{Pass: 4},
			[]string{"twice: t0 was played twice: the newest complete report counts, which is that in IN/shard-0-of-2, and not what stands in IN/again"}},
		"one was interrupted": {[]written{whole[0], {"shard-1-of-2", second, 0, "", []wrote{{1, stopped, ""}, {3, passes, ""}}}}, report.Incomplete, overview.Counts{Pass: 3, Incomplete: 1},
			[]string{"interrupted: t1 was interrupted: play shard 1/2 again (open)"}},
		"another version": {[]written{whole[0], {"shard-1-of-2", second, 0, "", []wrote{{1, versioned, ""}, {3, passes, ""}}}}, report.Incomplete, overview.Counts{Pass: 4},
			[]string{"version: t1: another version of the program (x 2) than the other 3 targets (x 1), so they cannot be compared: play them again with the same version (open)"}},
		"other suites": {[]written{whole[0], {"shard-1-of-2", second, 0, "", []wrote{{1, func(r *report.Run) { r.Suites.Digest = "e" }, ""}, {3, passes, ""}}}}, report.Incomplete, overview.Counts{Pass: 4},
			[]string{"version: t1: another digest of the suites (e) than the other 3 targets (d), so they cannot be compared: play them again with the same version (open)"}},
		"another contract": {[]written{whole[0], {"shard-1-of-2", second, 0, "", []wrote{{1, func(r *report.Run) { r.Suites.Contract.SHA256 = "e" }, ""}, {3, passes, ""}}}}, report.Incomplete, overview.Counts{Pass: 4},
			[]string{"version: t1: another revision of the contract (e) than the other 3 targets (c), so they cannot be compared: play them again with the same version (open)"}},
		"a report of an earlier attempt": {[]written{whole[0], {"shard-1-of-2", second, time.Hour, "", []wrote{{1, passes, ""}, {3, func(r *report.Run) { r.StartedAt = began }, ""}}}}, report.Incomplete, overview.Counts{Pass: 3, Missing: 1}, nil},
		"a report that is none": {[]written{whole[0], {"shard-1-of-2", second, 0, "", []wrote{{1, nil, "{"}, {3, passes, ""}}}}, report.Incomplete, overview.Counts{Pass: 3, Missing: 1},
			[]string{"unreadable: t1 in IN/shard-1-of-2: read report: 1:1: unexpected end of JSON input (open)"}},
		"the report of another target": {[]written{whole[0], {"shard-1-of-2", second, 0, "", []wrote{{1, func(r *report.Run) { r.Target.ExecutorURL = "https://evil.example" }, ""}, {3, passes, ""}}}}, report.Incomplete, overview.Counts{Pass: 3, Missing: 1},
			[]string{"unreadable: t1 in IN/shard-1-of-2: the report is that of https://evil.example, not of https://t1.example/ (open)"}},
		"without shards": {[]written{{"all", Shard{}, 0, "", []wrote{{0, passes, ""}, {1, passes, ""}, {2, passes, ""}, {3, fails, ""}}}}, report.Failed, overview.Counts{Pass: 3, Fail: 1}, nil},
	} {
		in := t.TempDir()
		for _, w := range row.runs {
			w.write(t, in)
		}
		o, err := Merge([]string{in}, in, report.Tool{Name: "x", Version: "1"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var notes []string
		for _, n := range o.Notes {
			text := n.Kind + ": " + strings.ReplaceAll(n.Text, in, "IN")
			if n.Open {
				text += " (open)"
			}
			notes = append(notes, text)
		}
		if diff := cmp.Diff(row.notes, notes); diff != "" || o.Verdict != row.verdict || o.Counts != row.counts {
			t.Errorf("%s: %s, %+v, want %s, %+v; notes (-want +got):\n%s", name, o.Verdict, o.Counts, row.verdict, row.counts, diff)
		}
	}
}

// Merged again, in another order, with the overview of the first time among what is read, the same bytes come out.
func TestMergedAgainIsTheSame(t *testing.T) {
	t.Parallel()
	in := t.TempDir()
	a := written{"shard-0-of-2", Shard{0, 2}, 0, "", []wrote{{0, passes, ""}, {2, fails, ""}}}.write(t, in)
	b := written{"shard-1-of-2", Shard{1, 2}, time.Minute, "", []wrote{{1, versioned, ""}, {3, stopped, ""}}}.write(t, in)
	var first map[string][]byte
	for i, folders := range [][]string{{in}, {in}, {b, a}, {a, b, a}} {
		o, err := Merge(folders, in, report.Tool{Name: "x", Version: "1"})
		if err != nil {
			t.Fatal(err)
		}
		paths, err := formats.WriteOverview(o, in, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string][]byte{}
		for _, path := range paths {
			if all[path], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
		if i == 0 {
			first = all
		}
		for path := range first {
			if !bytes.Equal(first[path], all[path]) {
				t.Errorf("%s is another one when merged as %v", filepath.Base(path), folders)
			}
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	in := t.TempDir()
	one := written{"a", Shard{0, 2}, 0, "", []wrote{{0, passes, ""}}}.write(t, in)
	other := written{"b", Shard{1, 2}, 0, strings.Repeat("b", 64), []wrote{{1, passes, ""}}}.write(t, in)
	broken := filepath.Join(in, "broken")
	outside := filepath.Join(in, "outside")
	for path, text := range map[string]string{filepath.Join(broken, manifestName): "{}", filepath.Join(outside, "x"): ""} {
		if err := formats.WriteFile(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			t.Fatal(err)
		}
	}
	for name, row := range map[string]struct {
		folders []string
		want    string
	}{
		"two lists":                  {[]string{one, other}, "are of different lists of targets"},
		"a folder of something else": {[]string{outside}, "holds no fleet.json, nor does a folder in it"},
		"a folder that is not there": {[]string{filepath.Join(in, "nowhere")}, "nowhere does not exist, want a folder that run --targets has written"},
		"a file":                     {[]string{filepath.Join(outside, "x")}, "x is no folder, want a folder that run --targets has written"},
		"a manifest that is none":    {[]string{broken}, `schema is not "agentic-sandbox-conformance/fleet/v1"`},
		"nothing":                    {nil, "there is nothing to merge"},
	} {
		if _, err := Merge(row.folders, in, report.Tool{}); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error is %v, want one with %q", name, err, row.want)
		}
	}
}

// A report that is a link out of its folder is not followed.
func TestMergeStaysInItsFolders(t *testing.T) {
	t.Parallel()
	in := t.TempDir()
	secret := written{"elsewhere", Shard{}, 0, "", []wrote{{0, passes, ""}}}.write(t, t.TempDir())
	run := written{"run", Shard{}, 0, "", []wrote{{0, nil, ""}}}.write(t, in)
	if err := os.Symlink(filepath.Join(secret, "t0"), filepath.Join(run, "t0")); err != nil {
		t.Skipf("no symbolic link can be made here: %v", err)
	}
	o, err := Merge([]string{run}, in, report.Tool{})
	if err != nil {
		t.Fatal(err)
	}
	if o.Counts.Pass != 0 || o.Verdict != report.Incomplete {
		t.Errorf("a report from elsewhere counts: %+v", o.Counts)
	}
}

// FuzzManifest: whatever stands in a manifest, it is refused, or leads nowhere but into its folder.
func FuzzManifest(f *testing.F) {
	f.Add(`{"schema":"agentic-sandbox-conformance/fleet/v1","startedAt":"2026-11-26T12:00:00Z","sha256":"` + strings.Repeat("a", 64) + `","shard":{"index":0,"of":2},"own":[0],"targets":[{"name":"a","executorUrl":"https://a.example/"}]}`)
	f.Add(`{"schema":"agentic-sandbox-conformance/fleet/v1","targets":[{"name":"../a"}]}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readManifest(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, i := range m.Own {
			if name := m.Targets[i].Name; !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) {
				t.Errorf("the name %q leads elsewhere", name)
			}
		}
	})
}
