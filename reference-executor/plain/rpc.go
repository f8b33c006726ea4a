// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"net/http"
)

// rpcBehaviour is the binding JSON-RPC.
type rpcBehaviour struct {
	at       func(path string) bool                      // whether the interface is at a path
	envelope func(c *call, v any) (rpcRequest, *failure) // a request as it was parsed
	jsonrpc  func(v any) bool                            // whether the version of JSON-RPC is the right one
	method   func(c *call, name string) *operation       // nil: there is none
	notified func(c *call) answer                        // the answer to a notification, which has no id
	params   func(c *call, v any) (object, *failure)
	id       func(raw json.RawMessage) any // as it is answered
	result   func(c *call, result any) any
	response func(c *call, v object) any // the last look at a response or stream event
	code     func(c *call, f *failure) any
	data     func(c *call, f *failure, details []any) any // nil: none
	status   func(c *call, f *failure) int                // the HTTP status of an error
	media    func(c *call) string
	answer   func(c *call, a answer) answer
}

var conformantRPC = rpcBehaviour{
	at:       func(path string) bool { return path == rpcPath },
	envelope: func(c *call, v any) (rpcRequest, *failure) { return c.readEnvelope(v) },
	jsonrpc:  func(v any) bool { return v == "2.0" },
	method: func(c *call, name string) *operation {
		for _, op := range operations {
			if c.version == version03 && op.legacy == name && name != "" || c.version != version03 && op.name == name {
				return op
			}
		}
		return nil
	},
	notified: func(*call) answer { return answer{status: http.StatusNoContent, header: http.Header{}} },
	params:   func(_ *call, v any) (object, *failure) { return readParams(v) },
	id: func(raw json.RawMessage) any {
		if raw == nil {
			return nil
		}
		return raw
	},
	result:   func(_ *call, result any) any { return result },
	response: func(_ *call, v object) any { return v },
	code:     func(c *call, f *failure) any { return c.s.b.errors.kind(c, f).rpc },
	data: func(_ *call, _ *failure, details []any) any {
		if len(details) == 0 {
			return nil
		}
		return details
	},
	status: func(c *call, f *failure) int {
		switch f.kind {
		case unauthenticated, forbidden, tooLarge:
			return f.kind.http
		}
		return http.StatusOK
	},
	media:  func(*call) string { return mediaJSON },
	answer: func(_ *call, a answer) answer { return a },
}

// An rpcRequest is a JSON-RPC request that is one.
type rpcRequest struct {
	method string
	params any  // nil: none
	quiet  bool // a notification: it is not answered
}

// serveRPC answers a request to the JSON-RPC interface.
func (c *call) serveRPC() answer {
	b := &c.s.b.rpc
	if c.r.Method != http.MethodPost {
		f := fail(methodNotAllowed, "JSON-RPC requests are sent by POST")
		a := c.refuse(f)
		a.status = http.StatusMethodNotAllowed
		a.header.Set("Allow", http.MethodPost)
		return a
	}
	o, f := c.rpcOutcome()
	if f != nil && f.kind == notification {
		return b.answer(c, b.notified(c))
	}
	if f != nil && c.op != nil && c.op.needs == "streaming" {
		return b.answer(c, c.s.b.stream.refused(c, f))
	}
	if f != nil {
		return b.answer(c, c.refuse(f))
	}
	if o.stream != nil {
		return b.answer(c, o.stream.answer(c))
	}
	a := c.s.json(http.StatusOK, b.media(c), c.enclose(o.result))
	c.s.b.extensions.names(c, a.header)
	if c.op.needs == "extendedAgentCard" {
		a.header.Set("Cache-Control", c.s.b.card.caching(c, true))
	}
	return b.answer(c, a)
}

func (c *call) rpcOutcome() (outcome, *failure) {
	b := &c.s.b.rpc
	text, unread := c.read()
	var v any
	if unread == nil {
		v, unread = c.s.b.input.parse(text)
	}
	var request rpcRequest
	if unread == nil {
		request, unread = b.envelope(c, v)
	}
	// The id is known by now, but nobody is told what is wrong before it is known who asks.
	if f := c.s.b.security.authenticates(c); f != nil {
		return outcome{}, f
	}
	if unread != nil {
		return outcome{}, unread
	}
	if request.quiet {
		return outcome{}, fail(notification, "the request has no id")
	}
	c.op = methodOf(request.method)
	c.params, _ = request.params.(object)
	if f := c.s.b.versions.refuses(c); f != nil {
		return outcome{}, f
	}
	c.op = b.method(c, request.method)
	if c.op == nil {
		return outcome{}, fail(unknownMethod, "there is no such method")
	}
	if f := c.admit(); f != nil {
		return outcome{}, f
	}
	var f *failure
	if c.params, f = b.params(c, request.params); f != nil {
		return outcome{}, f
	}
	if c.version == version03 {
		c.params = c.s.b.legacy.request(c, c.params)
	}
	return c.perform()
}

// methodOf finds the operation that a method is called by in any version.
func methodOf(name string) *operation {
	for _, op := range operations {
		if name != "" && (op.name == name || op.legacy == name) {
			return op
		}
	}
	return nil
}

// readEnvelope tells whether a JSON value is a request of JSON-RPC 2.0. A2A has no batches. A notification is one, but as
// every method of A2A has a result that its sender wants, nothing is done for it.
func (c *call) readEnvelope(v any) (rpcRequest, *failure) {
	o, ok := v.(object)
	if !ok {
		return rpcRequest{}, fail(invalidRequest, "the request is not a JSON object")
	}
	quiet := false
	switch id := o["id"].(type) {
	case string, json.Number:
		raw, err := json.Marshal(id)
		if err != nil {
			panic("bug: " + err.Error())
		}
		c.id = raw
	case nil:
		_, given := o["id"]
		quiet = !given
	default:
		return rpcRequest{}, fail(invalidRequest, "the id is neither a string nor a number")
	}
	if !c.s.b.rpc.jsonrpc(o["jsonrpc"]) {
		return rpcRequest{}, fail(invalidRequest, `jsonrpc is not "2.0"`)
	}
	method, ok := o["method"].(string)
	if !ok || method == "" {
		return rpcRequest{}, fail(invalidRequest, "the request names no method")
	}
	return rpcRequest{method, o["params"], quiet}, nil
}

// readParams wants an object, or nothing.
func readParams(v any) (object, *failure) {
	if v == nil {
		return object{}, nil
	}
	params, ok := v.(object)
	if !ok {
		return nil, violation("params", "is not a JSON object")
	}
	return params, nil
}

// enclose puts a result into the response of the binding; over REST it is the answer itself.
func (c *call) enclose(result any) any {
	if c.binding != BindingRPC {
		return result
	}
	b := &c.s.b.rpc
	if c.version == version03 {
		result = c.s.b.legacy.result(c, result)
	}
	return b.response(c, object{"jsonrpc": "2.0", "id": b.id(c.id), "result": b.result(c, result)})
}

// refuseRPC is an error response.
func (c *call) refuseRPC(f *failure) answer {
	return c.s.json(c.s.b.rpc.status(c, f), c.s.b.rpc.media(c), c.rpcError(f))
}

// rpcError is the response object of an error.
func (c *call) rpcError(f *failure) any {
	b := &c.s.b.rpc
	e := object{"code": b.code(c, f), "message": c.s.b.errors.message(c, f)}
	if data := b.data(c, f, c.details(f)); data != nil {
		e["data"] = data
	}
	return b.response(c, object{"jsonrpc": "2.0", "id": b.id(c.id), "error": e})
}
