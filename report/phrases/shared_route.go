// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// SharedBy is the method and the path at which all results of the worst outcome of a cause were found broken; it is empty where the
// cause says it by itself, and where there is none.
func SharedBy(c *report.SharedCause) string {
	route := SharedRoute(c.With(c.Worst()))
	if strings.Contains(c.Says, route) {
		return ""
	}
	return route
}

// SharedRoute is the method and the path at which all of several results were found broken, "POST /rpc"; it is empty where they are
// about different ones, where one of them is about none, and of a single result, which names its own.
func SharedRoute(results []*report.Result) string {
	shared := ""
	for i, r := range results {
		route := routeOf(r)
		if i > 0 && route != shared || route == "" {
			return ""
		}
		shared = route
	}
	if len(results) < 2 {
		return ""
	}
	return shared
}

// routeOf is the route of the findings that decide a result, without the operation that a JSON-RPC request names; it is empty where
// they have several.
func routeOf(r *report.Result) string {
	shared := ""
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != r.Outcome {
			continue
		}
		words := strings.SplitN(f.Route, " ", 3)
		if len(words) < 2 || f.SeenAt != "" {
			return ""
		}
		route := words[0] + " " + words[1]
		if shared != "" && route != shared {
			return ""
		}
		shared = route
	}
	return shared
}
