// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"time"

	"github.com/gobwas/ws"
	"github.com/google/uuid"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

// The operations that only the server sends.
const (
	opHello    = "binding_hello"
	opGoodbye  = "binding_goodbye"
	opError    = "Error"
	opUpdate   = "TaskStatusUpdate"
	opTerminal = "pty.session_frame"
)

// The kinds of opTerminal.
const (
	kindOutput     = "Output"
	kindResize     = "Resize"
	kindRole       = "RoleAssigned"
	kindMembership = "MembershipChanged"
	kindKeyframe   = "Keyframe"
	kindClosed     = "Closed"
	kindError      = "Error"
)

// A frame is something the server says. Once a session or connection has it, it is never changed.
type frame struct {
	op       string
	kind     string // of a session frame
	id       string // of the request it answers; empty: a fresh one for every connection
	ts       string
	payload  map[string]any
	data     []byte // of Output, whose payload is made when it is sent
	numbered bool
	sequence uint64

	only  *connection // whom it is for; nil: everyone
	by    *connection // who caused it
	cause string      // of a Keyframe or a membership change: causeJoin, ...
	task  string      // of an update
}

// Why a frame is sent, where its kind does not say it.
const (
	causeJoin    = "join"
	causeLeave   = "leave"
	causeDrop    = "drop"
	causeRole    = "role"
	causeRequest = "request"
	causeCadence = "cadence"
	causeLag     = "lag"
)

func now() string { return time.Now().UTC().Format(time.RFC3339Nano) }

// reply answers a request.
func reply(op, id string, payload map[string]any) *frame {
	return &frame{op: op, id: id, ts: now(), payload: payload}
}

func terminalFrame(kind string, payload map[string]any) *frame {
	return &frame{op: opTerminal, kind: kind, ts: now(), payload: payload}
}

// stream tells whether the frame belongs to the session's numbered stream.
func (f *frame) stream() bool { return f.op == opTerminal || f.op == opUpdate }

// size is about how many bytes it takes on the wire.
func (f *frame) size() int {
	n := 300 + len(f.data)*4/3
	if s, ok := f.payload["snapshot"].(string); ok {
		n += len(s)
	}
	return n
}

// body is the payload as it is sent.
func (f *frame) body() map[string]any {
	if f.kind != kindOutput {
		return f.payload
	}
	return map[string]any{
		"kind":   kindOutput,
		"stream": "stdout",
		"data":   base64.StdEncoding.EncodeToString(f.data),
	}
}

// outgoingBehaviour is how frames look on the wire.
type outgoingBehaviour struct {
	newID    func() string
	sequence func(c *connection, f *frame) uint64                // the number a connection sees
	envelope func(c *connection, d delivery, env map[string]any) // the last word on an envelope
	text     func(c *connection, env map[string]any) []byte
	asBinary func(c *connection, d delivery) bool // whether a frame is sent as PW1O
	pw1o     func(c *connection, f *frame) []byte
	opcode   func(c *connection, d delivery) ws.OpCode  // of an envelope
	line     func(c *connection, d delivery) []delivery // what is put in line when something is to be sent
}

var conformantOutgoing = outgoingBehaviour{
	newID:    newUUIDv7,
	sequence: func(_ *connection, f *frame) uint64 { return f.sequence },
	envelope: func(*connection, delivery, map[string]any) {},
	text:     func(c *connection, env map[string]any) []byte { return c.hub.lawful.Encode(env) },
	asBinary: func(c *connection, d delivery) bool {
		return c.binary && d.frame.kind == kindOutput && !d.replayed
	},
	pw1o: func(c *connection, f *frame) []byte {
		return encodePW1O(c.b.outgoing.sequence(c, f), f.data)
	},
	opcode: func(*connection, delivery) ws.OpCode { return ws.OpText },
	line:   func(_ *connection, d delivery) []delivery { return []delivery{d} },
}

func newUUIDv7() string { return uuid.Must(uuid.NewV7()).String() }

// A delivery is one thing in line for a connection: a frame, a control frame, or the close that ends it.
type delivery struct {
	frame    *frame
	replayed bool
	params   map[string]any // the connection's service parameters when a task update was put in line

	control *websocket.Message
	closing bool // nothing follows it: control is a close frame
}

// Size is about how many bytes it takes on the wire.
func (d delivery) Size() int {
	if d.control != nil {
		return len(d.control.Payload) + 2
	}
	return d.frame.size()
}

// Last says whether nothing follows it.
func (d delivery) Last() bool { return d.closing }

// encode makes the message that is written.
func (d delivery) encode(c *connection) websocket.Message {
	if d.control != nil {
		return *d.control
	}
	if c.b.outgoing.asBinary(c, d) {
		return websocket.Message{Opcode: ws.OpBinary, Payload: c.b.outgoing.pw1o(c, d.frame)}
	}
	f := d.frame
	env := map[string]any{"op": f.op, "id": f.id, "ts": f.ts, "payload": f.body()}
	if f.id == "" {
		env["id"] = c.b.outgoing.newID()
	}
	if f.numbered {
		env["sequence"] = c.b.outgoing.sequence(c, f)
	}
	if c.hub.nullPosition {
		env["replay_from"] = nil // which says as much as no position (PTY-039)
	}
	if len(d.params) > 0 {
		env["service_parameters"] = maps.Clone(d.params)
	}
	c.b.outgoing.envelope(c, d, env)
	return websocket.Message{Opcode: c.b.outgoing.opcode(c, d), Payload: c.b.outgoing.text(c, env)}
}

// encodePW1O is output as the binary subprotocol sends it:
//
//	50 57 31 4f | 8 bytes sequence, big-endian | 01 | the bytes
func encodePW1O(sequence uint64, data []byte) []byte {
	out := append(make([]byte, 0, 13+len(data)), "PW1O"...)
	out = binary.BigEndian.AppendUint64(out, sequence)
	out = append(out, 1)
	return append(out, data...)
}
