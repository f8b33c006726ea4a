// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"strings"

	"github.com/google/uuid"
)

// edit adds to what is done to every envelope that is sent.
func (b *outgoingBehaviour) edit(change func(c *connection, f *frame, env map[string]any)) {
	was := b.envelope
	b.envelope = func(c *connection, d delivery, env map[string]any) {
		was(c, d, env)
		change(c, d.frame, env)
	}
}

// queue changes what is put in line for a frame.
func (b *outgoingBehaviour) queue(change func(c *connection, d delivery) []delivery) {
	was := b.line
	b.line = func(c *connection, d delivery) []delivery {
		if d.frame == nil {
			return was(c, d)
		}
		return change(c, d)
	}
}

// envelopeFaults are about the envelopes of the server.
var envelopeFaults = map[string]func(*Behaviour){
	"duplicate-json-member": func(b *Behaviour) {
		was := b.outgoing.text
		b.outgoing.text = func(c *connection, env map[string]any) []byte {
			text := was(c, env)
			if env["op"] != opHello {
				return text
			}
			return append([]byte(`{"op":"binding_hello",`), text[1:]...)
		}
	},
	"op-unregistered": func(b *Behaviour) {
		b.outgoing.queue(func(_ *connection, d delivery) []delivery {
			if d.frame.op != opHello {
				return []delivery{d}
			}
			return []delivery{d, {frame: reply("server info", "", map[string]any{})}}
		})
	},
	"ts-missing-on-replies": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.id != "" {
				delete(env, "ts")
			}
		})
	},
	"payload-array": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.op == "Unsubscribe.Response" {
				env["payload"] = []any{}
			}
		})
	},
	"sequence-missing-on-keyframe": func(b *Behaviour) {
		b.stream.numbered = func(f *frame) bool { return f.kind != kindKeyframe }
	},
	"envelope-extra": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) { env["seq"] = f.sequence })
	},
	"lists-name-a-position": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.op == "ListTasks.Response" {
				env["replay_from"] = 0
			}
		})
	},
	"lists-are-answered-with-another-op": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.op == "ListTasks.Response" {
				env["op"] = "ListTasks.Result"
			}
		})
	},
	"reply-id-upper-cased": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.id != "" {
				env["id"] = strings.ToUpper(f.id)
			}
		})
	},
	"constant-stream-id": func(b *Behaviour) {
		b.outgoing.edit(func(c *connection, f *frame, env map[string]any) {
			if f.op == opTerminal {
				env["id"] = c.streamID
			}
		})
	},
	"duplicate-reply": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			if d.frame.id == "" {
				return []delivery{d}
			}
			if c.replies++; c.replies%5 == 0 {
				return []delivery{d, d}
			}
			return []delivery{d}
		})
	},
	"id-uuid4": func(b *Behaviour) { b.outgoing.newID = uuid.NewString },
}
