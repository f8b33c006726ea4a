// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A surface is one of the parts that the guide keeps apart: each has its own prefix, credentials and headers.
type surface int

const (
	surfaceNone     surface = iota
	surfaceA2A              // /agents/{iid}/...
	surfaceAdmin            // /api/v2/admin/...
	surfaceV1               // /api/v1/...
	surfaceWatch            // /healthz, /readyz, /metrics
	surfaceOperator         // /operator/...: what the operator of a test deployment offers, no part of the contract
)

// A call is one request on its way through the executor.
type call struct {
	e       *Executor
	r       *http.Request
	surface surface
	route   *route
	iid     string            // the instance the path names, on the A2A surface
	vars    map[string]string // what the {names} of the route stand for
	rest    []string          // what {path...} stands for
	in      *instance         // on the A2A surface
	who     principal
	active  activation // the extensions that apply to the answer

	streamed task // on messages:stream, the one that is streamed
}

// An answer is what a handler wants sent. With stream, it writes the body once the header is out; with raw, it does
// everything itself.
type answer struct {
	status int
	header http.Header
	body   []byte
	stream func(w http.ResponseWriter)
	raw    func(w http.ResponseWriter)
}

type handler func(c *call) answer

// A route is a path of the contract, with a handler for each method.
type route struct {
	surface surface
	pattern []string
	public  bool // needs no credentials, or looks at them itself
	handle  map[string]handler
}

// A router finds the route of a path. It matches the path as it was sent, segment by segment: nothing is cleaned and
// nobody is redirected, so no trick with dots and slashes leads to another surface.
type router struct {
	routes []*route
}

// on adds a handler. A pattern is like "agents/{iid}/v1/tasks"; a last segment {path...} stands for one or more segments.
func (rt *router) on(method, pattern string, s surface, h handler) *route {
	segments := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	for _, r := range rt.routes {
		if slices.Equal(r.pattern, segments) {
			r.handle[method] = h
			return r
		}
	}
	r := &route{surface: s, pattern: segments, handle: map[string]handler{method: h}}
	rt.routes = append(rt.routes, r)
	return r
}

// open adds a handler that needs no credentials, or looks at them itself.
func (rt *router) open(method, pattern string, s surface, h handler) {
	rt.on(method, pattern, s, h).public = true
}

// find returns the route of a path; nil when there is none.
func (rt *router) find(segments []string) (r *route, vars map[string]string, rest []string) {
	for _, r := range rt.routes {
		if vars, rest, ok := r.match(segments); ok {
			return r, vars, rest
		}
	}
	return nil, nil, nil
}

func (r *route) match(segments []string) (vars map[string]string, rest []string, ok bool) {
	vars = map[string]string{}
	for i, want := range r.pattern {
		if i >= len(segments) {
			return nil, nil, false
		}
		switch {
		case strings.HasSuffix(want, "...}"):
			return vars, segments[i:], segments[len(segments)-1] != ""
		case strings.HasPrefix(want, "{"):
			if segments[i] == "" {
				return nil, nil, false
			}
			vars[strings.Trim(want, "{}")] = segments[i]
		case want != segments[i]:
			return nil, nil, false
		}
	}
	return vars, nil, len(segments) == len(r.pattern)
}

// allow lists the methods of a route.
func (r *route) allow() string {
	methods := slices.Sorted(maps.Keys(r.handle))
	if r.handle["GET"] != nil {
		methods = append(methods, "HEAD")
	}
	return strings.Join(methods, ", ")
}

// handler returns what serves the method; a HEAD is a GET whose body nobody sends.
func (r *route) handler(method string) handler {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return r.handle[method]
}

// split cuts an escaped path into its segments. It refuses segments that mean more than a name: dots, encoded slashes,
// nothing at all.
func split(escaped string) ([]string, bool) {
	raw := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	segments := make([]string, len(raw))
	for i, s := range raw {
		plain, err := url.PathUnescape(s)
		if err != nil || plain == "." || plain == ".." || strings.ContainsAny(plain, "/\\\x00") {
			return raw, false
		}
		if plain == "" && i < len(raw)-1 {
			return raw, false
		}
		segments[i] = plain
	}
	return segments, true
}

// surfaceOf tells from the first segments to which surface a path belongs.
func surfaceOf(segments []string) surface {
	at := func(i int) string {
		if i < len(segments) {
			return segments[i]
		}
		return ""
	}
	switch {
	case at(0) == "agents" && len(segments) > 2:
		return surfaceA2A
	case at(0) == "api" && at(1) == "v2" && at(2) == "admin":
		return surfaceAdmin
	case at(0) == "api" && at(1) == "v1" && len(segments) > 2:
		return surfaceV1
	case at(0) == "operator":
		return surfaceOperator
	}
	return surfaceNone
}
