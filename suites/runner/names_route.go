// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"regexp"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/layout"
)

// partOfID matches a segment of a path that is an id, of which a part alone is another one in every test: "conf-none-{id}".
var partOfID = regexp.MustCompile(`/[A-Za-z0-9_-]+-\{id\}(/|\?|$)`)

// route is method and path of a request, with {id} for everything that is another one in every test, so that requests for
// the same operation are seen to be. template is the URL as the suite writes it.
func (n *namer) route(method, template string) string {
	address, err := suites.ExpandText(template, n.lookupForRoute)
	if err != nil {
		return ""
	}
	if n.run.Config.InLaterLayout() {
		address, _ = layout.Address(address, func() (string, error) { return "{id}", nil }) // which never fails
	}
	return n.run.Route(method, partOfID.ReplaceAllString(address, "/{id}$1"), n.names.Holds)
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
	case strings.Contains(s, "/") && !n.names.IsSeen(name): // a path that the suite has made; an id of the target may have a slash
		return s, nil
	}
	return "{id}", nil
}
