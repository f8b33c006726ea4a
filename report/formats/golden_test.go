// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// folder holds the samples as package report writes them.
const folder = "../testdata"

// sample is a run that was written as JSON.
func sample(t *testing.T, name string) *report.Run {
	t.Helper()
	var from io.Reader
	if made := reporttest.Samples[name]; reporttest.Updating() && made != nil { // package report may be writing it at this moment
		from = strings.NewReader(reporttest.Rendered(t, report.WriteJSON, made()))
	} else {
		file, err := os.Open(filepath.Join(folder, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		from = file
	}
	run, err := report.ReadJSON(from)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestFormatsMatchTheirGoldenFiles renders what was saved, as the command render does. HTML is compared by
// its outline, in package html, and JSON itself in package report.
func TestFormatsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	for name := range reporttest.Samples {
		for _, f := range Formats {
			if f.Name == "html" || f.Name == "json" {
				continue
			}
			t.Run(name+"/"+f.Name, func(t *testing.T) {
				t.Parallel()
				if f.Announce != nil { // what it writes is the Markdown report
					reporttest.Golden(t, "../"+f.Name+"/testdata/"+name+".txt", reporttest.Rendered(t, f.Announce, sample(t, name)))
					return
				}
				reporttest.Golden(t, "../"+f.Name+"/testdata/"+name+f.Extensions[0], reporttest.Rendered(t, f.Write, sample(t, name)))
			})
		}
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
				if b.String() != reporttest.Rendered(t, f.Write, sample(t, name)) {
					t.Errorf("%s as %s is another one when other formats were written before", name, f.Name)
				}
			}
		}
	}
}
