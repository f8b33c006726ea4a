// SPDX-License-Identifier: Apache-2.0

package plain

// unreadRequestFaults break the answers over JSON-RPC to what is no request, or one of no method, and to params that are wrong.
var unreadRequestFaults = map[string]func(*behaviour){
	"what-is-no-request-is-answered-without-jsonrpc": toNoRequest(func(v object) { delete(v, "jsonrpc") }),
	"what-is-no-request-has-a-result-of-null":        toNoRequest(func(v object) { v["result"] = nil }),
	"what-is-no-request-is-refused-without-a-word":   toNoRequest(func(v object) { v["error"].(object)["message"] = "" }),
	"what-is-no-request-is-explained-in-a-text": toNoRequest(func(v object) {
		e := v["error"].(object)
		e["data"] = e["message"]
	}),
	"rpc-params-of-another-type-are-internal": func(b *behaviour) {
		b.rpc.code = func(c *call, f *failure) any {
			if _, text := c.params["id"].(string); f.kind == invalidParams && c.params["id"] != nil && !text {
				return internal.rpc
			}
			return conformantRPC.code(c, f)
		}
	},
	"rpc-streams-of-nothing-are-internal": func(b *behaviour) {
		b.rpc.code = func(c *call, f *failure) any {
			if c.op != nil && c.op.needs == "streaming" && f.kind == invalidParams {
				return internal.rpc
			}
			return conformantRPC.code(c, f)
		}
	},
}

// toNoRequest changes the responses to what names no operation.
func toNoRequest(change func(v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any {
			e, _ := v["error"].(object)
			switch e["code"] {
			case malformed.rpc, invalidRequest.rpc, unknownMethod.rpc:
				change(v)
			}
			return v
		}
	}
}
