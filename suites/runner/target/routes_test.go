// SPDX-License-Identifier: Apache-2.0

package target

import "testing"

func TestRouteOfARequest(t *testing.T) {
	t.Parallel()
	s := &Target{Place: Place{Root: "https://h/below", Base: "https://h/below/agents/one", API: "https://h/below/agents/one/v1", Admin: "https://ops/admin", IID: "one"}}
	kept := func(text string) bool { return text == "t-17" }
	for address, want := range map[string]string{
		"https://h/below/agents/one/v1/tasks":                                  "GET /agents/{id}/v1/tasks",
		"https://h/below/agents/one/v1/tasks/t-17/cancel?x=t-17#y":             "GET /agents/{id}/v1/tasks/{id}/cancel",
		"https://h/below/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/v1/tasks": "GET /agents/{id}/v1/tasks",
		"https://ops/admin/instances/op_{id}":                                  "GET {admin}/instances/op_{id}",
		"https://h/below/boxes/conf-none-marker-abcdefgh2345/pause":            "GET /boxes/conf-none-{id}/pause",
		"https://h/below":             "GET /",
		"https://h/belowground/x":     "GET {elsewhere}/belowground/x",
		"https://other/agents/one/v1": "GET {elsewhere}/agents/{id}/v1",
	} {
		if got := s.Route("GET", address, kept); got != want {
			t.Errorf("the route of %s is %q, want %q", address, got, want)
		}
	}
}

func TestARouteThatIsLikeAKnownOne(t *testing.T) {
	var routes Routes
	for _, route := range []string{"GET /tasks/{id}", "POST /tasks/{id}:cancel", "GET /tasks/{id}/logs", "GET /tasks/all"} {
		routes.Answered(route, 200)
	}
	for _, row := range []struct{ route, want string }{
		{"GET /tasks/7", "GET /tasks/{id}"},
		{"POST /tasks/7:cancel", "POST /tasks/{id}:cancel"},
		{"GET /tasks/7/logs", "GET /tasks/{id}/logs"},
		{"GET /tasks/all", "GET /tasks/all"},
		{"GET /tasks/{id}", "GET /tasks/{id}"},
		{"GET /tasks/", "GET /tasks/"},
		{"POST /tasks/:cancel", "POST /tasks/:cancel"},
		{"DELETE /tasks/7", "DELETE /tasks/7"},
		{"GET /tasks/7/files", "GET /tasks/7/files"},
	} {
		if got := routes.Like(row.route); got != row.want {
			t.Errorf("%s is like %s, want %s", row.route, got, row.want)
		}
	}
}
