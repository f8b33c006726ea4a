// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"fmt"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A long answer is shown where the finding is about, behind a little of its beginning.
func TestBodyOf(t *testing.T) {
	t.Parallel()
	var tasks, lines strings.Builder
	for i := range 200 {
		fmt.Fprintf(&tasks, `{"id": "task-%d", "contextId": "context-of-all-of-them-%d", "status": {"state": "TASK_STATE_COMPLETED", "timestamp": "2026-11-28T20:06:13Z"}},`, i, i)
		fmt.Fprintf(&lines, "sample_of_a_metric_total{of=\"%d\"} %d\n", i, i)
	}
	list := `{"tasks": [` + strings.ReplaceAll(strings.TrimSuffix(tasks.String(), ","), `"id": "task-150"`, `"id": 150`) + `]}`
	for _, row := range []struct {
		name, body, subject, observed string
		judged                        bool
		has, lacks                    string
	}{
		{"a member with its value", list, "pages[*].result.tasks[150].contextId", `"context-of-all-of-them-150"`, true, `"contextId": "context-of-all-of-them-150"`, "task-100"},
		{"a text in lines", lines.String(), "body", `holds a token, after "total{of=\"150\"}"`, true, `total{of="150"} 150`, `{of="100"}`},
		{"of the beginning", list, "pages[*].result.tasks[1].contextId", `"context-of-all-of-them-1"`, true, `"contextId": "context-of-all-of-them-1"`, "left out"},
		{"of another answer", list, "tasks[150].contextId", `"context-of-all-of-them-150"`, false, "task-1", "left out"},
		{"what is not in it", list, "tasks", `"another"`, true, "task-1", "left out"},
		{"nothing quoted", list, "tasks", `has 200 elements`, true, "task-1", "left out"},
		{"one long line", strings.Repeat("a b c ", 2000) + "the culprit" + strings.Repeat(" d", 2000), "body", `"the culprit"`, true, "the culprit", ""},
	} {
		r := &report.Result{Outcome: report.Fail, Findings: []report.Finding{{Severity: report.Fail, Subject: row.subject, Observed: row.observed}}}
		shown, cut := BodyOf(&report.Evidence{Body: row.body, Judged: row.judged}, 2048, Clues(r))
		if !cut || len(shown) > 2048+80 {
			t.Errorf("%s: %d bytes, cut: %v", row.name, len(shown), cut)
		}
		if !strings.Contains(shown, row.has) || row.lacks != "" && strings.Contains(shown, row.lacks) {
			t.Errorf("%s: %s", row.name, shown)
		}
	}
	if shown, cut := BodyOf(&report.Evidence{Body: "short", Judged: true}, 2048, []string{"short"}); shown != "short" || cut {
		t.Errorf("a short one is %q, cut: %v", shown, cut)
	}
}
