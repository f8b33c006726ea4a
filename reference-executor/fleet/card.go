// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// blockKey is the one member of a card that the protocol does not have.
const blockKey = "x-scitex-agent-container"

// The one binding that is served, and its version.
const (
	binding         = "HTTP+JSON"
	protocolVersion = "1.0"
)

// cardBehaviour is the card of an agent, which is made of its spec for each request.
type cardBehaviour struct {
	description  func(c *call, a *agent) any
	interfaces   func(c *call, a *agent) []any
	url          func(c *call, a *agent) any // of the interface
	capabilities func(c *call, a *agent, v object) object
	push         func(c *call, a *agent) bool // pushNotifications
	skills       func(c *call, a *agent) []any
	tags         func(c *call, a *agent) []any // of the first skill
	skill        func(c *call, a *agent) any   // name of the first skill
	security     func(c *call, a *agent, card object)
	block        func(c *call, a *agent, card object, block object) // adds it to the card
	shown        func(c *call, a *agent, card object) object        // the last look at it
}

var conformantCard = cardBehaviour{
	description: func(_ *call, a *agent) any {
		if told := a.spec.Metadata.Labels["description"]; told != "" {
			return told
		}
		return fmt.Sprintf("The agent %s, with the role %s.", a.name, a.spec.role())
	},
	interfaces: func(c *call, a *agent) []any {
		return []any{face(c.s.b.card.url(c, a), a.name)}
	},
	url: func(c *call, a *agent) any { return c.agentURL(a.name) },
	capabilities: func(_ *call, _ *agent, v object) object {
		return v
	},
	push: func(*call, *agent) bool { return false },
	skills: func(c *call, a *agent) []any {
		b := &c.s.b.card
		return []any{object{
			"id":          a.name + "." + a.spec.role(),
			"name":        b.skill(c, a),
			"description": fmt.Sprintf("What an agent with the role %s does.", a.spec.role()),
			"tags":        b.tags(c, a),
		}}
	},
	tags: func(_ *call, a *agent) []any {
		tags := append([]string{a.spec.role()}, a.spec.required()...)
		slices.Sort(tags)
		return list(slices.Compact(tags))
	},
	skill:    func(_ *call, a *agent) any { return a.spec.role() },
	security: func(*call, *agent, object) {},
	block:    func(_ *call, _ *agent, card, block object) { card[blockKey] = block },
	shown:    func(_ *call, _ *agent, card object) object { return card },
}

// agentURL is where an agent is found, as its cards say it.
func (c *call) agentURL(name string) string {
	return c.s.b.http.origin(c) + "/agents/" + url.PathEscape(name)
}

// face is an AgentInterface.
func face(url any, tenant string) object {
	return object{"url": url, "protocolBinding": binding, "tenant": tenant, "protocolVersion": protocolVersion}
}

// agentCard answers with the card of an agent.
func agentCard(c *call) answer {
	return c.json(http.StatusOK, mediaJSON, c.cardOf(c.agent))
}

// cardOf makes the card of an agent.
func (c *call) cardOf(a *agent) object {
	b := &c.s.b.card
	card := object{
		"name":                a.name,
		"description":         b.description(c, a),
		"version":             a.spec.APIVersion,
		"supportedInterfaces": b.interfaces(c, a),
		"provider":            provider(),
		"capabilities": b.capabilities(c, a, object{
			"streaming": true, "pushNotifications": b.push(c, a), "extendedAgentCard": false,
			"extensions": c.s.b.extensions.agent(c, a),
		}),
		"defaultInputModes":  list(modes),
		"defaultOutputModes": list(modes),
		"skills":             b.skills(c, a),
	}
	b.security(c, a, card)
	b.block(c, a, card, c.blockOf(a))
	return b.shown(c, a, card)
}

var modes = []string{"text/plain", mediaJSON}

func provider() object {
	return object{"organization": "scitex-agent-container", "url": "https://scitex.ai"}
}

// list is a JSON array of texts.
func list(texts []string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}
