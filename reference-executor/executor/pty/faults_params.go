// SPDX-License-Identifier: Apache-2.0

package pty

// advertisementFaults are about what the cards declare of the extension.
var advertisementFaults = map[string]func(*Behaviour){
	"params-as-strings": func(b *Behaviour) {
		b.card = func(params map[string]any) { params["max_controllers"] = "1" }
	},
	"pty-params-out-of-range": func(b *Behaviour) {
		b.card = func(params map[string]any) { params["max_observers"] = -1 }
	},
	"pty-params-with-fractions": func(b *Behaviour) {
		b.card = func(params map[string]any) { params["keyframe_interval_seconds"] = 2.5 }
	},
	"pty-replay-params-are-zero": func(b *Behaviour) {
		b.card = func(params map[string]any) { params["replay_buffer_frames"] = 0 }
	},
	"pty-default-size-too-large": func(b *Behaviour) {
		b.card = func(params map[string]any) { params["default_cols"] = 4096 }
	},
}
