// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"encoding/json"
)

// rpcCornerFaults keep the specification in the usual call, and break it in one that looks nearly the same.
var rpcCornerFaults = map[string]func(*behaviour){
	"rpc-answers-of-any-media-type-are-plain-text": func(b *behaviour) {
		b.rpc.media = func(c *call) string { return plainForAnything(c, conformantRPC.media(c)) }
	},
	"json-may-go-on-behind-its-end": func(b *behaviour) {
		b.input.parse = func(text []byte) (any, *failure) {
			var raw json.RawMessage
			if json.NewDecoder(bytes.NewReader(text)).Decode(&raw) == nil {
				text = raw
			}
			return conformantInput.parse(text)
		}
	},
	"rpc-version-may-be-left-out": func(b *behaviour) {
		b.rpc.jsonrpc = func(v any) bool { return v == nil || conformantRPC.jsonrpc(v) }
	},
	"rpc-version-may-be-a-number": func(b *behaviour) {
		b.rpc.jsonrpc = func(v any) bool {
			_, number := v.(json.Number)
			return number || conformantRPC.jsonrpc(v)
		}
	},
	"rpc-method-that-is-a-number-is-an-internal-error": func(b *behaviour) {
		b.rpc.envelope = func(c *call, v any) (rpcRequest, *failure) {
			if o, is := v.(object); is {
				if _, number := o["method"].(json.Number); number {
					return rpcRequest{}, fail(internal, panicked)
				}
			}
			return conformantRPC.envelope(c, v)
		}
	},
	"rpc-refused-versions-without-id": func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any {
			if e, is := v["error"].(object); is && e["code"] == versionNotSupported.rpc {
				v["id"] = nil
			}
			return v
		}
	},
	"rpc-uncancelable-tasks-without-an-info": func(b *behaviour) {
		b.rpc.data = func(c *call, f *failure, details []any) any {
			if f.kind == taskNotCancelable {
				return nil
			}
			return conformantRPC.data(c, f, details)
		}
	},
	"rpc-infos-name-the-code": func(b *behaviour) {
		b.errors.info = func(c *call, f *failure) object {
			info := conformantErrors.info(c, f)
			if info != nil && c.binding == BindingRPC && f.kind == versionNotSupported {
				info["reason"] = "ERROR_32009"
			}
			return info
		}
	},
	"rpc-malformed-json-shows-a-path": rpcShowsAPath(malformed),
	"rpc-unknown-method-shows-a-path": rpcShowsAPath(unknownMethod),
	"rpc-subscriptions-with-another-id": func(b *behaviour) {
		b.stream.envelope = func(st *eventStream, item object) any {
			v := conformantStream.envelope(st, item)
			if response, is := v.(object); is && st.c.binding == BindingRPC && isOp(st.c, "SubscribeToTask") {
				response["id"] = "subscription"
			}
			return v
		}
	},
	"rpc-unknown-method-without-params-is-invalid-params": func(b *behaviour) {
		b.rpc.code = func(c *call, f *failure) any {
			if f.kind == unknownMethod && c.params == nil {
				return invalidParams.rpc
			}
			return conformantRPC.code(c, f)
		}
	},
}

// rpcShowsAPath shows a place in the server where one error is told over JSON-RPC.
func rpcShowsAPath(kind *errorKind) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.message = func(c *call, f *failure) string {
			if f.kind == kind && c.binding == BindingRPC {
				return f.message + " (/srv/agent/rpc/serve.go)"
			}
			return f.message
		}
	}
}
