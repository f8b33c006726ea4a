// SPDX-License-Identifier: Apache-2.0

package fleet

import "encoding/json"

var namespaceFaults = map[string]func(*behaviour){
	"block-as-text": func(b *behaviour) {
		b.card.block = func(_ *call, _ *agent, card, block object) {
			text, _ := json.Marshal(block) // what encoding/json has read it can write
			card[blockKey] = string(text)
		}
	},
	"no-block-on-cards": func(b *behaviour) { b.card.block = func(*call, *agent, object, object) {} },
	"fleet-block-missing": func(b *behaviour) {
		b.fleet.block = func(_ *call, card, block object) { card["agents"] = block["agents"] }
	},
	"orochi-on-the-card": onCards(func(_ *call, _ *agent, card object) { card["x-orochi"] = object{} }),
	"orochi-deep-in-the-fleet-card": func(b *behaviour) {
		b.fleet.block = func(_ *call, card, block object) {
			block["fleet"] = object{"x-orochi": object{}}
			card[blockKey] = block
		}
	},
	"block-mirrored-under-x-sac": func(b *behaviour) {
		b.card.block = func(_ *call, _ *agent, card, block object) { card[blockKey], card["x-sac"] = block, block }
	},
	"fleet-card-has-vendor": onFleetCard(func(_ *call, card object) { card["vendor"] = object{"name": "scitex"} }),
	"card-has-build-info":   onCards(func(_ *call, _ *agent, card object) { card["x-build-info"] = object{"commit": "0"} }),
	"block-in-capitals": onFleetCard(func(_ *call, card object) {
		card["X-Scitex-Agent-Container"] = card[blockKey]
	}),
	"runtime-at-the-top": onCards(func(_ *call, a *agent, card object) { card["runtime"] = orNull(a.spec.Spec.Runtime) }),
	"role-class-in-the-skill": func(b *behaviour) {
		b.card.skills = func(c *call, a *agent) []any {
			skills := conformantCard.skills(c, a)
			skills[0].(object)["role_class"] = a.spec.role()
			return skills
		}
	},
	"agents-in-the-provider": onFleetCard(func(c *call, card object) {
		card["provider"].(object)["agents"] = len(c.s.members)
	}),
	"isolation-in-the-capabilities": capable(func(_ *agent, v object) { v["isolation"] = "hardened" }),
	"kind-on-native-cards": func(b *behaviour) {
		b.fields.shown = func(_ *call, _ *agent, block object) { block["kind"] = "Agent" }
	},
	"trust-on-native-cards": func(b *behaviour) {
		b.fields.shown = func(_ *call, _ *agent, block object) { block["trust"] = "trusted" }
	},
}

// onFleetCard changes what is at the top of the fleet card.
func onFleetCard(change func(c *call, card object)) func(*behaviour) {
	return func(b *behaviour) {
		b.fleet.shown = func(c *call, card object) object {
			change(c, card)
			return card
		}
	}
}
