// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/layout"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
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

// conversationName is what suites call the conversation whose events they ask for.
const conversationName = "conv"

// laidOut is the address of a request as the target has it: that of the suite, or where the layout has it that the operator declares. Events
// that no filter limits to a conversation are those of the conversation that the test has named, or else of the newest one.
func (c caller) laidOut(ctx context.Context, address string) (string, error) {
	if !c.run.Config.InLaterLayout() {
		return address, nil
	}
	return layout.Address(address, func() (string, error) {
		if v, found := c.names.Find(conversationName); found {
			return jsontext.Text(v), nil
		}
		return c.run.newestConversation(ctx)
	})
}

// newestConversation is the id of a conversation of the user.
func (r *run) newestConversation(ctx context.Context) (string, error) {
	x := r.Patiently(ctx, r.PlainGet(r.Place.Base+"/api/v1/app-conversations/search?limit=1", "instance"))
	var page struct{ Items []struct{ ID string } }
	switch err := json.Unmarshal(x.Body, &page); {
	case x.Status != http.StatusOK, err != nil:
		return "", errors.New("the newest conversation is not found, below which events are in the layout of 2026")
	case len(page.Items) == 0 || page.Items[0].ID == "":
		return "", &target.Skipped{Reason: report.Reason{Code: "when-present:conversation", Detail: "there is no conversation, below which events are in the layout of 2026"}}
	}
	return page.Items[0].ID, nil
}
