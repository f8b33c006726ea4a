// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A 404 is an executor's where the run has seen its route be served, at the same instance.
func TestServedRoutes(t *testing.T) {
	t.Parallel()
	place := &target.Place{Root: "http://x", Base: "http://x/agents/i", API: "http://x/agents/i/v1", Admin: "http://x/api/v2/admin"}
	ask := func(method, url, route string) *observe.Request {
		return &observe.Request{Method: method, URL: url, Route: method + " " + route}
	}
	const one, another, route = "http://x/agents/i/v1/tasks/", "http://x/agents/j/v1/tasks/", "/agents/{id}/v1/tasks/{id}"
	const admin = "http://x/api/v2/admin/"
	for _, c := range []struct {
		name   string
		shown  *observe.Request
		status int
		asked  *observe.Request
		want   bool
	}{
		{"another task", ask("GET", one+"a", route), 200, ask("GET", one+"b?x=1", route), true},
		{"another method", ask("GET", one+"a", route), 200, ask("DELETE", one+"b", route), false},
		{"another instance", ask("GET", one+"a", route), 200, ask("GET", another+"b", route), false},
		{"both at another instance", ask("GET", another+"a", route), 200, ask("GET", another+"b", route), true},
		{"a route below", ask("GET", one+"a", route), 200, ask("GET", one+"b/artifacts", route+"/artifacts"), false},
		{"it was not found", ask("GET", one+"a", route), 404, ask("GET", one+"b", route), false},
		{"it was not allowed", ask("GET", one+"a", route), 405, ask("GET", one+"b", route), false},
		{"nobody was let in", ask("GET", one+"a", route), 401, ask("GET", one+"b", route), false},
		{"a gateway failed", ask("GET", one+"a", route), 502, ask("GET", one+"b", route), false},
		{"it was refused for what it is", ask("POST", one+"a/cancel", route+"/cancel"), 409, ask("POST", one+"b/cancel", route+"/cancel"), true},
		{"objects of any depth", ask("GET", admin+"storage/inbox/a/b/c.txt", "{admin}/storage/inbox/{id}/b/c.txt"), 200, ask("GET", admin+"storage/inbox/d", "{admin}/storage/inbox/{id}"), true},
		{"another scope", ask("GET", admin+"storage/inbox/a", "{admin}/storage/inbox/{id}"), 200, ask("GET", admin+"storage/outbox/a", "{admin}/storage/outbox/{id}"), false},
		{"an odd path", ask("GET", admin+"storage/inbox/a", "{admin}/storage/inbox/{id}"), 200, ask("GET", admin+"storage/inbox/a/../b", "{admin}/storage/inbox/{id}/../b"), false},
		{"an unknown instance", ask("DELETE", admin+"instances/a", "{admin}/instances/{id}"), 202, ask("DELETE", admin+"instances/b", "{admin}/instances/{id}"), true},
		{"no surface", ask("GET", "http://x/hello", "/hello"), 200, ask("GET", "http://x/hello", "/hello"), false},
		{"no route", &observe.Request{Method: "GET", URL: one + "a"}, 200, &observe.Request{Method: "GET", URL: one + "a"}, false},
	} {
		var s served
		s.answered(place, c.shown, c.status)
		if got := s.before(place, c.asked); got != c.want {
			t.Errorf("%s: served is %v, want %v", c.name, got, c.want)
		}
	}
}
