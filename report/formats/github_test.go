// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

func TestAStepSummaryIsAppendedTo(t *testing.T) {
	summary := filepath.Join(t.TempDir(), "summary.md")
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	if err := os.WriteFile(summary, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout strings.Builder
	out := filepath.Join(t.TempDir(), "r.md")
	for range 2 {
		paths, err := write(sample(t, "all-passed"), []string{"github", "markdown"}, out, &stdout)
		if err != nil || len(paths) != 2 || paths[0] != summary || paths[1] != out {
			t.Fatalf("%q, %v", paths, err)
		}
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); !strings.HasPrefix(got, "before\n# PASS") || strings.Count(got, "# PASS, ") != 2 {
		t.Errorf("the summary is %s", show.Brief(got, 200))
	}
	if strings.Count(stdout.String(), "::notice ") != 2 || strings.Contains(stdout.String(), "# PASS") {
		t.Errorf("standard output is %s", stdout.String())
	}
	if len(text) > 2<<20 {
		t.Errorf("the summary has %d bytes", len(text))
	}
}

func TestWithoutAStepSummaryThereIsAFile(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	var stdout strings.Builder
	out := filepath.Join(t.TempDir(), "r.md")
	paths, err := write(sample(t, "all-passed"), []string{"github"}, out, &stdout)
	if err != nil || len(paths) != 1 || filepath.Base(paths[0]) != "r.github.md" {
		t.Fatalf("%q, %v", paths, err)
	}
	stdout.Reset()
	if paths, err = write(sample(t, "all-passed"), []string{"github"}, "-", &stdout); err != nil || paths[0] != "-" || !strings.HasPrefix(stdout.String(), "::notice ") {
		t.Errorf("%q, %v, %s", paths, err, stdout.String())
	}
}
