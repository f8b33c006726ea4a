// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// Runs that write to the same names leave the files of one of them.
func TestReportsAppearTogether(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "r.md")
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			run := sample(t, "every-outcome")
			run.Title = fmt.Sprintf("run number %d", i)
			if _, err := write(run, []string{"markdown", "json", "junit"}, out, io.Discard); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	saved, err := os.ReadFile(strings.TrimSuffix(out, ".md") + ".json")
	if err != nil {
		t.Fatal(err)
	}
	run, err := report.ReadJSON(bytes.NewReader(saved))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(out))
	if err != nil || len(entries) != 3 {
		t.Errorf("%d files are there, want 3: %v", len(entries), err)
	}
	for _, entry := range entries {
		file, err := os.Open(filepath.Join(filepath.Dir(out), entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := NotRendered(run, entry.Name(), file); err != nil {
			t.Errorf("%s is of another run than the JSON report: %v", entry.Name(), err)
		}
		file.Close()
	}
}

// A report that cannot be written takes that of an earlier run away, and the others are there.
func TestAReportThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"a.md", "a.html"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("of an earlier run"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	full := errors.New("no space left on device")
	if _, err := stage(filepath.Join(folder, "a.html"), func(io.Writer) error { return full }); !errors.Is(err, full) {
		t.Errorf("it was written: %v", err)
	}
	good, err := stage(filepath.Join(folder, "a.md"), func(w io.Writer) error { _, err := io.WriteString(w, "of this run"); return err })
	if err != nil {
		t.Fatal(err)
	}
	if err := appear([]staged{good, {path: filepath.Join(folder, "a.html"), failed: true}}); err != nil {
		t.Error(err)
	}
	entries, _ := os.ReadDir(folder)
	text, _ := os.ReadFile(filepath.Join(folder, "a.md"))
	if len(entries) != 1 || string(text) != "of this run" {
		t.Errorf("%d files are there, and a.md says %q", len(entries), text)
	}
}
