// SPDX-License-Identifier: Apache-2.0

package target

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
)

const (
	// maxRoutes bounds how many routes a run tells apart; a target can lead to as many as it likes.
	maxRoutes = 1000
	// longestRoute is the longest that is kept.
	longestRoute = 300
)

// Routes are the routes of the target that were asked, and what each of them has ever answered. A route that answered
// otherwise once is there, whatever it answered elsewhere.
type Routes struct {
	mu   sync.Mutex
	seen map[string]*routeSeen
}

type routeSeen struct {
	statuses []int
	silent   bool
}

// Answered notes the status of an answer; 0 is no answer.
func (r *Routes) Answered(route string, status int) {
	if route == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen[route]
	if seen == nil {
		if len(r.seen) >= maxRoutes {
			return
		}
		if r.seen == nil {
			r.seen = map[string]*routeSeen{}
		}
		seen = &routeSeen{}
		r.seen[route] = seen
	}
	if status == 0 {
		seen.silent = true
	} else if !slices.Contains(seen.statuses, status) {
		seen.statuses = append(seen.statuses, status)
	}
}

// Like is the known route that a route is one of, with {id} in the place of what the target has named: "GET /tasks/{id}" of
// "GET /tasks/7". One that is like none stays as it is.
func (r *Routes) Like(route string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[route] != nil {
		return route
	}
	like := route
	for known := range r.seen {
		if (like == route || known < like) && isLike(route, known) {
			like = known
		}
	}
	return like
}

func isLike(route, known string) bool {
	parts, places := strings.Split(route, "/"), strings.Split(known, "/")
	if len(parts) != len(places) {
		return false
	}
	for i, place := range places {
		before, after, is := strings.Cut(place, "{id}")
		switch {
		case !is && place != parts[i]:
			return false
		case is && (len(parts[i]) <= len(before)+len(after) || !strings.HasPrefix(parts[i], before) || !strings.HasSuffix(parts[i], after)):
			return false
		}
	}
	return true
}

// Report is the routes in order.
func (r *Routes) Report(clean func(string) string) []report.Route {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []report.Route
	for route, seen := range r.seen {
		slices.Sort(seen.statuses)
		all = append(all, report.Route{Route: clean(route), Statuses: seen.statuses, Unanswered: seen.silent})
	}
	slices.SortFunc(all, func(a, b report.Route) int { return cmp.Compare(a.Route, b.Route) })
	return all
}

// ids are several in one segment: what the suite puts together of parts.
var ids = regexp.MustCompile(`(\{id\})+`)

// Route is method and path of a request to that address: below the root of the target, of its admin surface where that is
// on another host, or of another executor that was configured. What kept names hold is an id.
func (t *Target) Route(method, address string, kept func(text string) bool) string {
	address, _, _ = strings.Cut(address, "?")
	address, _, _ = strings.Cut(address, "#")
	path := address
	for _, below := range []struct{ prefix, shown string }{{t.Place.Root, ""}, {t.Place.Admin, "{admin}"}, {t.Place.Base, "{executor}"}} {
		rest, is := strings.CutPrefix(address, below.prefix)
		if is && below.prefix != "" && (rest == "" || rest[0] == '/') {
			path = below.shown + rest
			break
		}
	}
	if _, rest, is := strings.Cut(path, "://"); is { // its port is another one in every run
		_, rest, _ = strings.Cut(rest, "/")
		path = "{elsewhere}/" + rest
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if segment != "" && (segment == t.Place.IID || kept != nil && kept(segment)) {
			segments[i] = "{id}"
		}
	}
	path = strings.Join(segments, "/")
	for _, made := range []*regexp.Regexp{plaintext.SomeID, plaintext.SomeMarker, ids} {
		path = made.ReplaceAllString(path, "{id}")
	}
	if path == "" {
		path = "/"
	}
	if route := plaintext.OneLine(method + " " + path); len(route) <= longestRoute {
		return route
	}
	return ""
}
