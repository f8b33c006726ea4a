// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// Of a draft only what was given is judged: neither the files beside it, nor the bundled suites, whatever is wrong with them.
func TestDraftsAreJudgedAlone(t *testing.T) {
	t.Parallel()
	const (
		shared = "shared:\n  look: [{request: \"GET ${base}\", expect: {status: 200}}]\n"
		good   = "suite: S\ntests:\n  - id: A-1\n    test: t\n    must: m\n    source: s\n    steps: [{use: look}]\n    broken_by: {f: s}\n"
		other  = "suite: S\ntests:\n  - id: A-2\n    test: u\n    must: m\n    stebs: []\n" // has mistakes
		own    = "suite: Own\ntests:\n  - id: my.own\n    test: t\n    may: m\n    source: s\n    steps: [{use: look}]\n    broken_by: {f: s}\n"
	)
	for _, row := range []struct {
		name    string
		bundled map[string]string // of the profile p; nil: as on disk
		disk    map[string]string
		paths   []string
		input   string
		wrong   string // lines
		advice  string
	}{
		{
			name: "a file of a working copy", disk: map[string]string{"p/shared.yaml": shared, "p/a.yaml": good, "p/b.yaml": other},
			paths: []string{"p/a.yaml"},
		},
		{
			name: "the file with the mistakes", disk: map[string]string{"p/shared.yaml": shared, "p/a.yaml": good, "p/b.yaml": other},
			paths: []string{"p/b.yaml"}, wrong: "p/b.yaml:3:5: a test needs steps\np/b.yaml:6:5: a test has no key \"stebs\" (did you mean steps?)",
		},
		{
			name: "the folder", disk: map[string]string{"p/shared.yaml": shared, "p/a.yaml": good, "p/b.yaml": other},
			paths: []string{"p"}, wrong: "p/b.yaml:3:5: a test needs steps\np/b.yaml:6:5: a test has no key \"stebs\" (did you mean steps?)",
		},
		{
			name: "a file that takes an id of its neighbour", disk: map[string]string{"p/shared.yaml": shared, "p/a.yaml": good, "p/c.yaml": good},
			paths: []string{"p/c.yaml"}, wrong: "p/c.yaml:3:5: the id A-1 is already taken, at p/a.yaml:3:5",
		},
		{
			name: "shared steps that others may use", disk: map[string]string{"p/shared.yaml": shared + "  more: [{use: look}]\n", "p/a.yaml": good, "p/b.yaml": strings.Replace(other, "stebs: []", "steps: [{use: more}]", 1)},
			paths: []string{"p/a.yaml"},
		},
		{
			name: "shared steps that nobody uses", disk: map[string]string{"p/shared.yaml": shared + "  more: [{use: look}]\n", "p/a.yaml": good},
			paths: []string{"p"}, advice: "p/shared.yaml:3:10: nothing uses the shared steps more",
		},
		{
			name: "conditions that others may use", disk: map[string]string{"p/shared.yaml": "conditions: {ok: 200}\n" + shared, "p/a.yaml": good, "p/b.yaml": other},
			paths: []string{"p/a.yaml"},
		},
		{
			name: "conditions that nobody uses", disk: map[string]string{"p/shared.yaml": "conditions: {ok: 200}\n" + shared, "p/a.yaml": good},
			paths: []string{"p"}, advice: "p/shared.yaml:1:14: nothing uses the condition ok",
		},
		{
			name: "a suite of one's own with bundled conditions", bundled: map[string]string{"p/shared.yaml": "conditions: {ok: 200, no: 404}\n" + shared, "p/a.yaml": good},
			disk:  map[string]string{"mine/own.yaml": "conditions: {fine: {is: ok}}\n" + strings.Replace(own, "{use: look}", "{use: look, expect: {status: {is: fine}}}", 1)},
			paths: []string{"mine"},
		},
		{
			name: "a working copy, where the program has a broken one", bundled: map[string]string{"p/shared.yaml": "{", "p/a.yaml": other},
			disk: map[string]string{"p/shared.yaml": shared, "p/a.yaml": good}, paths: []string{"p"},
		},
		{
			name: "a suite of one's own beside bundled ones with mistakes", bundled: map[string]string{"p/shared.yaml": shared, "p/a.yaml": good, "p/b.yaml": other, "p/roots.yaml": "{"},
			disk: map[string]string{"mine/own.yaml": own}, paths: []string{"mine/own.yaml"},
		},
		{
			name: "one that takes a bundled id", bundled: map[string]string{"p/shared.yaml": shared, "p/b.yaml": other},
			disk: map[string]string{"mine/own.yaml": strings.Replace(own, "my.own", "A-2", 1)}, paths: []string{"mine"},
			wrong: "mine/own.yaml:3:5: the id A-2 is already taken, at p/b.yaml:3:5",
		},
		{
			name: "one that needs shared steps with mistakes", bundled: map[string]string{"p/shared.yaml": strings.Replace(shared, "expect", "expct", 1)},
			disk: map[string]string{"mine/own.yaml": own}, paths: []string{"mine"},
			wrong: "p/shared.yaml:2:35: a request step has no option \"expct\" (did you mean expect?)",
		},
		{
			name: "a copy and suites of one's own", bundled: map[string]string{"p/shared.yaml": shared, "p/a.yaml": good},
			disk: map[string]string{"p/shared.yaml": shared, "p/a.yaml": good, "p/b.yaml": other, "mine/own.yaml": own}, paths: []string{"p/a.yaml", "mine"},
		},
		{
			name: "standard input", bundled: map[string]string{"p/shared.yaml": shared, "p/a.yaml": good}, input: own,
		},
		{
			name: "mistakes on standard input", bundled: map[string]string{"p/shared.yaml": shared}, input: other,
			wrong: "<stdin>:3:5: a test needs steps\n<stdin>:6:5: a test has no key \"stebs\" (did you mean steps?)",
		},
		{name: "nothing on standard input", bundled: map[string]string{"p/shared.yaml": shared}, input: " ", wrong: "<stdin>:1:1: the file is empty"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			bundled := fstest.MapFS{}
			for name, text := range row.disk {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
					t.Fatal(err)
				}
				write(t, dir, name, text)
				if row.bundled == nil {
					bundled[name] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			for name, text := range row.bundled {
				bundled[name] = &fstest.MapFile{Data: []byte(text)}
			}
			draft := suites.Draft{Bundled: bundled, Profile: "p"}
			for _, path := range row.paths {
				draft.Paths = append(draft.Paths, filepath.Join(dir, path))
			}
			if row.input != "" {
				draft.Input = io.Reader(strings.NewReader(row.input))
			}
			profile, err := draft.Load()
			var wrong string
			if err != nil {
				wrong = strings.ReplaceAll(err.Error(), dir+"/", "")
			}
			if diff := cmp.Diff(row.wrong, wrong); diff != "" {
				t.Fatalf("what is wrong (-want +got):\n%s", diff)
			}
			if err != nil {
				return
			}
			var advice []string
			for _, a := range suites.Lint(profile) {
				advice = append(advice, strings.ReplaceAll(a.Error(), dir+"/", ""))
			}
			if diff := cmp.Diff(row.advice, strings.Join(advice, "\n")); diff != "" {
				t.Errorf("advice (-want +got):\n%s", diff)
			}
		})
	}
}
