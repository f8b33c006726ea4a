// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// shortened is a suite with its first two tests: what the others add is not worth the time that it takes to read them anew
// for every input.
func shortened(text string) string {
	for range 2 {
		i := strings.Index(text, "\n  - id: ")
		if i < 0 {
			return text
		}
		text = text[:i] + "\n  - ID: " + text[i+len("\n  - id: "):]
	}
	if i := strings.Index(text, "\n  - id: "); i >= 0 {
		text = text[:i+1]
	}
	return strings.ReplaceAll(text, "\n  - ID: ", "\n  - id: ")
}

// FuzzLoad feeds the loader anything: it must answer with a profile or with placed problems, and never panic.
func FuzzLoad(f *testing.F) {
	for _, fsys := range []fs.FS{os.DirFS("testdata"), suites.Embedded()} {
		err := fs.WalkDir(fsys, ".", func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || entry.Name() == "shared.yaml" {
				return err
			}
			text, err := fs.ReadFile(fsys, file)
			f.Add(shortened(string(text)))
			return err
		})
		if err != nil {
			f.Fatal(err)
		}
	}
	f.Add(withSteps("- send: {a: &x 1, b: *x, <<: {c: 1}, ? [d] : e, f: !!str g}\n- use: x\n- {together: 2, steps: [{use: y}]}"))
	f.Add(withTest("cases: [{a: 1}, x]\nlet: {b: \"${case.a} ${b\"}\nbroken_by: {x: \"(\"}"))
	f.Add("shared:\n  a: [{use: a}]\nlifecycles: {x: {open: [y]}}\nuris: {z: 1}\n")
	f.Add("conditions:\n  a: {one_of: [1]}\n  b: {all_of: [{is: a}, {is: b}], is: a, .x: {is: a}}\n" + withSteps("- request: GET ${base}\n  skip_when: {x: {json: {is: b}}}\n  skip_unless: {x: {status: {is: a, not: 1}}}"))
	f.Add("- 1e\n- 1e+\n- -\n- .\n- 0x\n- \"\\ud800\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"s.yaml", "shared.yaml"} {
			profile, err := load(map[string]string{name: text, "t.yaml": "suite: T\nuntested: [{id: T, may: x, because: y}]\n"})
			if err == nil {
				suites.Lint(profile)
				continue
			}
			var problems suites.Errors
			if !errors.As(err, &problems) || len(problems) == 0 {
				t.Fatalf("error is a %T: %v", err, err)
			}
			for _, p := range problems {
				if p.At.Line < 1 || p.At.Col < 1 || p.What == "" {
					t.Errorf("problem %q has no place", p)
				}
			}
		}
	})
}
