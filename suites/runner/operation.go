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

// operate fills in an operation and puts it into the form of the binding.
func (p caller) operate(step *suites.Step, do suites.Request) (*request, *observation) {
	at := p.way.over
	if do.OnOther {
		at = p.way.other
	}
	if at == nil {
		return nil, unfilled(fmt.Errorf("the card declares no interface for the operation %s to be sent to", do.Operation))
	}
	c := &call{operation: do.Operation, at: at, given: do.HasParams,
		media: slices.ContainsFunc(do.Header, func(h suites.Header) bool { return strings.EqualFold(h.Name, "Content-Type") })}
	if do.HasParams {
		params, err := p.expand(do.Params)
		if err != nil {
			return nil, unfilled(err)
		}
		c.params = withCues(params)
	}
	q, err := p.run.called(c)
	if err != nil {
		return nil, unfilled(err)
	}
	q.identity, q.actor = p.identity(step), p.actor(step).name
	q.Limit, q.Shares = p.within(step, p.run.options.Timeout), !p.apart
	usual := q.Header
	if q.Header, err = p.headerOver(usual, step, do.Header, q); err != nil {
		return nil, unfilled(err)
	}
	if q.isGRPC() {
		if q.Header, err = asMetadata(q.Header); err != nil {
			return nil, unfilled(err)
		}
	}
	if _, err := q.Address(); err != nil {
		return nil, unfilled(err)
	}
	return q, nil
}

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
	if isStreaming(c.operation) {
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

func isStreaming(operation string) bool {
	return operation == "SendStreamingMessage" || operation == "SubscribeToTask"
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

// observeOperation adds what an operation shows whatever its binding: result, failure, outcome, and what the tolerant
// readers find in the result.
func observeOperation(o *observation, c *call, status int, parsed func() any) {
	o.set("failure", func() any {
		failure := failureOf(c, status, parsed())
		if failure != nil {
			failure["told"] = toldBy(c, failure)
		}
		return orMissing(failure)
	})
	o.set("result", func() any { return resultOf(c, status, parsed()) })
	o.set("outcome", func() any { return outcomeOf(o.get("failure")) })
	o.value("sent", sentOf(c, false))
	o.reads(func() any { return o.get("result") })
}

// sentOf is what an exchange tells of the request: whether a message went out without its envelope, and of an operation
// the binding, and the id of the JSON-RPC request.
func sentOf(c *call, bare bool) map[string]any {
	sent := map[string]any{"bare": bare}
	if c != nil {
		sent["over"], sent["params"] = c.at.binding, c.params
		if c.id != "" {
			sent["id"] = c.id
		}
	}
	return sent
}

func orMissing(members map[string]any) any {
	if members == nil {
		return assertions.Missing
	}
	return members
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

// outcomeOf is the class of an outcome: "same outcome class" of wire.md compares these.
func outcomeOf(failure any) any {
	if assertions.IsMissing(failure) {
		return "processed"
	}
	if name := readers.MemberText(failure, "name"); name != "" && name != suites.Unnamed {
		return name
	}
	return readers.Member(failure, "class")
}

// noteOperation notes what an operation has created, and drops what it has ended.
func (p *created) noteOperation(c *call, q *request, status int, body any) {
	result := resultOf(c, status, body)
	switch c.operation {
	case "SendMessage", "SendStreamingMessage", "SubscribeToTask", "GetTask", "CancelTask":
		p.noteCalledTask(c, q, readers.Task(result))
	case "CreateTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig":
		p.noteCalledConfig(c, q, failureOf(c, status, body) == nil, result)
	}
}

// noteCalledTask notes a task that an operation has started, or drops one that has ended.
func (p *created) noteCalledTask(c *call, q *request, task any) {
	id := readers.MemberText(task, "id")
	if id == "" {
		return
	}
	if isFinal(readers.MemberText(task, "state")) {
		p.forget(id)
		return
	}
	if c.operation == "SendMessage" || c.operation == "SendStreamingMessage" {
		if undo := p.undoing(q, &call{operation: "CancelTask", at: c.at, given: true, params: map[string]any{"id": id}}); undo != nil {
			p.add(id, undo)
		}
	}
}

// undoing is an operation that undoes what a request has done, with the same credentials.
func (p *created) undoing(q *request, c *call) *request {
	undo, err := p.run.called(c)
	if err != nil {
		p.run.bug(err)
		return nil
	}
	for _, h := range q.Header {
		undo.Header = append(withoutHeader(undo.Header, h.Name), h)
	}
	undo.Header = withoutHeader(undo.Header, "Accept")
	if undo.Body == nil && !undo.isGRPC() {
		undo.Header = withoutHeader(undo.Header, "Content-Type")
	}
	undo.identity, undo.Limit, undo.Shares = q.identity, cancelTime, true
	return undo
}

// nextPage is a request for the page of a list that a token leads to.
func (c caller) nextPage(q *request, name, token string) (*request, error) {
	members, _ := q.call.params.(map[string]any)
	params := maps.Clone(members)
	if params == nil {
		params = map[string]any{}
	}
	params[name] = token
	next, err := c.run.called(&call{operation: q.call.operation, at: q.call.at, params: params, given: true})
	if err != nil {
		return nil, err
	}
	next.Header, next.identity, next.actor, next.Limit, next.Shares = q.Header, q.identity, q.actor, q.Limit, q.Shares
	return next, nil
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
