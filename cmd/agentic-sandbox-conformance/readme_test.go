// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestDocumentedInvocation: the command line that the README shows is one that the program takes, and takes as meant.
func TestDocumentedInvocation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const want = `    agentic-sandbox-conformance \
      --executor-url https://your-deployment/ \
      --token <bearer> \
      --report-format markdown,junit \
      --report-out conformance.report.md
`
	if !strings.Contains(string(text), want) {
		t.Fatalf("the README does not show the documented invocation:\n%s", want)
	}
	s := newSettings(pflag.NewFlagSet(program, pflag.ContinueOnError))
	if err := s.flags.Parse(strings.Fields(strings.ReplaceAll(want, `\`, ""))[1:]); err != nil {
		t.Fatal(err)
	}
	got := []string{s.executorURL, s.token, strings.Join(s.formats, ","), s.out}
	if diff := cmp.Diff([]string{"https://your-deployment/", "<bearer>", "markdown,junit", "conformance.report.md"}, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// TestReadmeListsTheExitCodes: each code of the program stands in the README's table, and no other.
func TestReadmeListsTheExitCodes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| Exit code | Meaning |")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for _, line := range strings.Split(table, "\n") {
		if cells := strings.Split(line, "|"); len(cells) > 2 && !strings.HasPrefix(cells[1], "---") {
			listed = append(listed, strings.TrimSpace(cells[1]))
		}
	}
	want := []string{"0", "1", "2", "3", "4", "5", "70", "130"}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("exit codes (-want +got):\n%s", diff)
	}
}

// TestReadmeCountsWhatThereIs: how many tests, faults and kills the README speaks of is how many the suites have.
func TestReadmeCountsWhatThereIs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	profile, err := suites.LoadProfile(suites.Embedded(), "agentic-sandbox-v2")
	if err != nil {
		t.Fatal(err)
	}
	tests, kills, faults := 0, 0, map[string]bool{}
	for _, test := range profile.Tests() {
		if len(test.BrokenBy) > 0 {
			tests++
		}
		for _, b := range test.BrokenBy {
			faults[b.Fault] = true
			kills++
		}
	}
	grouped := func(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
	want := fmt.Sprintf("all %d tests that can be judged today are proved by %s faults; each of the %s kills", tests, grouped(len(faults)), grouped(kills))
	if words := strings.Join(strings.Fields(string(text)), " "); !strings.Contains(words, want) {
		t.Errorf("the README does not say that %s", want)
	}
}
