// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// What is about the whole run names every route that it was seen at, not just that of the answer that is shown.
func TestAFindingAboutTheWholeRunNamesItsRoutes(t *testing.T) {
	f := report.Finding{At: "x.yaml:1:1", Severity: report.Fail, Subject: "header.Sunset", Observed: "is present", Expected: "absent",
		Problem: "header.Sunset is present, want absent", Route: "GET /tasks", Status: 200, SeenAt: "GET /tasks/{id} (12), GET /tasks (1)"}
	const whole = "x.yaml:1:1\n  GET /tasks, answered with 200: header.Sunset\n    observed  present\n    expected  absent\n" +
		"    seen at   GET /tasks/{id} (12), GET /tasks (1)\n"
	if got := Finding(&f, 1000); got != whole {
		t.Errorf("the finding is\n%s\nwant\n%s", got, whole)
	}
	const short = "header.Sunset is present, want absent; seen at GET /tasks/{id} (12), GET /tasks (1)"
	if got := Short(&report.Result{Outcome: report.Fail, Findings: []report.Finding{f}}); got != short {
		t.Errorf("in short it is %q, want %q", got, short)
	}
}
