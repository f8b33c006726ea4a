// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

var update = flag.Bool("update", false, "write the golden files anew; read them before you commit them")

// folder holds the samples as package report writes them, and what each format makes of them.
const folder = "../testdata"

// sample is a run that was written as JSON.
func sample(t *testing.T, name string) *report.Run {
	t.Helper()
	file, err := os.Open(filepath.Join(folder, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	run, err := report.ReadJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func rendered(t *testing.T, write func(io.Writer, report.Settled) error, run *report.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, run.Settled()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFormatsMatchTheirGoldenFiles renders what was saved, as the command render does. HTML, which is compared by its
// outline, and JSON itself are compared by package report.
func TestFormatsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	saved, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(saved) < 10 {
		t.Fatalf("%d samples, %v", len(saved), err)
	}
	for _, path := range saved {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if strings.HasPrefix(name, "diff-") {
			continue
		}
		for _, f := range Formats {
			if f.Name == "html" || f.Name == "json" {
				continue
			}
			t.Run(name+"/"+f.Name, func(t *testing.T) {
				t.Parallel()
				if f.Announce != nil { // its file is the Markdown report
					golden(t, name+"."+f.Name+".txt", rendered(t, f.Announce, sample(t, name)))
					return
				}
				golden(t, name+f.Extensions[0], rendered(t, f.Write, sample(t, name)))
			})
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, diff)
	}
}

// All formats are written from one run that was settled: none of them changes it under the others.
func TestFormatsLeaveTheRunAsItWas(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"every-outcome", "common-causes", "policy-unmet"} {
		settled := sample(t, name).Settled()
		for range 2 {
			for _, f := range Formats {
				var b bytes.Buffer
				if err := f.Write(&b, settled); err != nil {
					t.Fatal(err)
				}
				if b.String() != rendered(t, f.Write, sample(t, name)) {
					t.Errorf("%s as %s is another one when other formats were written before", name, f.Name)
				}
			}
		}
	}
}
