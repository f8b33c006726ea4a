// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
)

// edit adds to what is done to the payload of the greeting.
func (b *helloBehaviour) edit(change func(c *connection, payload map[string]any)) {
	was := b.payload
	b.payload = func(c *connection, payload map[string]any) {
		was(c, payload)
		change(c, payload)
	}
}

// helloFaults are about the greeting.
var helloFaults = map[string]func(*Behaviour){
	"hello-second": func(b *Behaviour) {
		b.outgoing.queue(func(_ *connection, d delivery) []delivery {
			if d.frame.op != opHello {
				return []delivery{d}
			}
			return []delivery{{frame: reply("pong", "", map[string]any{"client_ts": now(), "server_ts": now()})}, d}
		})
	},
	"hello-repeated": func(b *Behaviour) {
		was := b.reading.activate
		b.reading.activate = func(c *connection, r *request) {
			was(c, r)
			if !c.begun && len(r.extensions) > 0 {
				c.session.mu.Lock()
				defer c.session.mu.Unlock()
				c.say(c.session.hello(c))
			}
		}
	},
	"hello-without-sequence": func(b *Behaviour) { b.hello.sequenced = false },
	"wrong-binding-uri": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) { payload["binding_uri"] = BindingURI + "/" })
	},
	"op-not-advertised": func(b *Behaviour) {
		b.hello.edit(func(c *connection, payload map[string]any) {
			var names []any
			for _, name := range c.hub.supported() {
				if name != "SubscribeToTask" {
					names = append(names, name)
				}
			}
			payload["supported_operations"] = names
		})
	},
	"advertised-not-implemented": func(b *Behaviour) {
		b.setOperation("ListTasks", func(op operation) operation {
			op.run = func(*connection, *request) *frameError { return unsupported("tasks are not listed") }
			return op
		})
	},
	"session-id-blank": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) {
			payload["session"].(map[string]any)["session_id"] = ""
		})
	},
	"current-sequence-zero": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) {
			payload["session"].(map[string]any)["current_sequence"] = 0
		})
	},
	"activates-unknown": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) {
			payload["activated_extensions"] = []any{ExtensionURI, "https://unknown.example/extensions/other/v1"}
		})
	},
	"default-backend-unsupported": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) {
			payload["session_host"].(map[string]any)["default_backend"] = "tmux"
		})
	},
	"payload-mode-wrong": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) {
			payload["payload_mode"].(map[string]any)["binary"] = false
		})
	},
	"activates-whatever-is-asked-for": activates(func(asked []string) []string { return slices.Compact(slices.Sorted(slices.Values(asked))) }),
	"activates-as-often-as-asked-for": activates(func(asked []string) []string {
		return slices.DeleteFunc(slices.Clone(asked), func(uri string) bool { return uri != ExtensionURI })
	}),
}

// activates chooses what the greeting lists as activated, of what the upgrade has asked for.
func activates(of func(asked []string) []string) func(*Behaviour) {
	return func(b *Behaviour) {
		b.hello.edit(func(c *connection, payload map[string]any) {
			all := []any{}
			for _, uri := range of(c.asked) {
				all = append(all, uri)
			}
			payload["activated_extensions"] = all
		})
	}
}
