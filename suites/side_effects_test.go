// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

func TestAddSideEffects(t *testing.T) {
	t.Parallel()
	const before = "# What else.\n\nside_effects:\n  b: [T-2]   # why\n  b-b: [T-*]\n  d: [T-1, T-3]\n"
	for _, row := range []struct {
		found map[string][]string
		want  string
	}{
		{nil, before},
		{map[string][]string{"b": {"T-2"}, "d": {}}, before},
		{map[string][]string{"b": {"T-1", "T-3"}, "d": {"T-2", "T-2"}}, "# What else.\n\nside_effects:\n  b: [T-1, T-2, T-3]   # why\n  b-b: [T-*]\n  d: [T-1, T-2, T-3]\n"},
		{map[string][]string{"a": {"T-9", "T-8"}, "c": {"T-1"}, "e": {"T-1"}}, "# What else.\n\nside_effects:\n  a: [T-8, T-9]\n  b: [T-2]   # why\n  b-b: [T-*]\n  c: [T-1]\n  d: [T-1, T-3]\n  e: [T-1]\n"},
	} {
		got, err := suites.AddSideEffects(before, row.found)
		if diff := cmp.Diff(row.want, got); err != nil || diff != "" {
			t.Errorf("%v: %v (-want +got):\n%s", row.found, err, diff)
		}
	}
	many := map[string][]string{"b": {}}
	for i := range 30 {
		many["b"] = append(many["b"], fmt.Sprintf("T-%d", 10+i))
	}
	long, err := suites.AddSideEffects("side_effects:\n  b: [T-10]   # why, as it was\n  c: [T-1]\n", many)
	if want := "\n  b: [T-10, "; err != nil || !strings.Contains(long, want) || !strings.Contains(long, ",\n    T-") || !strings.Contains(long, "T-39]   # why, as it was\n  c: [T-1]\n") {
		t.Errorf("a long line becomes %v\n%s", err, long)
	}
	for line := range strings.Lines(long) {
		if len(line) > 121 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
	if again, err := suites.AddSideEffects(long, many); err != nil || again != long {
		t.Errorf("written anew it becomes %v\n%s", err, again)
	}
	for _, text := range []string{"", "side_effects:\n  a:\n    - T-1\n"} {
		if got, err := suites.AddSideEffects(text, map[string][]string{"a": {"T-2"}}); err == nil {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// A file that is written anew is the same when there is nothing to add, so that additions are all that changes.
func TestBundledSideEffectsAreAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for _, name := range suites.Profiles() {
		file := name + "/" + suites.SideEffectsFile
		text, err := fs.ReadFile(suites.Embedded(), file)
		if errors.Is(err, fs.ErrNotExist) { // no fault of it has any
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		profile, err := suites.LoadProfile(suites.Embedded(), name)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, test := range profile.Tests() {
			for _, b := range test.BrokenBy {
				named[b.Fault] = true
			}
		}
		all := map[string][]string{}
		for _, s := range profile.SideEffects {
			all[s.Fault] = s.Tests
			if !named[s.Fault] {
				t.Errorf("%s: no test names %s", s.At, s.Fault)
			}
		}
		if got, err := suites.AddSideEffects(string(text), all); err != nil || got != string(text) {
			t.Errorf("%s: %v (-want +got):\n%s", file, err, cmp.Diff(string(text), got))
		}
	}
}

func TestSideEffectsThatAreNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{}":                             "p/side_effects.yaml:1:1: side_effects.yaml needs side_effects",
		"side_effects: [a]":              "p/side_effects.yaml:1:15: side_effects must be a mapping, not a list",
		"side_effects: {A_b: [T-1]}":     `p/side_effects.yaml:1:16: fault is "A_b", want something like cancel-is-ignored`,
		"side_effects: {a: T-1}":         "p/side_effects.yaml:1:19: a must be a list, not text",
		"side_effects: {a: [t 1]}":       `p/side_effects.yaml:1:20: a is "t 1", want something like TASK-022 or PTY-*`,
		"side_effects: {a: [T-1]}\nb: c": `p/side_effects.yaml:2:1: side_effects.yaml has no key "b"`,
	} {
		_, err := suites.LoadProfile(fstest.MapFS{"p/side_effects.yaml": &fstest.MapFile{Data: []byte(text)},
			"p/a.yaml": &fstest.MapFile{Data: []byte("suite: S\nuntested: [{id: T-1, must: m, because: b}]\n")}}, "p")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
