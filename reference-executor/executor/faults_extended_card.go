// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
)

// extendedCardFaults are about the card that callers with credentials get.
var extendedCardFaults = map[string]func(*behaviour){
	"extended-card-unsigned": extendedCard(func(_ *instance, card map[string]any) { delete(card, "signatures") }),
	"extended-card-without-an-extension": extendedCard(func(in *instance, card map[string]any) {
		capabilities := card["capabilities"].(map[string]any)
		capabilities["extensions"] = capabilities["extensions"].([]any)[:2]
		in.resign(card)
	}),
	"extended-card-without-name": extendedCard(func(in *instance, card map[string]any) { delete(card, "name"); in.resign(card) }),
	"no-extended-card": func(b *behaviour) {
		b.tasks.extended = func(c *call) answer { return c.refuse(refuse(http.StatusNotFound, "route.not_found", "")) }
	},
	"extended-card-of-another-instance": func(b *behaviour) {
		b.tasks.extended = func(c *call) answer {
			for _, other := range c.e.instances.all() {
				if other != c.in {
					return c.json(http.StatusOK, other.card(true))
				}
			}
			return c.json(http.StatusOK, c.in.card(true))
		}
	},
	"extended-cards-signed-by-the-first-instance": func(b *behaviour) {
		b.tasks.extended = func(c *call) answer {
			card := c.in.card(true)
			if first := c.e.instances.all()[0]; first != c.in {
				delete(card, "signatures")
				signCard(first, card, canonical(card))
			}
			return c.json(http.StatusOK, card)
		}
	},
}

func extendedCard(change func(in *instance, card map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.extended = func(c *call) answer {
			card := c.in.card(true)
			change(c.in, card)
			return c.json(http.StatusOK, card)
		}
	}
}

// resign signs a card that has been changed.
func (in *instance) resign(card map[string]any) {
	b := &in.e.b.card
	delete(card, "signatures")
	b.sign(in, card, b.payload(card))
}
