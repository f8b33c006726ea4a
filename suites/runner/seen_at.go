// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

const (
	maxRoutesCounted = 100 // of one condition
	maxRoutesNamed   = 4   // in a finding
)

// A routeCount is how often something was not as wanted, for each route that was asked.
type routeCount map[string]int

// add counts one more. What no request of the run led to, and what comes after too many routes, is not counted.
func (c routeCount) add(route string) {
	if _, known := c[route]; route != "" && (known || len(c) < maxRoutesCounted) {
		c[route]++
	}
}

// String names the routes with their counts, the most frequent first: "GET /a2a/tasks (12), POST /rpc (7)".
func (c routeCount) String() string {
	routes := slices.SortedFunc(maps.Keys(c), func(a, b string) int { return cmp.Or(c[b]-c[a], strings.Compare(a, b)) })
	var named []string
	for _, route := range routes[:min(len(routes), maxRoutesNamed)] {
		named = append(named, fmt.Sprintf("%s (%d)", route, c[route]))
	}
	text := strings.Join(named, ", ")
	if more := len(routes) - maxRoutesNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// beyond is String, or empty where all of it is about the route that the finding names by itself.
func (c routeCount) beyond(q *target.Request) string {
	if len(c) == 1 && q != nil && c[q.Route] > 0 {
		return ""
	}
	return c.String()
}

// routeOf is the route of an element of a list of the whole run: that of its request, a method and a URL.
func (p *player) routeOf(element any) string {
	method, address, is := strings.Cut(readers.MemberText(element, "request"), " ")
	if !is {
		return ""
	}
	return p.run.Routes.Like(p.run.Route(method, address, nil))
}
