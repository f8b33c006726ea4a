// SPDX-License-Identifier: Apache-2.0

package fleet

import "net/url"

// The extensions that cards declare.
const (
	channelExtension = "https://scitex.ai/a2a/extensions/sac-push-channel/v1"
	fleetExtension   = "https://scitex.ai/a2a/extensions/sac-fleet/v1"
)

// extensionsBehaviour is what cards declare beyond the protocol.
type extensionsBehaviour struct {
	agent    func(c *call, a *agent) []any // of the card of an agent
	declares func(c *call, a *agent) bool  // whether the channel is declared
	path     func(c *call, a *agent) any   // of its stream
	tools    func(c *call, a *agent) any
	fleet    func(c *call) []any          // of the fleet card
	params   func(c *call, params object) // of the fleet extension
}

// tools are those with which an agent answers what comes into its inbox.
var tools = []string{"a2a_send", "a2a_reply", "a2a_ack", "a2a_peers", "a2a_inbox"}

var conformantExtensions = extensionsBehaviour{
	agent: func(c *call, a *agent) []any {
		b := &c.s.b.extensions
		if !b.declares(c, a) {
			return []any{}
		}
		return []any{object{
			"uri": channelExtension, "required": false,
			"description": "What is sent to the agent is told to whoever reads its inbox, and to its session as notifications/claude/channel.",
			"params":      object{"sse_path": b.path(c, a), "mcp_tools": b.tools(c, a)},
		}}
	},
	declares: func(_ *call, a *agent) bool { return a.spec.listens() },
	path:     func(_ *call, a *agent) any { return "/agents/" + url.PathEscape(a.name) + "/inbox/stream" },
	tools:    func(*call, *agent) any { return list(tools) },
	fleet: func(c *call) []any {
		params := object{"members_path": indexPath, "member_card_path": "/agents/<name>" + fleetCardPath}
		c.s.b.extensions.params(c, params)
		return []any{object{
			"uri": fleetExtension, "required": false, "params": params,
			"description": "The listener serves several agents. Who they are stands in the block of this card and in the index of members; " +
				"each has a card of its own, from which its address, its skills and what it is isolated from can be read, " +
				"and an inbox, which tells whoever reads it what was sent to the agent.",
		}}
	},
	params: func(*call, object) {},
}
