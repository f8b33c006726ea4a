// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/a2agrpc"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A call is an operation in the form of one binding.
type call struct {
	operation string
	at        *endpoint
	params    any    // filled in, with the tenant; nil: none
	given     bool   // params were given
	id        string // of the JSON-RPC request; empty: it goes out in another form
	media     bool   // the step names the media type, which is not to be another one
}

// restRoutes are the routes of the HTTP+JSON binding (section 5.3, 11.3). What stands in braces is a member of the
// request object; the others go into the query or the body.
var restRoutes = map[string]struct{ method, path string }{
	"SendMessage":                      {"POST", "/message:send"},
	"SendStreamingMessage":             {"POST", "/message:stream"},
	"GetTask":                          {"GET", "/tasks/{id}"},
	"ListTasks":                        {"GET", "/tasks"},
	"CancelTask":                       {"POST", "/tasks/{id}:cancel"},
	"SubscribeToTask":                  {"POST", "/tasks/{id}:subscribe"},
	"CreateTaskPushNotificationConfig": {"POST", "/tasks/{taskId}/pushNotificationConfigs"},
	"GetTaskPushNotificationConfig":    {"GET", "/tasks/{taskId}/pushNotificationConfigs/{id}"},
	"ListTaskPushNotificationConfigs":  {"GET", "/tasks/{taskId}/pushNotificationConfigs"},
	"DeleteTaskPushNotificationConfig": {"DELETE", "/tasks/{taskId}/pushNotificationConfigs/{id}"},
	"GetExtendedAgentCard":             {"GET", "/extendedAgentCard"},
}

// Media types of A2A 1.0. The first form of a REST body is the recommended one (section 11.1, AMB-06).
const (
	mediaA2A    = "application/a2a+json"
	mediaJSON   = "application/json"
	mediaEvents = "text/event-stream"
)

// called is the request that an operation becomes, with the headers that every client sends (wire.md, section 1).
func (a *agent) called(c *call) (*request, error) {
	if c.at.tenant != "" {
		c.params = withTenant(c.params, c.at.tenant)
	}
	q := &request{call: c}
	var err error
	switch c.at.binding {
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
	if a2agrpc.IsStreaming(c.operation) {
		accept = mediaEvents
	} else if c.at.binding == "JSONRPC" {
		accept = mediaJSON
	}
	usual := []suites.Header{{Name: "A2A-Version", Value: "1.0"}, {Name: "Accept", Value: accept}}
	if len(a.required) > 0 {
		usual = append(usual, suites.Header{Name: "A2A-Extensions", Value: joined(a.required)})
	}
	q.Header = append(usual, q.Header...)
	q.repeats = a.messages.repeats(q.Body)
	return q, nil
}

func joined(uris []any) string {
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
func (a *agent) rpcForm(c *call, q *request) error {
	c.id = uuid.NewString()
	body := map[string]any{"jsonrpc": "2.0", "id": c.id, "method": c.operation}
	if c.given || c.params != nil {
		body["params"] = c.params
	}
	var err error
	q.Method, q.URL = http.MethodPost, c.at.url
	q.route = a.route(q.Method, q.URL, nil) + " " + c.operation
	q.Header = []suites.Header{jsonContent}
	q.Body, err = jsontext.Marshal(body)
	return err
}

// restForm is the operation as a request of the HTTP+JSON binding (section 11).
func (a *agent) restForm(c *call, q *request) error {
	route := restRoutes[c.operation]
	left, isObject := c.params.(map[string]any)
	left = maps.Clone(left)
	path := route.path
	for _, name := range []string{"id", "taskId"} {
		if strings.Contains(path, "{"+name+"}") {
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(segment(left[name])))
			if c.operation != "CreateTaskPushNotificationConfig" { // its body is the whole configuration (AMB-10)
				delete(left, name)
			}
		}
	}
	q.Method, q.URL = route.method, c.at.url+path
	if c.operation == "SubscribeToTask" && a.subscribesByGet.Load() {
		q.Method = http.MethodGet
	}
	q.route = a.route(q.Method, c.at.url+route.path, nil)
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
	if c.params != nil && !isObject {
		body = c.params
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

// noRoute says whether an answer to a subscription is that of a server which has no route for it: the text says POST, the
// http rule of the proto GET (AMB-01). A server that knows the other verb only may take `x:subscribe` for the id of a task.
func noRoute(q *request, status int, body []byte) bool {
	switch status {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	case http.StatusNotFound:
		named := failureOf(q.call, status, jsontext.Parse(body))
		return readers.MemberText(named, "reason") != "TASK_NOT_FOUND" || strings.Contains(string(body), ":subscribe")
	}
	return false
}

// hasRoute says whether an answer to a subscription is certainly that of a route for it: a stream, or an A2A error.
func hasRoute(q *request, status int, body []byte) bool {
	if status >= 200 && status < 300 {
		return true
	}
	return !noRoute(q, status, body) && readers.MemberText(failureOf(q.call, status, jsontext.Parse(body)), "class") == readers.ClassA2A
}

// byGet is a subscription with the verb of the proto.
func (q *request) byGet() *request {
	again := *q
	again.Method, again.Body = http.MethodGet, nil
	again.route = strings.Replace(q.route, http.MethodPost, http.MethodGet, 1)
	again.Header = withoutHeader(q.Header, "Content-Type")
	if tenant := q.call.at.tenant; tenant != "" {
		again.URL = withQuery(q.URL, "tenant", tenant)
	}
	return &again
}

// resultOf is the result of an operation that was processed.
func resultOf(c *call, status int, body any) any {
	if failureOf(c, status, body) != nil {
		return assertions.Missing
	}
	if c.at.binding == "JSONRPC" {
		return readers.Member(body, "result")
	}
	return body
}

// callOf asks an operation outside of any test, for the preflight.
func (a *agent) callOf(ctx context.Context, c *call, identity string) *exchange {
	q, err := a.calling(c, identity)
	if err != nil {
		return &exchange{Exchange: wire.Exchange{Problem: err.Error(), Ours: true}, request: q}
	}
	return a.send(ctx, q)
}

// calling is the request of an operation outside of any test, with the credentials of an identity.
func (a *agent) calling(c *call, identity string) (*request, error) {
	q, err := a.called(c)
	if err != nil {
		a.bug(err)
		return nil, err
	}
	q.identity, q.Limit = identity, a.limit
	q.Header = override(q.Header, a.ownHeader(q.URL, identity))
	if q.isGRPC() {
		if q.Header, err = asMetadata(q.Header); err != nil {
			return q, fmt.Errorf("a header of the operator: %w", err)
		}
	}
	return q, nil
}
