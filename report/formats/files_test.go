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
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/markdown"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

func TestPathsFollowTheBaseRule(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		out     string
		formats string
		want    []string
	}{
		{"conformance.report.md", "markdown,junit", []string{"conformance.report.md", "conformance.report.junit.xml"}},
		{"conformance.report.md", "junit", []string{"conformance.report.junit.xml"}},
		{"conformance.report", "markdown,json", []string{"conformance.report.md", "conformance.report.json"}},
		{"out/x.junit.xml", "json,junit,markdown", []string{"out/x.json", "out/x.junit.xml", "out/x.md"}},
		{"results.xml", "junit,markdown", []string{"results.xml", "results.md"}},
		{"a.JSON", "json,markdown", []string{"a.JSON", "a.md"}},
		{"a.html", "json", []string{"a.json"}},
		{"a.html", "json,html", []string{"a.json", "a.html"}},
		{"a.md", "markdown,html", []string{"a.md", "a.html"}},
		{"v1.2", "json", []string{"v1.2.json"}},
		{".md", "markdown", []string{".md.md"}},
		{"", "markdown", []string{"conformance.report.md"}},
		{"demo-report/", "markdown,json", []string{"demo-report/conformance.report.md", "demo-report/conformance.report.json"}},
		{folder, "json", []string{folder + "/conformance.report.json"}},
		{"-", "json", []string{"-"}},
	} {
		got, err := Paths(strings.Split(row.formats, ","), row.out)
		if err != nil {
			t.Errorf("%s to %q: %v", row.formats, row.out, err)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s to %q (-want +got):\n%s", row.formats, row.out, diff)
		}
	}
	for _, row := range [][3]string{
		{"markdown,junit", "-", "standard output takes exactly one report format, not 2"},
		{"html5", "x", `unknown report format "html5"`},
		{"json,json", "x", "the json and the json report would both be x.json"},
	} {
		if _, err := Paths(strings.Split(row[0], ","), row[1]); err == nil || !strings.Contains(err.Error(), row[2]) {
			t.Errorf("%s to %q: error is %v, want one with %q", row[0], row[1], err, row[2])
		}
	}
}

func TestParseFormats(t *testing.T) {
	t.Parallel()
	got, err := ParseFormats("markdown, junit,markdown")
	if err != nil || !cmp.Equal(got, []string{"markdown", "junit"}) {
		t.Errorf("formats are %q, %v", got, err)
	}
	for list, want := range map[string]string{
		"markdwon":     `unknown report format "markdwon" (did you mean markdown?); known formats: github, html, json, junit, markdown`,
		"md":           `unknown report format "md" (did you mean markdown?)`,
		"xml":          `(did you mean junit?)`,
		"JUnit":        `unknown report format "JUnit" (did you mean junit?)`,
		"pdf":          `unknown report format "pdf"; known formats: github, html, json, junit, markdown`,
		"":             `a report format is missing; known formats`,
		"json,,junit":  `a report format is missing`,
		"jsn,markdown": `(did you mean json?)`,
	} {
		if _, err := ParseFormats(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want one with %q", list, err, want)
		}
	}
}

func TestWriteReplacesFilesWhole(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new", "folder")
	out := filepath.Join(folder, "r.md")
	for range 2 { // the second time the files are there
		paths, err := Write(sample(t, "every-outcome"), []string{"markdown", "junit", "json"}, out)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{out, filepath.Join(folder, "r.junit.xml"), filepath.Join(folder, "r.json")}
		if diff := cmp.Diff(want, paths); diff != "" {
			t.Error(diff)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 3 {
		t.Errorf("the folder holds %d files, want 3: %v", len(entries), entries)
	}
	for _, e := range entries {
		if info, _ := e.Info(); info.Mode().Perm() != 0o644 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
	text, err := os.ReadFile(out)
	if err != nil || string(text) != reporttest.Rendered(t, markdown.Write, sample(t, "every-outcome")) {
		t.Errorf("the file is not the report: %v", err)
	}
}

func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "r.md")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken off")
	err := WriteFile(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, strings.Repeat("new", 100<<10)); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
	text, _ := os.ReadFile(path)
	entries, _ := os.ReadDir(filepath.Dir(path))
	if string(text) != "old" || len(entries) != 1 {
		t.Errorf("the file holds %.20q, the folder %v", text, entries)
	}
}

func TestOneFormatThatCannotBeWrittenDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "r.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	paths, err := Write(sample(t, "every-outcome"), []string{"markdown", "json"}, filepath.Join(folder, "r"))
	if err == nil || !strings.Contains(err.Error(), "write the markdown report") {
		t.Errorf("error is %v", err)
	}
	if !cmp.Equal(paths, []string{filepath.Join(folder, "r.json")}) {
		t.Errorf("written: %q", paths)
	}
}

func TestWriteToStandardOutputAndDevices(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	paths, err := write(sample(t, "every-outcome"), []string{"json"}, "-", &b)
	if err != nil || !cmp.Equal(paths, []string{"-"}) {
		t.Errorf("written: %q, %v", paths, err)
	}
	if b.String() != reporttest.Rendered(t, report.WriteJSON, sample(t, "every-outcome")) {
		t.Error("standard output does not hold the report")
	}
	if _, err := writeOne(sample(t, "every-outcome").Settled, Formats[0], os.DevNull, &b); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Error("the device was replaced by a file")
	}
}

// A format that panics is a bug of ours, and leaves no half a file.
func TestAFormatThatPanicsIsABug(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	panics := Format{Name: "x", Write: func(w io.Writer, _ report.Settled) error {
		fmt.Fprint(w, "half")
		panic("what?")
	}}
	_, err := writeOne(sample(t, "every-outcome").Settled, panics, filepath.Join(folder, "x"), nil)
	if !errors.Is(err, ErrBug) || !strings.Contains(err.Error(), "what?") {
		t.Errorf("the error is %v", err)
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
