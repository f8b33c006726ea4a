// SPDX-License-Identifier: Apache-2.0

package fleet

import "net/url"

var fleetFaults = map[string]func(*behaviour){
	"state-history-on-the-fleet-card": onFleetCard(func(_ *call, card object) {
		card["capabilities"].(object)["stateTransitionHistory"] = false
	}),
	"fleet-card-has-url":            onFleetCard(func(c *call, card object) { card["url"] = c.s.b.http.origin(c) }),
	"fleet-card-without-interfaces": onFleetCard(func(_ *call, card object) { delete(card, "supportedInterfaces") }),
	"directory-as-a-map": func(b *behaviour) {
		b.fleet.directory = func(_ *call, entries []any) any {
			byName := object{}
			for _, entry := range entries {
				byName[entry.(object)["name"].(string)] = entry
			}
			return byName
		}
	},
	"directory-of-names-only": func(b *behaviour) {
		b.fleet.directory = func(_ *call, entries []any) any {
			names := make([]any, len(entries))
			for i, entry := range entries {
				names[i] = object{"name": entry.(object)["name"]}
			}
			return names
		}
	},
	"entries-have-url": func(b *behaviour) {
		b.fleet.directory = func(c *call, entries []any) any {
			for _, entry := range entries {
				entry.(object)["url"] = c.agentURL(entry.(object)["name"].(string))
			}
			return entries
		}
	},
	"agent-listed-twice": func(b *behaviour) {
		b.fleet.directory = func(_ *call, entries []any) any { return append(entries, entries[:min(1, len(entries))]...) }
	},
	"unserved-agent-listed": func(b *behaviour) {
		b.fleet.members = func(c *call) []*agent {
			return append(c.s.members[:len(c.s.members):len(c.s.members)], &agent{name: "zombie"})
		}
	},
	"directory-points-elsewhere": func(b *behaviour) {
		b.fleet.entry = func(c *call, a *agent) object {
			entry := conformantFleet.entry(c, a)
			if u, err := url.Parse(c.agentURL(a.name)); err == nil {
				u.Host = u.Hostname() + ":1"
				entry["supportedInterfaces"].([]any)[0].(object)["url"] = u.String()
			}
			return entry
		}
	},
	"directory-points-elsewhere-once": func(b *behaviour) {
		b.fleet.entry = func(c *call, a *agent) object {
			entry := conformantFleet.entry(c, a)
			if len(c.s.members) > 3 && a == c.s.members[3] {
				entry["supportedInterfaces"] = append(entry["supportedInterfaces"].([]any), face("http://elsewhere.example/agents/"+a.name, a.name))
			}
			return entry
		}
	},
	"index-without-the-last": func(b *behaviour) {
		b.fleet.index = func(_ *call, entries []any) any { return object{"agents": entries[:max(0, len(entries)-1)]} }
	},
	"fleet-block-has-isolation": func(b *behaviour) {
		b.fleet.block = func(c *call, card, block object) {
			if len(c.s.members) > 0 {
				block["isolation"] = c.isolationOf(c.s.members[0])
			}
			card[blockKey] = block
		}
	},
}
