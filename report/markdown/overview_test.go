// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

func TestOverviewsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*overview.Overview{"fleet": reporttest.Fleet(), "fleet-of-passes": reporttest.FleetOfPasses(), "fleet-hostile": reporttest.HostileFleet()} {
		var b bytes.Buffer
		if err := WriteOverview(&b, o); err != nil {
			t.Fatal(err)
		}
		readMarkdown(t, name, b.String())
		checkInert(t, b.String())
		reporttest.Golden(t, "testdata/overview-"+name+".md", b.String())
	}
}
