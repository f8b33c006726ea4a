// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"strings"
	"sync"
)

// rpcOperationFaults break over JSON-RPC what is right over the other bindings.
var rpcOperationFaults = map[string]func(*behaviour){
	"extended-card-over-rpc-lacks-its-interfaces": func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if extended && c.binding == BindingRPC {
				delete(card, "supportedInterfaces")
			}
		}
	},
	"extended-card-over-rpc-for-everybody": func(b *behaviour) {
		var asks sync.Map // calls
		b.rpc.envelope = func(c *call, v any) (rpcRequest, *failure) {
			request, f := c.readEnvelope(v)
			if request.method == "GetExtendedAgentCard" {
				asks.Store(c, true)
			}
			return request, f
		}
		b.security.demands = func(c *call) bool {
			_, extended := asks.LoadAndDelete(c)
			return conformantSecurity.demands(c) && !extended
		}
	},
	"lists-over-rpc-take-no-history-for-all-of-it": reading(func(c *call, q query) (query, *failure) {
		if c.binding == BindingRPC && q.limit == 0 {
			q.limit = -1
		}
		return q, nil
	}),
	"streams-over-rpc-that-are-left-cancel-their-task": func(b *behaviour) {
		b.stream.lost = func(c *call, t task) {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			if stored := c.s.tasks[t.id]; c.binding == BindingRPC && stored != nil && !terminal(stored.state) {
				c.s.b.tasks.cancel(c, stored)
			}
		}
	},
	"streams-over-rpc-stay-open-after-the-end": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) && (st.c.binding != BindingRPC || ev.kind == "message")
		}
	},
	"rpc-refused-streams-have-another-code": func(b *behaviour) {
		b.rpc.code = func(c *call, f *failure) any {
			if c.op != nil && c.op.needs == "streaming" && f.kind == unsupportedOperation {
				return -32000
			}
			return conformantRPC.code(c, f)
		}
	},
	"rpc-ids-are-ascii": func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any {
			if text := jsonText(v["id"]); text != "" {
				v["id"] = strings.Map(func(r rune) rune {
					if r > 0x7e {
						return '?'
					}
					return r
				}, text)
			}
			return v
		}
	},
	"missing-version-is-the-current-over-rpc": func(b *behaviour) {
		b.versions.asked = func(c *call) string {
			asked := conformantVersions.asked(c)
			if asked == "" && c.binding == BindingRPC && !c.s.config.Legacy {
				return version10
			}
			return asked
		}
	},
	"no-challenge-over-rpc": func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.kind == unauthenticated && c.binding == BindingRPC {
				a.header.Del("WWW-Authenticate")
			}
			return a
		}
	},
}
