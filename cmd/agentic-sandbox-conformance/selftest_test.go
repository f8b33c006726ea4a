// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/faultsets"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestSelfTested: what the self-test established decides the exit code and is written down. (The self-test itself is
// run by the tests of its package.)
func TestSelfTested(t *testing.T) {
	t.Parallel()
	proved := selftest.Report{Profile: "p", Tests: 1, Proved: 1, Faults: 1, Kills: []selftest.Kill{{Test: "A-1", Fault: "f", Killed: true}}}
	narrow := proved
	narrow.Narrow = true
	together := selftest.Report{Profile: "p", ManyAtOnce: &faultsets.Report{Sets: 1, Smallest: 2, Largest: 2, Faults: 2}}
	broken := proved
	broken.Problems = []selftest.Problem{{Rule: 2, At: "a.yaml:1:2", Says: "A-1 passes under f\x1b[31m"}}
	for _, row := range []struct {
		name   string
		report selftest.Report
		code   int
		said   string
	}{
		{"everything is proved", proved, exitPass, ""},
		{"narrowly", narrow, exitPass, ""},
		{"sets of faults", together, exitPass, ""},
		{"a rule does not hold", broken, exitFail, `a.yaml:1:2: A-1 passes under f\x1b[31m (rule 2)`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "out")
			var stdout, stderr bytes.Buffer
			a := &app{stdout: &stdout, stderr: &stderr}
			if code := exitCode(a.selfTested(&row.report, dir)); code != row.code {
				t.Errorf("exit code is %d, want %d", code, row.code)
			}
			if got := strings.TrimSpace(stdout.String()); got != row.report.Sentence() {
				t.Errorf("standard output is %q, want the sentence", got)
			} else if strings.Contains(got, "was not looked for") != row.report.Narrow {
				t.Errorf("standard output is %q: does it say that not everything was played?", got)
			}
			if !strings.Contains(stderr.String(), row.said) {
				t.Errorf("standard error is %q, want %q in it", stderr.String(), row.said)
			}
			for _, name := range []string{"kill-matrix.md", "kill-matrix.json"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestProvable: what cannot be proved is refused before anything is started.
func TestProvable(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, profile, fault, said string }{
		{"a profile", defaultProfile, "", ""},
		{"a fault of it", defaultProfile, "replay-marked-twice", ""},
		{"no fault of it", defaultProfile, "replay-marked-twicee", `there is no fault "replay-marked-twicee" (did you mean "replay-marked-twice"?); reference --list-faults lists them`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var faults []string
			if row.fault != "" {
				faults = []string{row.fault}
			}
			err := provable(row.profile, faults)
			if said := fmt.Sprint(err); row.said == "" && err != nil || !strings.Contains(said, row.said) {
				t.Errorf("the error is %v, want %q in it", err, row.said)
			}
			if err != nil && exitCode(err) != exitUsage {
				t.Errorf("exit code is %d, want %d", exitCode(err), exitUsage)
			}
		})
	}
	for _, profile := range selftest.Profiles() {
		err := provable(profile, nil)
		if bundled := slices.Contains(suites.Profiles(), profile); bundled != (err == nil) {
			t.Errorf("of %s, whose suites are bundled: %v, the error is %v", profile, bundled, err)
		}
	}
}

// TestAddSideEffectsToAFile: what else faults change is added to the file, and a file that is none is left as it is.
func TestAddSideEffectsToAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), suites.SideEffectsFile)
	const before = "side_effects:\n  b: [T-1]\n"
	for _, row := range []struct {
		text  string
		found map[string][]string
		want  string
		wrong bool
	}{
		{before, map[string][]string{"a": {"T-2"}, "b": {"T-3"}}, "side_effects:\n  a: [T-2]\n  b: [T-1, T-3]\n", false},
		{before, nil, before, false},
		{"suite: S\n", map[string][]string{"a": {"T-2"}}, "suite: S\n", true},
	} {
		if err := os.WriteFile(file, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := addSideEffects(file, row.found)
		if got, _ := os.ReadFile(file); (err != nil) != row.wrong || string(got) != row.want {
			t.Errorf("%v makes %q (%v), want %q", row.found, got, err, row.want)
		}
	}
	if err := addSideEffects(file+"x", map[string][]string{"a": {"T-2"}}); err == nil {
		t.Error("a file that is not there is written")
	}
}
