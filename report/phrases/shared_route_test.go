// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

func TestTheRouteThatResultsShare(t *testing.T) {
	found := func(routes ...string) *report.Result {
		r := &report.Result{Outcome: report.Fail}
		for _, route := range routes {
			r.Findings = append(r.Findings, report.Finding{Severity: report.Fail, Route: route})
		}
		return r
	}
	noted := found("POST /rpc GetTask")
	noted.Findings = append(noted.Findings, report.Finding{Severity: report.Pass, Route: "GET /tasks"})
	everywhere := found("POST /rpc GetTask")
	everywhere.Findings[0].SeenAt = "POST /rpc GetTask (3), GET /tasks (1)"
	for _, test := range []struct {
		name    string
		results []*report.Result
		want    string
	}{
		{"different operations of one route", []*report.Result{found("POST /rpc GetTask"), found("POST /rpc ListTasks", "POST /rpc GetTask")}, "POST /rpc"},
		{"a route without an operation", []*report.Result{found("GET /tasks/{id}"), found("GET /tasks/{id}")}, "GET /tasks/{id}"},
		{"a note is about another one", []*report.Result{noted, found("POST /rpc GetTask")}, "POST /rpc"},
		{"different routes", []*report.Result{found("POST /rpc GetTask"), found("GET /tasks")}, ""},
		{"one of them has several", []*report.Result{found("POST /rpc GetTask", "GET /tasks"), found("POST /rpc GetTask")}, ""},
		{"one of them is about the whole run", []*report.Result{found("POST /rpc GetTask"), everywhere}, ""},
		{"one of them is about no route", []*report.Result{found("POST /rpc GetTask"), found("")}, ""},
		{"the first is about no route", []*report.Result{found(""), found("POST /rpc GetTask")}, ""},
		{"a single one", []*report.Result{found("POST /rpc GetTask")}, ""},
	} {
		if got := SharedRoute(test.results); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
