// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"sync"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

// framingFaults take frames that RFC 6455 forbids, of kinds that few servers look at.
var framingFaults = map[string]func(*Behaviour){
	"unmasked-pings-are-answered": lenientHeader(func(h *ws.Header, _ bool) {
		if h.OpCode.IsControl() {
			h.Masked = true
		}
	}),
	"parts-of-pings-are-answered": lenientHeader(func(h *ws.Header, _ bool) {
		if h.OpCode.IsControl() {
			h.Fin = true
		}
	}),
	"continuations-of-nothing-are-messages": lenientHeader(func(h *ws.Header, inMessage bool) {
		if h.OpCode == ws.OpContinuation && !inMessage {
			h.OpCode = ws.OpText
		}
	}),
	"fragments-of-binary-input-on-json": func(b *Behaviour) {
		var inParts sync.Map // connections
		begins, binary := b.wire.begins, b.reading.binary
		b.wire.begins = func(c *connection) {
			begins(c)
			header := c.reader.Header
			c.reader.Header = func(h ws.Header, inMessage bool) *websocket.Violation {
				if h.OpCode == ws.OpBinary {
					inParts.Store(c, !h.Fin)
				}
				return header(h, inMessage)
			}
		}
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			if is, _ := inParts.Load(c); is == true && !c.binary && len(frame) >= 4 && string(frame[:4]) == "PW1I" {
				return frame[4:], nil
			}
			return binary(c, frame)
		}
	},
}

// lenientHeader changes the head of a frame before it is checked.
func lenientHeader(change func(h *ws.Header, inMessage bool)) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.wire.header
		b.wire.header = func(h ws.Header, inMessage bool) *websocket.Violation {
			change(&h, inMessage)
			return was(h, inMessage)
		}
	}
}
