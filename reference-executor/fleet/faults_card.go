// SPDX-License-Identifier: Apache-2.0

package fleet

import "time"

var cardFaults = map[string]func(*behaviour){
	"card-has-url":                 onCards(func(c *call, a *agent, card object) { card["url"] = c.agentURL(a.name) }),
	"card-has-preferred-transport": onCards(func(_ *call, _ *agent, card object) { card["preferredTransport"] = "JSONRPC" }),
	"card-names-the-channel": func(b *behaviour) {
		b.extensions.agent = func(c *call, a *agent) []any {
			declared := conformantExtensions.agent(c, a)
			for _, one := range declared {
				one.(object)["params"].(object)["method"] = "notifications/claude/channel"
			}
			return declared
		}
	},
	"card-has-labels":        onCards(func(_ *call, a *agent, card object) { card["labels"] = object{"role": a.spec.role()} }),
	"streaming-as-text":      capable(func(_ *agent, v object) { v["streaming"] = "true" }),
	"no-extended-card-flag":  capable(func(_ *agent, v object) { delete(v, "extendedAgentCard") }),
	"state-history-on-cards": capable(func(_ *agent, v object) { v["stateTransitionHistory"] = false }),
	"extra-capability":       capable(func(_ *agent, v object) { v["sacChannel"] = true }),
	"push-flag-for-the-channel": func(b *behaviour) {
		b.card.push = func(_ *call, a *agent) bool { return a.spec.listens() }
	},
	"card-has-authentication": secured(func(card object) { card["authentication"] = object{"schemes": []any{"none"}} }),
	"empty-security-schemes":  secured(func(card object) { card["securitySchemes"] = object{} }),
	"requirements-without-schemes": secured(func(card object) {
		card["securityRequirements"] = []any{object{"schemes": object{"bearer": object{"list": []any{}}}}}
	}),
	"card-without-skills": func(b *behaviour) {
		b.card.skills = func(*call, *agent) []any { return []any{} }
	},
	"card-without-description": func(b *behaviour) { b.card.description = func(*call, *agent) any { return "" } },
	"skill-named-after-the-agent": func(b *behaviour) {
		b.card.skill = func(_ *call, a *agent) any { return a.name }
	},
	"tags-without-required-skills": func(b *behaviour) {
		b.card.tags = func(_ *call, a *agent) []any { return []any{a.spec.role()} }
	},
	"fourth-card-has-another-name": onCards(func(c *call, a *agent, card object) {
		if len(c.s.members) > 3 && a == c.s.members[3] {
			card["name"] = "somebody else"
		}
	}),
	"card-is-stamped": func(b *behaviour) {
		b.fields.shown = func(_ *call, _ *agent, block object) { block["generated_at"] = time.Now().Format(time.RFC3339Nano) }
	},
}

// onCards changes what is at the top of an agent's card.
func onCards(change func(c *call, a *agent, card object)) func(*behaviour) {
	return func(b *behaviour) {
		b.card.shown = func(c *call, a *agent, card object) object {
			change(c, a, card)
			return card
		}
	}
}

// capable changes the capabilities of agents' cards.
func capable(change func(a *agent, v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.card.capabilities = func(_ *call, a *agent, v object) object {
			change(a, v)
			return v
		}
	}
}

// secured changes what agents' cards say of credentials.
func secured(change func(card object)) func(*behaviour) {
	return func(b *behaviour) {
		b.card.security = func(_ *call, _ *agent, card object) { change(card) }
	}
}
