// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"io"
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
	"texts-within-a-message-continue-it": lenientHeader(func(h *ws.Header, inMessage bool) {
		if h.OpCode == ws.OpText && inMessage {
			h.OpCode = ws.OpContinuation
		}
	}),
	"texts-in-fragments-are-not-checked": func(b *Behaviour) {
		begins := b.wire.begins
		b.wire.begins = func(c *connection) {
			begins(c)
			parted := false // the message
			header, text := c.reader.Header, c.reader.Text
			c.reader.Header = func(h ws.Header, inMessage bool) *websocket.Violation {
				if !h.OpCode.IsControl() {
					parted = inMessage || !h.Fin
				}
				return header(h, inMessage)
			}
			c.reader.Text = func(message []byte) ([]byte, *websocket.Violation) {
				if parted {
					return bytes.ToValidUTF8(message, []byte("\uFFFD")), nil
				}
				return text(message)
			}
		}
	},
	"other-bytes-on-json-are-passed-over": func(b *Behaviour) {
		was := b.reading.binary
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			if !c.binary && !bytes.HasPrefix(frame, []byte("PW1I")) {
				return nil, nil
			}
			return was(c, frame)
		}
	},
	"who-goes-away-is-cut-off": func(b *Behaviour) {
		was := b.wire.write
		b.wire.write = func(w io.Writer, m websocket.Message) error {
			const goingAway = 1001
			if m.Opcode == ws.OpClose && bytes.Equal(m.Payload, websocket.ClosePayload(goingAway, "")) {
				return io.ErrClosedPipe
			}
			return was(w, m)
		}
	},
	"binary-clients-are-not-pinged": func(b *Behaviour) {
		line, reap := b.outgoing.line, b.wire.reap
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			if c.binary && d.control != nil && d.control.Opcode == ws.OpPing {
				return nil
			}
			return line(c, d)
		}
		b.wire.reap = func(c *connection) { // nobody would survive it
			if !c.binary {
				reap(c)
			}
		}
	},
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
