// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

func TestJSONAndLinesMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, sample := range reporttest.Samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reporttest.Golden(t, "testdata/"+name+".json", reporttest.Rendered(t, report.WriteJSON, sample()))
			r := sample()
			reporttest.Golden(t, "testdata/"+name+".lines.txt", report.OneLine(r)+"\n"+report.LastLine(r, []string{"conformance.report.md", "conformance.report.junit.xml"})+"\n")
		})
	}
}
