// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
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

//go:generate go test -run TestReadmeCountsWhatThereIs -update-readme

var updateReadme = flag.Bool("update-readme", false, "write into the README how many tests, faults and kills there are")

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
	want := map[string]string{"tests": fmt.Sprint(tests), "faults": grouped(len(faults)), "kills": grouped(kills)}
	counts := regexp.MustCompile(`all (?P<tests>[\d,]+) tests that can be judged today are proved by (?P<faults>[\d,]+) faults; each of the (?P<kills>[\d,]+) kills`)
	at := counts.FindSubmatchIndex(text)
	if at == nil {
		t.Fatal("the README has no sentence of the tests that are proved")
	}
	written := bytes.Clone(text[:at[0]])
	from := at[0]
	for i, name := range counts.SubexpNames() {
		if name == "" {
			continue
		}
		written = append(append(written, text[from:at[2*i]]...), want[name]...)
		from = at[2*i+1]
	}
	written = append(written, text[from:]...)
	if *updateReadme {
		if err := os.WriteFile("../../README.md", written, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(written, text) {
		t.Errorf("the README does not say that %s tests are proved by %s faults in %s kills; go generate ./cmd/... writes it", want["tests"], want["faults"], want["kills"])
	}
}
