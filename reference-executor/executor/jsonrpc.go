// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// rpcMethods are the operations that JSON-RPC calls, by the names of A2A 0.3. Each is the REST operation under another
// envelope.
var rpcMethods = map[string]func(c *call, params map[string]any) answer{
	"message/send": func(c *call, params map[string]any) answer {
		text, _ := json.Marshal(params)
		c.r.Body = io.NopCloser(bytes.NewReader(text))
		return sendMessage(c)
	},
	"tasks/get":    onTask(getTask),
	"tasks/cancel": onTask(cancelOperation),
}

func onTask(h handler) func(c *call, params map[string]any) answer {
	return func(c *call, params map[string]any) answer {
		id, _ := params["id"].(string)
		c.vars["tid"] = id
		c.r.Body = http.NoBody
		return h(c)
	}
}

// JSON-RPC's own error codes, and A2A's for what went wrong in an operation.
const (
	rpcParse          = -32700
	rpcInvalidRequest = -32600
	rpcNoMethod       = -32601
	rpcInvalidParams  = -32602
	rpcInternal       = -32603
	rpcNoTask         = -32001
	rpcNotCancelable  = -32002
)

var rpcCodes = map[int]int{
	http.StatusBadRequest: rpcInvalidParams, http.StatusNotFound: rpcNoTask, http.StatusConflict: rpcNotCancelable,
}

// jsonRPC serves one JSON-RPC 2.0 request.
func jsonRPC(c *call) answer {
	request, _, p := c.readJSON()
	if p != nil {
		return c.rpcError(nil, rpcParse, "the body is no JSON object", nil)
	}
	id, method := request["id"], request["method"]
	name, isText := method.(string)
	if request["jsonrpc"] != "2.0" || !isText {
		return c.rpcError(id, rpcInvalidRequest, "jsonrpc is not \"2.0\", or method is no text", nil)
	}
	call := rpcMethods[name]
	if call == nil {
		return c.rpcError(id, rpcNoMethod, "there is no such method", nil)
	}
	params, isObject := request["params"].(map[string]any)
	if !isObject {
		return c.rpcError(id, rpcInvalidParams, "params is not an object", nil)
	}
	a := call(c, params)
	var body any
	if json.Unmarshal(a.body, &body) != nil {
		return c.rpcError(id, rpcInternal, "the operation gave no answer", nil)
	}
	if a.status > 299 {
		code, known := rpcCodes[a.status]
		if !known {
			code = rpcInternal
		}
		return c.rpcError(id, code, "the operation was refused", body)
	}
	return c.json(http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": id, "result": body})
}

func (c *call) rpcError(id any, code int, message string, data any) answer {
	failure := map[string]any{"code": code, "message": message}
	if data != nil {
		failure["data"] = data
	}
	d := map[string]any{"jsonrpc": "2.0", "id": id, "error": failure}
	c.e.b.errors.rpc(d)
	return c.json(http.StatusOK, d)
}
