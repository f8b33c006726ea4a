// SPDX-License-Identifier: Apache-2.0

package fleet

var extensionFaults = map[string]func(*behaviour){
	"fleet-extension-v2": onFleetExtensions(func(all []any) []any {
		all[0].(object)["uri"] = "https://scitex.ai/a2a/extensions/sac-fleet/v2"
		return all
	}),
	"fleet-extension-twice": onFleetExtensions(func(all []any) []any { return append(all, all[0]) }),
	"fleet-extension-required": onFleetExtensions(func(all []any) []any {
		all[0].(object)["required"] = true
		return all
	}),
	"members-path-elsewhere": withParams(func(params object) { params["members_path"] = "/members" }),
	"members-path-below-v1":  withParams(func(params object) { params["members_path"] = "/v1/agents/" }),
	"template-without-placeholder": withParams(func(params object) {
		params["member_card_path"] = "/agents" + fleetCardPath
	}),
	"template-with-a-colon": withParams(func(params object) {
		params["member_card_path"] = "/agents/:name" + fleetCardPath
	}),
	"fleet-extension-uri-relative": func(b *behaviour) {
		b.extensions.fleet = func(c *call) []any {
			return append(conformantExtensions.fleet(c), object{"uri": "sac-notes", "description": "Notes.", "required": false})
		}
	},
	"no-channel-extension":         func(b *behaviour) { b.extensions.declares = func(*call, *agent) bool { return false } },
	"channel-extension-everywhere": func(b *behaviour) { b.extensions.declares = func(*call, *agent) bool { return true } },
	"placeholder-in-sse-path": func(b *behaviour) {
		b.extensions.path = func(*call, *agent) any { return "/agents/<name>/inbox/stream" }
	},
	"sse-path-unrouted": func(b *behaviour) {
		b.extensions.path = func(_ *call, a *agent) any { return "/agents/" + a.name + "/inbox/events" }
	},
	"sse-path-unrouted-though-right": func(b *behaviour) {
		handle := b.routes.table["GET "+inboxPath]
		b.routes.table["GET "+inboxPath] = func(c *call) answer {
			if c.agent.spec.listens() {
				return c.s.b.routes.unknown(c)
			}
			return handle(c)
		}
	},
	"tools-as-text": func(b *behaviour) {
		b.extensions.tools = func(*call, *agent) any { return "a2a_send,a2a_reply,a2a_ack,a2a_peers,a2a_inbox" }
	},
	"no-ack-tool": func(b *behaviour) {
		b.extensions.tools = func(*call, *agent) any { return []any{"a2a_send", "a2a_reply", "a2a_peers", "a2a_inbox"} }
	},
	"channel-extension-twice": onExtensions(func(_ *call, all []any) []any {
		if len(all) > 0 {
			return append(all, all[0])
		}
		return all
	}),
	"extension-uri-relative": onExtensions(func(_ *call, all []any) []any {
		return append(all, object{"uri": "sac-notes", "description": "Notes.", "required": false})
	}),
	"fleet-extension-on-agent-cards": onExtensions(func(c *call, all []any) []any {
		return append(all, conformantExtensions.fleet(c)...)
	}),
}

// onExtensions changes the extensions of agents' cards.
func onExtensions(change func(c *call, all []any) []any) func(*behaviour) {
	return func(b *behaviour) {
		b.extensions.agent = func(c *call, a *agent) []any { return change(c, conformantExtensions.agent(c, a)) }
	}
}

// onFleetExtensions changes those of the fleet card.
func onFleetExtensions(change func(all []any) []any) func(*behaviour) {
	return func(b *behaviour) {
		b.extensions.fleet = func(c *call) []any { return change(conformantExtensions.fleet(c)) }
	}
}

// withParams changes the params of the fleet extension.
func withParams(change func(params object)) func(*behaviour) {
	return func(b *behaviour) {
		b.extensions.params = func(_ *call, params object) { change(params) }
	}
}
