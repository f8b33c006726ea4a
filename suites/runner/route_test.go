// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// What a run asked, and what came back, is told by route; so is what every finding and every block is about.
func TestRoutesOfARun(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /there/x": func(w http.ResponseWriter, q *http.Request) { fmt.Fprint(w, `{"id": "t-1"}`) },
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, given: [{request: "GET ${api}/there/x", keep: {task: json.id}}], steps: [{request: "GET ${api}/gone/${task}", expect: {status: 200}}]}
  - {id: T-002, test: b, must: m, source: s, given: [{request: "GET ${api}/gone/${fresh.uuid}", expect: {status: 200}}], steps: [{request: "GET ${api}/tasks"}]}
  - {id: T-003, test: c, must: m, source: s, cases: [{at: gone, name: row}], steps: [{request: "GET ${api}/${case.at}/${fresh.marker}?x=1", expect: {status: 200}}]}
  - {id: T-004, test: d, must: m, source: s, steps: [{request: "GET ${api}/gone/no-such-${fresh.uuid}", expect: {status: 200}}]}
`)
	var routes []report.Route
	for _, route := range out.Routes {
		if route.Route == "GET /agents/{id}/v1/there/x" || route.Route == "GET /agents/{id}/v1/gone/{id}" {
			routes = append(routes, route)
		}
	}
	want := []report.Route{{Route: "GET /agents/{id}/v1/gone/{id}", Statuses: []int{404}}, {Route: "GET /agents/{id}/v1/there/x", Statuses: []int{200}}}
	if diff := cmp.Diff(want, routes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range out.Results {
		r := &out.Results[i]
		var met *report.Finding
		if r.Reason != nil {
			met = r.Reason.Finding
		} else if len(r.Findings) == 1 {
			met = &r.Findings[0]
		}
		if met == nil || met.Route != "GET /agents/{id}/v1/gone/{id}" || met.Status != 404 || met.Curl == "" {
			t.Errorf("%s is about %+v", r.ID, met)
		}
	}
	out.Settle()
	if len(out.Causes) != 1 || len(out.Causes[0].Tests) != 4 {
		t.Errorf("the causes are %+v", out.Causes)
	}
}
