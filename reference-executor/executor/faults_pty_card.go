// SPDX-License-Identifier: Apache-2.0

package executor

import "slices"

// advertisementFaults are about how the binding and its extension are declared, and where the extension is active.
var advertisementFaults = map[string]func(*behaviour){
	"card-without-binding": func(b *behaviour) {
		was := b.card.content
		b.card.content = func(in *instance, card map[string]any) {
			was(in, card)
			delete(card, "bindings")
			interfaces, _ := card["supportedInterfaces"].([]any)
			card["supportedInterfaces"] = slices.DeleteFunc(slices.Clone(interfaces), func(v any) bool {
				entry, _ := v.(map[string]any)
				return entry["transport"] == "WebSocket"
			})
		}
	},
	"binding-lists-five-operations": ptyBinding(func(entry map[string]any) {
		operations, _ := entry["operations"].([]any)
		entry["operations"] = operations[:min(5, len(operations))]
	}),
	"binding-claims-to-be-primary": ptyBinding(func(entry map[string]any) { entry["preference"] = "primary" }),
	"params-as-strings": func(b *behaviour) {
		b.pty.card = func(params map[string]any) { params["max_controllers"] = "1" }
	},
	"rest-activates-pty": func(b *behaviour) {
		b.extensions.refuses = func(*call) *problem { return nil }
	},
}

// ptyBinding changes how the card's bindings list this one.
func ptyBinding(change func(entry map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		was := b.card.content
		b.card.content = func(in *instance, card map[string]any) {
			was(in, card)
			for _, v := range card["bindings"].([]any) {
				if entry := v.(map[string]any); entry["uri"] == uriPTYBinding {
					change(entry)
				}
			}
		}
	}
}
