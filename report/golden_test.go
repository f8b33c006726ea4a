// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"io"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// A form is one written form of a run, with the extension of its golden files.
type form struct {
	name, extension string
	write           func(io.Writer, report.Settled) error
}

// forms are those that are written as files of their own.
var forms = []form{{"html", ".html.txt", report.WriteHTML}, {"json", ".json", report.WriteJSON}}

func TestFormatsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, sample := range reporttest.Samples {
		for _, f := range forms {
			t.Run(name+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				got := reporttest.Rendered(t, f.write, sample())
				if f.name == "html" {
					got = outline(t, got)
				}
				reporttest.Golden(t, "testdata/"+name+f.extension, got)
			})
		}
		t.Run(name+"/lines", func(t *testing.T) {
			t.Parallel()
			r := sample()
			reporttest.Golden(t, "testdata/"+name+".lines.txt", report.OneLine(r)+"\n"+report.LastLine(r, []string{"conformance.report.md", "conformance.report.junit.xml"})+"\n")
		})
	}
}
