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
		shown, cut := BodyOf(&report.Evidence{Body: row.body, Judged: row.judged}, 2048, CluesOf(r))
		if !cut || len(shown) > 2048+80 {
			t.Errorf("%s: %d bytes, cut: %v", row.name, len(shown), cut)
		}
		if !strings.Contains(shown, row.has) || row.lacks != "" && strings.Contains(shown, row.lacks) {
			t.Errorf("%s: %s", row.name, shown)
		}
	}
	if shown, cut := BodyOf(&report.Evidence{Body: "short", Judged: true}, 2048, Clues{texts: []string{"short"}}); shown != "short" || cut {
		t.Errorf("a short one is %q, cut: %v", shown, cut)
	}
}

// Of a text of many lines the ones around those are shown that a finding names.
func TestBodyOfLines(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 40 {
		fmt.Fprintf(&long, "line_%d 0\n", i+1)
	}
	for _, row := range []struct {
		name, body, observed string
		want                 string // empty: the whole
	}{
		{"one line", long.String(), `has counter line_20 with 0 in line 20`,
			"… 15 lines left out here …\nline_16 0\nline_17 0\nline_18 0\nline_19 0\nline_20 0\nline_21 0\nline_22 0\n… 18 lines left out here …\n"},
		{"two lines that touch", long.String(), `has the series "line_2" in lines 3 and 5`,
			"line_1 0\nline_2 0\nline_3 0\nline_4 0\nline_5 0\nline_6 0\nline_7 0\n… 33 lines left out here …\n"},
		{"the last one", long.String(), `has line_40 in line 40`, "… 35 lines left out here …\nline_36 0\nline_37 0\nline_38 0\nline_39 0\nline_40 0"},
		{"a line that it does not have", long.String(), `has line_41 in line 41`, ""},
		{"a number within a quotation", long.String(), `has "line 7"`, ""},
		{"few lines", "a 1\nb 2\nc 3\n", `has b in line 2`, ""},
		{"JSON", "[" + strings.Repeat("\n1,", 30) + "\n1]", `has 1 in line 12`, "whole"},
	} {
		r := &report.Result{Outcome: report.Fail, Findings: []report.Finding{{Severity: report.Fail, Subject: "body", Observed: row.observed}}}
		shown, cut := BodyOf(&report.Evidence{Body: row.body, Judged: true}, 4096, CluesOf(r))
		if row.want == "" {
			row.want = row.body
		}
		if row.want == "whole" {
			row.want = Body(row.body)
		}
		if shown != row.want || cut {
			t.Errorf("%s: %q, cut: %v", row.name, shown, cut)
		}
	}
}
