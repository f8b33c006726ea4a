// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A Call is an operation in the form of one binding.
type Call struct {
	Operation string
	At        *Endpoint
	Params    any    // filled in, with the tenant; nil: none
	Given     bool   // params were given
	ID        string // of the JSON-RPC request; empty: it goes out in another form
	Media     bool   // the step names the media type, which is not to be another one
}

// Media types of A2A 1.0. The first form of a REST body is the recommended one (section 11.1, AMB-06).
const (
	mediaA2A    = "application/a2a+json"
	mediaJSON   = "application/json"
	MediaEvents = "text/event-stream"
)

// Called is the request that an operation becomes, with the headers that every client sends (wire.md, section 1).
func (a *Agent) Called(c *Call) (*Request, error) {
	if c.At.tenant != "" {
		c.Params = withTenant(c.Params, c.At.tenant)
	}
	q := &Request{Call: c}
	var err error
	switch c.At.Binding {
	case "JSONRPC":
		err = a.rpcForm(c, q)
	case readers.BindingGRPC:
		err = a.grpcForm(c, q)
	default:
		err = a.restForm(c, q)
	}
	if err != nil {
		return nil, err
	}
	accept := mediaA2A + ", " + mediaJSON
	if known, _ := a.Profile.Speaks.Of(c.Operation); known.Streams {
		accept = MediaEvents
	} else if c.At.Binding == "JSONRPC" {
		accept = mediaJSON
	}
	usual := []suites.Header{{Name: "A2A-Version", Value: "1.0"}, {Name: "Accept", Value: accept}}
	if len(a.Required) > 0 {
		usual = append(usual, suites.Header{Name: "A2A-Extensions", Value: JoinURIs(a.Required)})
	}
	q.Header = append(usual, q.Header...)
	q.Repeats = a.Messages.Repeats(q.Body)
	return q, nil
}

// JoinURIs is a list of URIs as a header takes it.
func JoinURIs(uris []any) string {
	texts := make([]string, len(uris))
	for i, uri := range uris {
		texts[i] = fmt.Sprint(uri)
	}
	return strings.Join(texts, ", ")
}

// withTenant names the tenant of the interface, unless the request object names one itself or is none.
func withTenant(params any, tenant string) any {
	members, is := params.(map[string]any)
	if params != nil && !is {
		return params
	}
	if _, named := members["tenant"]; named {
		return params
	}
	named := maps.Clone(members)
	if named == nil {
		named = map[string]any{}
	}
	named["tenant"] = tenant
	return named
}

// rpcForm is the operation as a JSON-RPC 2.0 request (section 9).
func (a *Agent) rpcForm(c *Call, q *Request) error {
	c.ID = uuid.NewString()
	body := map[string]any{"jsonrpc": "2.0", "id": c.ID, "method": c.Operation}
	if c.Given || c.Params != nil {
		body["params"] = c.Params
	}
	var err error
	q.Method, q.URL = http.MethodPost, c.At.URL
	q.Route = a.Route(q.Method, q.URL, nil) + " " + c.Operation
	q.Header = []suites.Header{JSONContent}
	q.Body, err = jsontext.Marshal(body)
	return err
}

// inBraces is a member of the request object in a path.
var inBraces = regexp.MustCompile(`\{[A-Za-z]+\}`)

// restForm is the operation as a request of the HTTP+JSON binding (section 11).
func (a *Agent) restForm(c *Call, q *Request) error {
	route, known := a.Profile.Speaks.Of(c.Operation)
	if !known {
		return fmt.Errorf("bug: no route of %s", c.Operation)
	}
	given, isObject := c.Params.(map[string]any)
	left := maps.Clone(given)
	path := inBraces.ReplaceAllStringFunc(route.Path, func(member string) string {
		name := strings.Trim(member, "{}")
		if !route.Whole {
			delete(left, name)
		}
		return url.PathEscape(segment(given[name]))
	})
	q.Method, q.URL = route.Method, c.At.URL+path
	if c.Operation == "SubscribeToTask" && a.SubscribesByGet.Load() {
		q.Method = http.MethodGet
	}
	q.Route = a.Route(q.Method, c.At.URL+route.Path, nil)
	if q.Method != http.MethodPost {
		if query := queryOf(left); query != "" {
			q.URL += "?" + query
		}
		return nil
	}
	var body any = left
	if left == nil {
		body = map[string]any{}
	}
	if c.Params != nil && !isObject {
		body = c.Params
	}
	media := mediaA2A
	if a.sendsJSON.Load() {
		media = mediaJSON
	}
	q.Header = []suites.Header{{Name: "Content-Type", Value: media}}
	var err error
	q.Body, err = jsontext.Marshal(body)
	return err
}

// segment is a member as a segment of a path; one that is not there is empty.
func segment(v any) string {
	if v == nil {
		return ""
	}
	return jsontext.Text(v)
}

// queryOf writes the members of a request object as query parameters (section 11.5): lists by repetition.
func queryOf(members map[string]any) string {
	values := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		list, is := members[name].([]any)
		if !is {
			list = []any{members[name]}
		}
		for _, v := range list {
			values.Add(name, jsontext.Text(v))
		}
	}
	return values.Encode()
}

// NoRoute says whether an answer to a subscription is that of a server which has no route for it: the text says POST, the
// http rule of the proto GET (AMB-01). A server that knows the other verb only may take `x:subscribe` for the id of a task.
func NoRoute(q *Request, status int, body []byte) bool {
	switch status {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	case http.StatusNotFound:
		named := FailureOf(q.Call, status, jsontext.Parse(body))
		return readers.MemberText(named, "reason") != "TASK_NOT_FOUND" || strings.Contains(string(body), ":subscribe")
	}
	return false
}

// HasRoute says whether an answer to a subscription is certainly that of a route for it: a stream, or an A2A error.
func HasRoute(q *Request, status int, body []byte) bool {
	if status >= 200 && status < 300 {
		return true
	}
	return !NoRoute(q, status, body) && readers.MemberText(FailureOf(q.Call, status, jsontext.Parse(body)), "class") == readers.ClassA2A
}

// ByGet is a subscription with the verb of the proto.
func (q *Request) ByGet() *Request {
	again := *q
	again.Method, again.Body = http.MethodGet, nil
	again.Route = strings.Replace(q.Route, http.MethodPost, http.MethodGet, 1)
	again.Header = WithoutHeader(q.Header, "Content-Type")
	if tenant := q.Call.At.tenant; tenant != "" {
		again.URL = WithQuery(q.URL, "tenant", tenant)
	}
	return &again
}

// ResultOf is the result of an operation that was processed.
func ResultOf(c *Call, status int, body any) any {
	if FailureOf(c, status, body) != nil {
		return assertions.Missing
	}
	if c.At.Binding == "JSONRPC" {
		return readers.Member(body, "result")
	}
	return body
}

// CallOf asks an operation outside of any test, for the preflight.
func (a *Agent) CallOf(ctx context.Context, c *Call, identity string) *Exchange {
	q, err := a.Calling(c, identity)
	if err != nil {
		return &Exchange{Exchange: wire.Exchange{Problem: err.Error(), Ours: true}, Request: q}
	}
	return a.Patiently(ctx, q)
}

// Calling is the request of an operation outside of any test, with the credentials of an identity.
func (a *Agent) Calling(c *Call, identity string) (*Request, error) {
	q, err := a.Called(c)
	if err != nil {
		a.Bug(err)
		return nil, err
	}
	q.Identity, q.Limit = identity, a.Limit
	q.Header = Override(q.Header, a.OwnHeader(q.URL, identity))
	if q.IsGRPC() {
		if q.Header, err = AsMetadata(q.Header); err != nil {
			return q, fmt.Errorf("a header of the operator: %w", err)
		}
	}
	return q, nil
}
