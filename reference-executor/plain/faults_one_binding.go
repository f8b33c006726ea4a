// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/base64"
	"sync"
)

// oneBindingFaults show over one of the bindings, or in streams, only.
var oneBindingFaults = map[string]func(*behaviour){
	"grpc-streams-are-refused-without-details": func(b *behaviour) {
		b.grpc.details = func(c *call, _ *failure, all []any) []any {
			if c.op != nil && c.op.needs == "streaming" {
				return nil
			}
			return all
		}
	},
	"raw-over-rpc-is-the-text-of-its-base64": func(b *behaviour) {
		b.rpc.result = func(_ *call, result any) any { return rawOfText(clone(result)) }
	},
	"messages-over-rpc-refer-to-nothing": func(b *behaviour) {
		b.output.message = func(c *call, v object) {
			if c.binding == BindingRPC {
				delete(v, "referenceTaskIds")
			}
		}
	},
	"rpc-refused-deletions-have-a-null-result": func(b *behaviour) {
		b.rpc.response = func(c *call, v object) any {
			if _, refused := v["error"]; refused && isOp(c, "DeleteTaskPushNotificationConfig") {
				v["result"] = nil
			}
			return v
		}
	},
	"streams-show-messages-of-0-3-as-they-came": func(b *behaviour) {
		var old sync.Map // ids of messages
		b.input.tenant = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			if isOp(c, "SendStreamingMessage") && message["role"] == "user" {
				message["role"] = "ROLE_USER"
				old.Store(message["messageId"], true)
			}
			return conformantInput.tenant(c)
		}
		b.output.message = func(c *call, v object) {
			if _, is := old.Load(v["messageId"]); is && c.op != nil && c.op.needs == "streaming" {
				v["role"] = "user"
			}
		}
	},
}

// rawOfText takes the base64 of every raw member for the bytes themselves.
func rawOfText(v any) any {
	switch v := v.(type) {
	case object:
		for name, member := range v {
			if text, is := member.(string); is && name == "raw" {
				v[name] = base64.StdEncoding.EncodeToString([]byte(text))
			} else {
				v[name] = rawOfText(member)
			}
		}
	case []any:
		for i := range v {
			v[i] = rawOfText(v[i])
		}
	}
	return v
}
