// SPDX-License-Identifier: Apache-2.0

package html

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// reportHref is a link to a report of a target, in its folder beside the overview.
var reportHref = regexp.MustCompile(`href="[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)+"`)

// The page of an overview has nothing of the targets' in it but text.
func TestOverviewPages(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*overview.Overview{"fleet": reporttest.Fleet(), "passes": reporttest.FleetOfPasses(), "hostile": reporttest.HostileFleet()} {
		var b bytes.Buffer
		if err := WriteOverview(&b, o); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		for _, flaw := range flaws(t, reportHref.ReplaceAllString(page, `href="#targets"`)) {
			t.Errorf("%s: %s", name, flaw)
		}
		if strings.Contains(page, "<script") || strings.Contains(page, `href="javascript`) || strings.Contains(page, `href="..`) {
			t.Errorf("%s: something leads out of the page", name)
		}
	}
}

// The page says of every target how it did on every surface, and leads to its report.
func TestOverviewPageSaysAllOfIt(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := WriteOverview(&b, reporttest.Fleet()); err != nil {
		t.Fatal(err)
	}
	text := inline(parsedPage(t, b.String()))
	for _, want := range []string{"FAIL, 6 targets", "FAIL 1/1", "What all of them break", "CARD-001", "3 of 3: eu-west, us-east, staging", "What only one breaks", "TASK-001",
		"1 shard is missing: 1/2", "another version of the program", "shard 1/2 is missing", "region=eu, stage=production"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if !strings.Contains(b.String(), `href="shard-0-of-2/eu-west/conformance.report.md"`) {
		t.Error("no link leads to the report of eu-west")
	}
}
