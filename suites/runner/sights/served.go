// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// maxServed bounds how many routes are kept; a target can lead to as many as it likes.
const maxServed = 1000

// served are the routes that the target has been seen to serve: where one is served, a 404 is about what its path names, and
// comes from the executor; where none is, a router may have answered, which words its answers as it likes (AMB-53).
type served struct {
	mu     sync.Mutex
	routes map[string]bool
}

// before says whether the route of a request has been served before.
func (s *served) before(p *target.Place, q *observe.Request) bool {
	route := routeOf(p, q)
	s.mu.Lock()
	defer s.mu.Unlock()
	return route != "" && s.routes[route]
}

// answered notes an answer. That it was refused says nothing, as credentials and forms may be looked at before routes are.
func (s *served) answered(p *target.Place, q *observe.Request, status int) {
	shows := status >= 200 && status < 300 || slices.Contains([]int{http.StatusConflict, http.StatusGone, http.StatusUnprocessableEntity}, status)
	if !shows {
		return
	}
	route := routeOf(p, q)
	s.mu.Lock()
	defer s.mu.Unlock()
	if route == "" || len(s.routes) >= maxServed {
		return
	}
	if s.routes == nil {
		s.routes = map[string]bool{}
	}
	s.routes[route] = true
}

// routeOf is what an operation of one instance, or of one of the other surfaces, is sent to: the root of it, and behind that the
// route, without what differs from test to test. It is empty where there is no such root.
func routeOf(p *target.Place, q *observe.Request) string {
	surface, below := p.SurfaceOf(q.URL)
	path := target.SentPath(q.URL)
	if below == "" || q.Route == "" || q.Raw {
		return ""
	}
	asked := strings.Split(below, "/")
	if surface == "admin" && len(asked) > 2 && asked[0] == "storage" { // {scope}/{path...}, which is as long as it likes
		if slices.ContainsFunc(asked, func(s string) bool { return s == "" || strings.HasPrefix(s, ".") || strings.Contains(s, "%") }) {
			return "" // a router may have an opinion of its own of such a path
		}
		return q.Method + " " + strings.Join(asked[:2], "/") + "/{path}"
	}
	route := strings.Split(q.Route, "/")
	if len(route) < len(asked) {
		return ""
	}
	return q.Method + " " + strings.TrimSuffix(path, below) + strings.Join(route[len(route)-len(asked):], "/")
}
