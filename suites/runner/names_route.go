// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// asked notes what became of a request, unless that was nobody's doing but ours.
func (c caller) asked(q *target.Request, status int, ours bool) {
	if !ours && c.ctx.Err() == nil && c.run.IsTarget(q.URL) {
		c.run.Routes.Answered(q.Route, status)
	}
}

// route is method and path of a request, with {id} for everything that is another one in every test, so that requests for
// the same operation are seen to be. template is the URL as the suite writes it.
func (n *namer) route(method, template string) string {
	address, err := suites.ExpandText(template, n.lookupForRoute)
	if err != nil {
		return ""
	}
	return n.run.Route(method, address, n.names.holds)
}

// lookupForRoute is lookup for a route: what a test was given by the target, or has made up, is {id}.
func (n *namer) lookupForRoute(name string) (any, error) {
	first, _, _ := strings.Cut(name, ".")
	if first == "fresh" || first == "filler" {
		return "{id}", nil
	}
	v, err := n.lookup(name)
	if err != nil {
		return v, err
	}
	if _, fixed := n.run.Place.Named(name); fixed || first == "case" || first == "plain_root" {
		return v, nil
	}
	switch s := jsontext.Text(v); {
	case strings.HasPrefix(s, "/"), strings.Contains(s, "://"): // a path, or a whole URL
		return s, nil
	case strings.Contains(s, "/") && !n.names.isSeen(name): // a path that the suite has made; an id of the target may have a slash
		return s, nil
	}
	return "{id}", nil
}

// holds says whether a text is the value of one of the names.
func (s *scope) holds(text string) bool {
	for ; s != nil; s = s.outer {
		s.mu.RLock()
		for _, v := range s.names {
			if v == any(text) {
				s.mu.RUnlock()
				return true
			}
		}
		s.mu.RUnlock()
	}
	return false
}

// statusOf is the status of the answer that was seen; 0 is none.
func statusOf(o *subjects.Observation) int {
	n, is := o.Get("status").(json.Number)
	if !is {
		return 0
	}
	status, _ := strconv.Atoi(n.String())
	return status
}
