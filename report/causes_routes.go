// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// How a route behaves that never once did what it is for.
const (
	routeMissing = "missing" // 404, 405 and 501 are all it says
	routeSilent  = "silent"
	// Otherwise it is the one status that it always answers with: "503".
)

// conduct is how a route behaves, "" when it sometimes works. What a server says of credentials before it looks at the
// route says nothing about the route.
func (r *Route) conduct() string {
	var said []int
	for _, status := range r.Statuses {
		if status != 401 && status != 403 {
			said = append(said, status)
		}
	}
	switch {
	case len(r.Statuses) == 0 && r.Unanswered:
		return routeSilent
	case r.Unanswered:
		return ""
	case len(said) == 0 && len(r.Statuses) == 1:
		return fmt.Sprint(r.Statuses[0])
	case len(said) == 0:
		return ""
	case !slices.ContainsFunc(said, func(s int) bool { return s != 404 && s != 405 && s != 501 }):
		return routeMissing
	case len(said) == 1 && said[0] >= 400:
		return fmt.Sprint(said[0])
	}
	return ""
}

// maxSegments bounds how deep a path is looked into.
const maxSegments = 40

// A branch is all routes at and below a path.
type branch struct {
	conduct string // which all of them share; "" when they do not
	routes  []*Route
	next    string // the segment that all of them continue with, when they do; "" otherwise
}

// branches are the paths under which routes were asked.
func (r *causeRun) branches() map[string]*branch {
	all := map[string]*branch{}
	for i := range r.Routes {
		route := &r.Routes[i]
		conduct := route.conduct()
		segments := pathOf(route.Route)
		for n := range segments {
			path := strings.Join(segments[:n+1], "/")
			next := ""
			if n+1 < len(segments) {
				next = segments[n+1]
			}
			b := all[path]
			if b == nil {
				b = &branch{conduct: conduct, next: next}
				all[path] = b
			}
			if b.conduct != conduct {
				b.conduct = ""
			}
			if b.next != next {
				b.next = ""
			}
			b.routes = append(b.routes, route)
		}
	}
	return all
}

// pathOf is the path of a route in segments: "POST /agents/{id}/v1" is "", "agents", "{id}", "v1".
func pathOf(route string) []string {
	_, path, _ := strings.Cut(route, " ")
	segments := strings.SplitN(path, "/", maxSegments)
	if len(segments) == 2 && segments[1] == "" {
		return segments[:1]
	}
	return segments
}

// routeFoldings are for routes that never work: alone, or together with all others below a path.
func (r *causeRun) routeFoldings() []folding {
	branches, known := r.branches(), map[string]*Route{}
	for i := range r.Routes {
		known[r.Routes[i].Route] = &r.Routes[i]
	}
	var all []folding
	for _, k := range []struct {
		kind string
		is   func(conduct string) bool
	}{
		{CauseMissingRoute, func(c string) bool { return c == routeMissing }},
		{CauseSilentRoute, func(c string) bool { return c == routeSilent }},
		{CauseFailingRoute, func(c string) bool { return c != routeMissing && c != routeSilent && c != "" }},
	} {
		key := func(d *symptom) string {
			route := known[d.route]
			if route == nil || d.status != 0 && !slices.Contains(route.Statuses, d.status) || d.status == 0 && !route.Unanswered {
				return ""
			}
			conduct := route.conduct()
			if !k.is(conduct) || (d.status == 401 || d.status == 403) && conduct != fmt.Sprint(d.status) {
				return ""
			}
			return highest(branches, route, conduct)
		}
		all = append(all, folding{kind: k.kind, key: key, holds: wanted,
			says: func(key string, _ []*symptom) (string, string) {
				if route := known[key]; route != nil {
					return routeSays(route, r.saysWhere())
				}
				return branchSays(key, branches[strings.TrimSuffix(key, "/")], r.saysWhere())
			}})
	}
	return all
}

// highest is the highest path below which every route behaves like this one; the route itself when it is the only one.
func highest(branches map[string]*branch, route *Route, conduct string) string {
	segments := pathOf(route.Route)
	for n := range segments {
		path := strings.Join(segments[:n+1], "/")
		b := branches[path]
		if b == nil || b.conduct != conduct {
			continue
		}
		if len(b.routes) == 1 {
			return route.Route
		}
		for b.next != "" && branches[path+"/"+b.next] != nil {
			path += "/" + b.next
			b = branches[path]
		}
		return path + "/"
	}
	return route.Route
}

// deadAround says whether the card is missing together with everything around it.
func (r *causeRun) deadAround() bool {
	branches := r.branches()
	for i := range r.Preflight {
		for k := range r.Routes {
			route, conduct := &r.Routes[k], r.Routes[k].conduct()
			if r.Preflight[i].Cause != "" && route.Route == r.Preflight[i].Route && conduct != "" && highest(branches, route, conduct) == "/" {
				return true
			}
		}
	}
	return false
}

var anyStatus, goodStatus = regexp.MustCompile(`\b[1-5]\d\d\b`), regexp.MustCompile(`\b[123]\d\d\b`)

// wanted says whether one of the tests wants the route to work. A route that is asked for errors only, such as one that
// must not be there, is not missing.
func wanted(symptoms []*symptom) bool {
	return slices.ContainsFunc(symptoms, func(d *symptom) bool {
		return d.status == 0 || d.status >= 500 && d.status != 501 ||
			d.subject == "status" && (goodStatus.MatchString(d.expected) || !anyStatus.MatchString(d.expected))
	})
}

// saysWhere is what leads a run to the routes of the target.
func (r *causeRun) saysWhere() string {
	switch profiles.Of(r.Suites.Profile).Finds {
	case profiles.AnAgent:
		return "the card"
	case profiles.AServer:
		return "--executor-url"
	}
	return "--executor-url or --admin-url"
}

func routeSays(route *Route, where string) (says, fix string) {
	switch conduct := route.conduct(); conduct {
	case routeMissing:
		return fmt.Sprintf("%s is not served: it answers %s, whatever it is asked", route.Route, statuses(route)),
			"Serve " + route.Route + "; if it is somewhere else, " + where + " has to say where."
	case routeSilent:
		return route.Route + " never answers", "Let " + route.Route + " answer within the time of a request (--timeout)."
	default:
		return fmt.Sprintf("%s answers %s, whatever it is asked", route.Route, conduct),
			"Find out in the log of the executor why " + route.Route + " answers " + conduct + "; the exchange shows what was sent."
	}
}

func branchSays(path string, b *branch, where string) (says, fix string) {
	n := len(b.routes)
	if path = strings.TrimSuffix(path, "/"); path == "" {
		path = "the root"
		if b.conduct == routeMissing {
			return fmt.Sprintf("Nothing is served that was asked for: all %d routes answer %s", n, statuses(b.routes...)),
				"Give --executor-url the URL of a deployment or of one of its instances; this one looks like another server, or like another path."
		}
	}
	switch b.conduct {
	case routeMissing:
		return fmt.Sprintf("Nothing at or below %s is served: all %d routes that were asked answer %s", path, n, statuses(b.routes...)),
			"Serve the routes at and below " + path + "; if they are somewhere else, " + where + " has to say where."
	case routeSilent:
		return fmt.Sprintf("Nothing at or below %s ever answers: %d routes were asked", path, n), "Let the routes at and below " + path + " answer within the time of a request (--timeout)."
	}
	return fmt.Sprintf("Everything at and below %s answers %s: %d routes were asked", path, b.conduct, n),
		"Find out in the log of the executor why everything at and below " + path + " answers " + b.conduct + "."
}

// statuses are with what routes answer, in words.
func statuses(routes ...*Route) string {
	var all []int
	for _, r := range routes {
		for _, s := range r.Statuses {
			if !slices.Contains(all, s) && s != 401 && s != 403 {
				all = append(all, s)
			}
		}
	}
	slices.Sort(all)
	var words []string
	for _, s := range all {
		words = append(words, fmt.Sprint(s))
	}
	return strings.Join(words, " or ")
}
