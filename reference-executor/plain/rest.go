// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// restBehaviour is the binding HTTP+JSON.
type restBehaviour struct {
	below   func(path string) (tail string, ours bool)      // what of a path is below the interface url
	split   func(c *call, tail string) []string             // the segments below it, still escaped
	find    func(c *call, segments []string) (routed, bool) // the resource that they name
	unknown func(c *call) answer                            // no resource at all
	wrong   func(c *call, allow []string) answer            // a resource with another method
	takes   func(media string) bool                         // whether a request may have this media type
	body    func(c *call) (object, *failure)                // the request object as far as the body has it
	query   func(c *call, params object) *failure           // adds what the query says
	path    func(c *call, params, vars object) *failure     // adds what the path says
	result  func(c *call, result any) any                   // the body of an answer
	status  func(c *call, o outcome) int                    // of an answer that is no error
	media   func(c *call) string                            // of an answer that is no error
	answer  func(c *call, a answer) answer                  // the last look at an answer
}

var conformantREST = restBehaviour{
	below:   func(path string) (string, bool) { return strings.CutPrefix(path, restPath+"/") },
	split:   func(_ *call, tail string) []string { return strings.Split(tail, "/") },
	find:    func(c *call, segments []string) (routed, bool) { return c.route(segments) },
	unknown: func(c *call) answer { return c.refuse(fail(unknownMethod, "there is nothing at this path")) },
	wrong: func(c *call, allow []string) answer {
		f := fail(methodNotAllowed, "this resource does not take that method")
		f.header = http.Header{"Allow": {strings.Join(allow, ", ")}}
		return c.refuse(f)
	},
	takes:  func(media string) bool { return media == mediaA2A || media == mediaJSON },
	body:   func(c *call) (object, *failure) { return c.restBody() },
	query:  func(c *call, params object) *failure { return c.restQuery(params) },
	path:   func(_ *call, params, vars object) *failure { return mergePath(params, vars) },
	result: func(_ *call, result any) any { return result },
	status: func(_ *call, o outcome) int { return o.status },
	media:  func(*call) string { return mediaA2A },
	answer: func(_ *call, a answer) answer { return a },
}

// A routed is a resource: its operations by method, and what the path says.
type routed struct {
	methods map[string]string
	vars    object
}

// route finds a resource by the segments of a path.
func (c *call) route(segments []string) (routed, bool) {
	if tenant := c.s.config.Tenant; tenant != "" && len(segments) > 1 && unescape(segments[0]) == tenant {
		found, ok := c.route(segments[1:])
		if ok {
			found.vars["tenant"] = tenant
		}
		return found, ok
	}
	switch {
	case len(segments) == 1:
		methods := map[string]map[string]string{
			"message:send":      {"POST": "SendMessage"},
			"message:stream":    {"POST": "SendStreamingMessage"},
			"tasks":             {"GET": "ListTasks"},
			"extendedAgentCard": {"GET": "GetExtendedAgentCard"},
		}[segments[0]]
		return routed{methods, object{}}, methods != nil
	case segments[0] != "tasks":
		return routed{}, false
	case len(segments) == 2:
		return routeTask(segments[1])
	case segments[2] != "pushNotificationConfigs":
		return routed{}, false
	}
	vars := object{"taskId": unescape(segments[1])}
	if len(segments) == 3 {
		return routed{map[string]string{"GET": "ListTaskPushNotificationConfigs", "POST": "CreateTaskPushNotificationConfig"}, vars}, true
	}
	vars["id"] = unescape(segments[3])
	return routed{map[string]string{"GET": "GetTaskPushNotificationConfig", "DELETE": "DeleteTaskPushNotificationConfig"}, vars}, len(segments) == 4
}

// routeTask reads the segment of one task, with the verb behind its last colon. A colon that is part of the id is escaped.
func routeTask(segment string) (routed, bool) {
	if segment == "" {
		return routed{}, false
	}
	methods := map[string]string{"GET": "GetTask"}
	if id, ok := strings.CutSuffix(segment, ":cancel"); ok {
		segment, methods = id, map[string]string{"POST": "CancelTask"}
	} else if id, ok := strings.CutSuffix(segment, ":subscribe"); ok {
		segment, methods = id, map[string]string{"GET": "SubscribeToTask", "POST": "SubscribeToTask"}
	}
	return routed{methods, object{"id": unescape(segment)}}, true
}

// unescape decodes a segment; what cannot be decoded stays as it is and names nothing.
func unescape(segment string) string {
	if plain, err := url.PathUnescape(segment); err == nil {
		return plain
	}
	return segment
}

// serveREST answers a request below the interface url.
func (c *call) serveREST(tail string) answer {
	b := &c.s.b.rest
	resource, found := b.find(c, b.split(c, tail))
	if !found {
		return b.unknown(c)
	}
	c.op = operationOf(resource.methods[c.r.Method])
	if c.op == nil {
		allow := []string{}
		for method := range resource.methods {
			allow = append(allow, method)
		}
		slices.Sort(allow)
		return b.wrong(c, allow)
	}
	o, f := c.restOutcome(resource)
	if f != nil && c.op.needs == "streaming" {
		return c.s.b.stream.refused(c, f)
	}
	if f != nil {
		return c.refuse(f)
	}
	if o.stream != nil {
		return b.answer(c, o.stream.answer(c))
	}
	if o.result == nil {
		o.result = object{}
	}
	if o.status == 0 {
		o.status = http.StatusOK
	}
	a := c.s.json(b.status(c, o), b.media(c), b.result(c, o.result))
	if a.status == http.StatusNoContent {
		a.body = nil
		a.header.Del("Content-Type")
	}
	c.s.b.extensions.names(c, a.header)
	if c.op.needs == "extendedAgentCard" {
		a.header.Set("Cache-Control", c.s.b.card.caching(c, true))
	}
	return b.answer(c, a)
}

func (c *call) restOutcome(resource routed) (outcome, *failure) {
	b := &c.s.b.rest
	if f := c.s.b.security.authenticates(c); f != nil {
		return outcome{}, f
	}
	if f := c.s.b.versions.refuses(c); f != nil {
		return outcome{}, f
	}
	if f := c.admit(); f != nil {
		return outcome{}, f
	}
	var f *failure
	if c.params, f = b.body(c); f != nil {
		return outcome{}, f
	}
	if f := b.query(c, c.params); f != nil {
		return outcome{}, f
	}
	if f := b.path(c, c.params, resource.vars); f != nil {
		return outcome{}, f
	}
	return c.perform()
}

// restBody reads the request object of a POST. An empty body is an empty object.
func (c *call) restBody() (object, *failure) {
	if c.r.Method != http.MethodPost {
		return object{}, nil
	}
	text, f := c.read()
	if f != nil || len(text) == 0 {
		return object{}, f
	}
	if declared := c.r.Header.Get("Content-Type"); declared != "" {
		media, _, err := mime.ParseMediaType(declared)
		if err != nil || !c.s.b.rest.takes(media) {
			return nil, fail(wrongMedia, "the body is neither application/a2a+json nor application/json")
		}
	}
	v, f := c.s.b.input.parse(text)
	if f != nil {
		return nil, f
	}
	params, ok := v.(object)
	if !ok {
		return nil, violation("body", "is not a JSON object")
	}
	return params, nil
}

// longestBody is how much of a request is read.
const longestBody = 8 << 20

// read reads the body of a request. What is too long is taken off the wire, within reason, so that the refusal can be read.
func (c *call) read() ([]byte, *failure) {
	text, err := io.ReadAll(io.LimitReader(c.r.Body, longestBody+1))
	if err != nil {
		return nil, fail(malformed, "the body ended early")
	}
	if len(text) <= longestBody {
		return text, nil
	}
	if _, err := io.CopyN(io.Discard, c.r.Body, 256<<20); err != nil && !errors.Is(err, io.EOF) {
		return nil, fail(malformed, "the body ended early")
	}
	return nil, fail(tooLarge, "the body is longer than 8 MiB")
}

// restQuery adds the parameters of the query to the request object. Numbers stay text, as ProtoJSON allows.
func (c *call) restQuery(params object) *failure {
	if c.r.Method != http.MethodGet && c.r.Method != http.MethodDelete {
		return nil
	}
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return violation("query", "cannot be read")
	}
	for name, values := range query {
		if len(values) > 1 {
			return violation(name, "is given more than once")
		}
		params[name] = values[0]
		if name == "includeArtifacts" && (values[0] == "true" || values[0] == "false") {
			params[name] = values[0] == "true"
		}
	}
	return nil
}

// mergePath adds what the path says, which a body may repeat but not contradict.
func mergePath(params, vars object) *failure {
	for name, value := range vars {
		if said, given := params[name]; given && said != nil && said != "" && said != value {
			return violation(name, "is not that of the path")
		}
		params[name] = value
	}
	return nil
}
