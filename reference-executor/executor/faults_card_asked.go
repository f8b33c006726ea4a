// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"slices"
	"strings"
	"sync/atomic"
)

// cardAskedFaults are cards that depend on who asks, or on what was asked before.
var cardAskedFaults = map[string]func(*behaviour){
	"cards-list-the-extensions-that-are-activated": func(b *behaviour) {
		b.card.asked = func(c *call, card map[string]any) {
			wanted := requestedExtensions(c.r.Header)
			if len(wanted) == 0 {
				return
			}
			capabilities(card)["extensions"] = slices.DeleteFunc(capabilities(card)["extensions"].([]any), func(item any) bool {
				uri, _ := item.(map[string]any)["uri"].(string)
				return !slices.Contains(wanted, uri)
			})
		}
	},
	"cards-count-open-prompts": func(b *behaviour) {
		b.card.asked = func(c *call, card map[string]any) {
			c.e.work.Lock()
			defer c.e.work.Unlock()
			rows, err := c.e.store.tasksBefore(c.in.ID, inputRequired, 1<<62, maxPage)
			if err != nil || len(rows) == 0 {
				return
			}
			for _, item := range capabilities(card)["extensions"].([]any) {
				if entry := item.(map[string]any); entry["uri"] == uriHITL {
					entry["params"] = map[string]any{"open_prompts": len(rows)}
				}
			}
		}
	},
	"extended-cards-leave-an-extension-in-the-public-one":       leftByExtendedCards(func(list []any) any { return list[0] }),
	"extended-cards-leave-the-last-extension-in-the-public-one": leftByExtendedCards(func(list []any) any { return list[len(list)-1] }),
	"instances-known-by-the-beginning-of-their-id": func(b *behaviour) {
		b.surfaces.instance = func(e *Executor, id string) (*instance, bool) {
			for _, in := range e.instances.all() {
				if len(id) >= 8 && strings.HasPrefix(in.ID, id) {
					return in, true
				}
			}
			return nil, false
		}
	},
}

// leftByExtendedCards lets the public card declare an extension twice once the extended one was read.
func leftByExtendedCards(which func(list []any) any) func(*behaviour) {
	return func(b *behaviour) {
		var read atomic.Bool
		extended := b.tasks.extended
		b.tasks.extended = func(c *call) answer {
			read.Store(true)
			return extended(c)
		}
		b.card.asked = func(_ *call, card map[string]any) {
			if list := capabilities(card)["extensions"].([]any); read.Load() {
				capabilities(card)["extensions"] = append(list, which(list))
			}
		}
	}
}
