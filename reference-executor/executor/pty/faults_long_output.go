// SPDX-License-Identifier: Apache-2.0

package pty

// longOutputFaults break the contract where much is printed at once.
var longOutputFaults = map[string]func(*Behaviour){
	"long-output-is-shortened-for-observers": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			if d.frame.kind == kindOutput && !c.controller && len(d.frame.data) > 500 {
				short := *d.frame
				short.data = short.data[:500]
				d.frame = &short
			}
			return []delivery{d}
		})
	},
	"binary-replay-of-long-output": func(b *Behaviour) {
		was := b.outgoing.asBinary
		b.outgoing.asBinary = func(c *connection, d delivery) bool {
			return was(c, d) || c.binary && d.frame.kind == kindOutput && len(d.frame.data) > 500
		}
	},
}
