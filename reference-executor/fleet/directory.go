// SPDX-License-Identifier: Apache-2.0

package fleet

import "net/http"

// fleetBehaviour is the fleet card and the member index.
type fleetBehaviour struct {
	interfaces func(c *call) any
	members    func(c *call) []*agent           // listed in both
	entry      func(c *call, a *agent) object   // of both
	directory  func(c *call, entries []any) any // of the fleet card
	index      func(c *call, entries []any) any // the whole answer
	block      func(c *call, card, block object)
	shown      func(c *call, card object) object
}

// fleetName is what the listener calls itself.
const fleetName = "scitex-agent-container"

var conformantFleet = fleetBehaviour{
	interfaces: func(c *call) any { return []any{face(c.s.b.http.origin(c), fleetName)} },
	members:    func(c *call) []*agent { return c.s.members },
	entry: func(c *call, a *agent) object {
		return object{"name": a.name, "supportedInterfaces": []any{face(c.agentURL(a.name), a.name)}}
	},
	directory: func(_ *call, entries []any) any { return entries },
	index:     func(_ *call, entries []any) any { return object{"agents": entries} },
	block:     func(_ *call, card, block object) { card[blockKey] = block },
	shown:     func(_ *call, card object) object { return card },
}

// entries are the members as the fleet card and the index list them.
func (c *call) entries() []any {
	b := &c.s.b.fleet
	all := []any{}
	for _, a := range b.members(c) {
		all = append(all, b.entry(c, a))
	}
	return all
}

// fleetCard answers with the card of the listener.
func fleetCard(c *call) answer {
	b := &c.s.b.fleet
	card := object{
		"name":                fleetName,
		"description":         "Several agents behind one listener: whoever has a task for one of them finds its card in the directory below, asks there what it can do, and sends the message to the address that the card gives.",
		"version":             fleetName + "/v1",
		"supportedInterfaces": b.interfaces(c),
		"provider":            provider(),
		"capabilities": object{
			"streaming": false, "pushNotifications": false, "extendedAgentCard": false,
			"extensions": c.s.b.extensions.fleet(c),
		},
		"defaultInputModes":  list(modes),
		"defaultOutputModes": list(modes),
		"skills": []any{object{
			"id": "sac.fleet", "name": "fleet", "description": "Lists the agents that are served here.", "tags": []any{"fleet"},
		}},
	}
	b.block(c, card, object{"agents": b.directory(c, c.entries())})
	return c.json(http.StatusOK, mediaJSON, b.shown(c, card))
}

// index answers with the member index.
func index(c *call) answer {
	return c.json(http.StatusOK, mediaJSON, c.s.b.fleet.index(c, c.entries()))
}
