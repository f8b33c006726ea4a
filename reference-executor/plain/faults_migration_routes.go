// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"strings"
)

// migrationRouteFaults bring back methods and routes that 0.3 had.
var migrationRouteFaults = map[string]func(*behaviour){
	"push-configurations-set-as-in-0-3":    methodOf03("CreateTaskPushNotificationConfig"),
	"extended-card-by-its-old-method-only": methodOf03("GetExtendedAgentCard"),
	"push-configurations-listed-by-another-name": func(b *behaviour) {
		b.rpc.method = func(c *call, name string) *operation {
			switch name {
			case "ListTaskPushNotificationConfigs":
				return nil
			case "ListTaskPushNotificationConfig":
				name += "s"
			}
			return conformantRPC.method(c, name)
		}
	},
	"push-configurations-as-a-bare-array": func(b *behaviour) { b.output.configs = func(_ *call, v object) any { return v["configs"] } },
	"push-configurations-cannot-be-posted": func(b *behaviour) {
		b.rest.find = func(c *call, segments []string) (routed, bool) {
			found, ok := c.route(segments)
			if found.methods["POST"] == "CreateTaskPushNotificationConfig" {
				delete(found.methods, "POST")
			}
			return found, ok
		}
	},
	"extended-card-at-v1-card-only": func(b *behaviour) {
		b.rest.find = func(c *call, segments []string) (routed, bool) {
			switch strings.Join(segments, "/") {
			case "extendedAgentCard":
				return routed{}, false
			case "v1/card":
				segments = []string{"extendedAgentCard"}
			}
			return c.route(segments)
		}
	},
	"operations-below-v1-as-well": func(b *behaviour) {
		b.rest.split = func(_ *call, tail string) []string {
			return strings.Split(strings.TrimPrefix(tail, "v1/"), "/")
		}
	},
	"legacy-methods-under-1-0": func(b *behaviour) {
		b.rpc.method = func(c *call, name string) *operation {
			if name == "message/send" {
				c.version = version03
			}
			return conformantRPC.method(c, name)
		}
	},
	"legacy-reading-under-1-0": func(b *behaviour) {
		b.rpc.method = func(c *call, name string) *operation {
			if name == "tasks/get" {
				name = "GetTask"
			}
			return conformantRPC.method(c, name)
		}
	},

	"extended-card-with-a-url": func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if extended {
				card["url"] = c.s.public() + rpcPath
			}
		}
	},
	"extended-card-over-rpc-has-what-0-3-had": func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if extended && c.binding == BindingRPC {
				card["url"], card["preferredTransport"], card["protocolVersion"] = c.s.public()+rpcPath, BindingRPC, "0.3.0"
				card["additionalInterfaces"] = []any{object{"url": c.s.public() + restPath, "transport": BindingREST}}
			}
		}
	},
	"empty-push-lists-are-bare-arrays": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			if list, _ := v["configs"].([]any); len(list) == 0 {
				return []any{}
			}
			return v
		}
	},
}

// methodOf03 knows an operation by its method of 0.3 alone.
func methodOf03(name string) func(*behaviour) {
	return func(b *behaviour) {
		b.rpc.method = func(c *call, asked string) *operation {
			op := operationOf(name)
			switch asked {
			case name:
				return nil
			case op.legacy:
				return op
			}
			return conformantRPC.method(c, asked)
		}
	}
}
