// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
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
