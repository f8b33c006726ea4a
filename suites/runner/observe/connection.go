// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"net/http"
	"sync/atomic"
	"time"
)

// A Connection is an upgrade to WebSocket and what came of it. The pointer is the same in all callbacks about it.
type Connection struct {
	Request
	ID          int64 // unique in the run, from 1
	Opened      time.Time
	Status      int // of the answer to the upgrade; 101: it is open, otherwise no frame follows; 0: no answer
	Header      http.Header
	Refusal     []byte // the beginning of the body of a refusal
	Problem     string // why there was no answer
	Ours        bool   // which is the fault of the machine that runs the harness
	Subprotocol string // that the answer selected; empty: none
	Dialect     string // that terminals are read in: "pty-ws/v1", or the name given with --pty-dialect
	Session     string // of a terminal: its id, from the URL; empty: the URL is none of a terminal
	Role        string // that the query of the URL asks for; empty: it names none
	HandMade    bool   // the handshake was made by hand, lawful or not

	disturbed atomic.Int32
}

// What the harness has done on purpose to a connection.
const (
	SentByHand = 1 << iota // frames made by hand, which need not be lawful
	NoPongs                // Pings are not answered
	NotRead                // nothing is read for a while, so that times of arrival mean nothing
	HungUp                 // we have ended it without a goodbye
	TooMuch                // we have ended it because more came than is kept
)

// Disturb notes that the harness has done something of that kind.
func (c *Connection) Disturb(how int32) { c.disturbed.Or(how) }

// Disturbed is what the harness has done so far to this connection, which a target may answer as it must: a set of
// SentByHand, NoPongs, NotRead, HungUp, TooMuch.
func (c *Connection) Disturbed() int32 { return c.disturbed.Load() }

// A Frame is one frame of RFC 6455.
type Frame struct {
	FromHarness bool
	Opcode      byte // 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong
	Fin         bool
	Reserved    byte // 4: RSV1
	Masked      bool
	Length      int64  // that the header says
	Payload     []byte // unmasked; of a long frame its beginning (4 MiB of the target's, 4 KiB of ours)
	Whole       bool   // every byte of it has come
	At          time.Duration
	Arrived     time.Time // when its last byte had come, or went out
}

// A Message is a text or binary message: one frame or several.
type Message struct {
	FromHarness bool
	Opcode      byte   // 1 text, 2 binary
	Payload     []byte // as far as it is kept
	Length      int64
	JSON        map[string]any // of a text that is one JSON object, numbers as json.Number; nil: it is none, or was not read
	Unread      bool           // it is longer than is kept, or the connection had sent too much JSON: JSON says nothing
	At          time.Duration  // since the connection was opened
	Arrived     time.Time
}

// A ConnectionEnd is the end of a connection: nothing can come any more.
type ConnectionEnd struct {
	ByHarness bool // who began to close
	Code      int  // of the target's Close frame; 1005: without a code; 1006: there was none
	Reason    string
	Sent      int  // the code of our Close frame; 0: we sent none
	Clean     bool // the target's Close frame was a lawful one
	Broken    bool // it ended in the middle of a frame or of a message
	At        time.Duration
}
