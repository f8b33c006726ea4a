// SPDX-License-Identifier: Apache-2.0

package junit

import (
	"bytes"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// An overview is valid under the schema of Jenkins' plugin, and no pass is green.
func TestOverviewsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	forms := readForms(t)
	nobody := overview.NewBuilder(overview.List{}, nil).Overview(report.Tool{})
	for name, o := range map[string]*overview.Overview{"fleet": reporttest.Fleet(), "fleet-of-passes": reporttest.FleetOfPasses(), "fleet-hostile": reporttest.HostileFleet(), "fleet-of-nobody": nobody} {
		var b bytes.Buffer
		if err := WriteOverview(&b, o); err != nil {
			t.Fatal(err)
		}
		root := readElements(t, b.String())
		for _, wrong := range unlike(forms, root) {
			t.Errorf("%s: %s", name, wrong)
		}
		if green := root.attr["failures"] == "0" && root.attr["errors"] == "0"; green != (o.Verdict == report.Passed) {
			t.Errorf("%s: green is %t, the verdict %s", name, green, o.Verdict)
		}
		reporttest.Golden(t, "testdata/overview-"+name+".junit.xml", b.String())
	}
}
