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
	"pty-params-out-of-range": func(b *behaviour) {
		b.pty.card = func(params map[string]any) { params["max_observers"] = -1 }
	},
	"pty-params-with-fractions": func(b *behaviour) {
		b.pty.card = func(params map[string]any) { params["keyframe_interval_seconds"] = 2.5 }
	},
	"pty-replay-params-are-zero": func(b *behaviour) {
		b.pty.card = func(params map[string]any) { params["replay_buffer_frames"] = 0 }
	},
	"pty-default-size-too-large": func(b *behaviour) {
		b.pty.card = func(params map[string]any) { params["default_cols"] = 4096 }
	},
	"pty-params-as-a-list": ptyExtension(func(entry map[string]any) []any {
		entry["params"] = []any{}
		return []any{entry}
	}),
	"pty-extension-declared-twice": ptyExtension(func(entry map[string]any) []any { return []any{entry, entry} }),
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

// ptyExtension changes how the card declares the extension.
func ptyExtension(entries func(entry map[string]any) []any) func(*behaviour) {
	return func(b *behaviour) {
		was := b.card.content
		b.card.content = func(in *instance, card map[string]any) {
			was(in, card)
			var all []any
			for _, v := range capabilities(card)["extensions"].([]any) {
				if entry := v.(map[string]any); entry["uri"] == uriPTY {
					all = append(all, entries(entry)...)
				} else {
					all = append(all, v)
				}
			}
			capabilities(card)["extensions"] = all
		}
	}
}
