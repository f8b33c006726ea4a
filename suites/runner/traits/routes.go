// SPDX-License-Identifier: Apache-2.0

package traits

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	maxRoutesCounted = 100 // of one condition
	maxRoutesNamed   = 4   // in a finding
)

// A RouteCount is how often something was not as wanted, for each route that was asked.
type RouteCount map[string]int

// Add counts one more. What no request of the run led to, and what comes after too many routes, is not counted.
func (c RouteCount) Add(route string) {
	if _, known := c[route]; route != "" && (known || len(c) < maxRoutesCounted) {
		c[route]++
	}
}

// String names the routes with their counts, the most frequent first: "GET /a2a/tasks (12), POST /rpc (7)".
func (c RouteCount) String() string {
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

// Beyond is String, or empty where all of it is about the route that the finding names by itself.
func (c RouteCount) Beyond(route string) string {
	if len(c) == 1 && c[route] > 0 {
		return ""
	}
	return c.String()
}
