// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/dialect"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/pulse"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// Bounds of what one connection may make us keep.
const (
	maxMessage   = 4 << 20  // bytes kept of one message; a longer one is recorded as cut, with its length
	maxReceived  = 8 << 20  // bytes of a connection; PTX-061 has 5 MiB printed, which JSON makes a third longer
	maxHeld      = 32 << 20 // bytes of all connections of a run at once, each of which may have freeReceived; PTX-061 takes 16 MiB, in short chunks 26
	freeReceived = 1 << 20
	frameCost    = 768     // bytes that a frame counts as held beside its own: small ones cost more than they are long, 73 and what suites see of them
	maxFrames    = 20_000  // frames of a connection
	maxElements  = 250_000 // JSON values of a connection; text beyond them is kept as text
	maxSent      = 4 << 10 // bytes kept of a frame that we sent
)

var (
	errFlood = errors.New("more than the harness keeps came on one connection, 8 MiB or 20000 frames, and it was closed")
	errFull  = errors.New("the connections of the tests that run at once have sent more than the harness keeps; run fewer at once (--jobs)")
)

// A socket is an actor's WebSocket connection, or what is left of an upgrade that was refused.
//
// Two things sit on the one connection. coder/websocket carries the conversation: it masks and frames what we say,
// answers Pings, returns Close frames, and gives up with 1002 where RFC 6455 wants that of a client. But it takes a
// truncated message for a whole one, and does not notice masked server frames, bad UTF-8 or fragmentation. So nothing
// that it reads is ever judged: the tap below it hands every byte of both directions to a frameReader, and what suites
// see is made of those frames alone. When the library has given up, because of a Close frame or of a violation, we read
// on below it until the connection ends, so that what comes after is seen as well.
type socket struct {
	handshake wire.Handshake // how the connection came about
	route     string         // "WS /sessions/{id}/attach"
	actor     string
	said      string // the operation that was sent last, by the one who plays the actor's steps
	made      string // what was sent last of what no client of the binding sends, in words
	record    func(kind, actor, head, header string, body []byte)
	observed  *observe.Connection // as observers know it; nil: they are not told
	observers observe.List
	started   func(task string) // told of each task that a message of ours has started; nil: nobody asks

	tap    *wire.Tap       // nil: the upgrade was refused
	conn   *websocket.Conn // on the tap
	opened time.Time
	held   *budget.Part  // bytes that all connections of the run hold; nil: they are not counted
	guard  func(string)  // deferred where it reads: a panic must not take the run along
	pulse  *pulse.Pulse  // of the machine; nil: it is not felt
	full   atomic.Bool   // this one was ended because they held too much
	muted  atomic.Bool   // Pings are no longer answered
	left   atomic.Bool   // we have hung up: what still comes is not looked at
	done   chan struct{} // closed when the connection has ended and everything that came has been told

	mu       sync.Mutex
	changed  chan struct{} // closed, and replaced, whenever something below changes
	wire     []*wire.Frame
	messages []*ptyws.Message
	partial  *ptyws.Message // a message some of whose fragments have come
	saying   *ptyws.Message // one of ours, some of whose fragments have gone out
	received int64
	cost     int64 // what it holds, as far as that was counted in held
	owed     int64 // and what is not counted yet
	elements int
	closing  closing
	foreign  *dialect.Greeting // what the executor speaks instead of the binding
	ours     bool              // it has greeted in the binding
	compact  *ptyws.Compact    // translates; nil: the binding is spoken

	// Of the one who plays the actor's steps; the reader never touches them.
	mark       int             // where the actor's previous step ended: silence looks at the messages from here on
	seen       int             // how many messages a step has been shown
	settled    bool            // a step has been shown that the connection was closed
	output     strings.Builder // of as many messages as somebody has asked about
	outputEnds []int           // how much output there was after each of them
	values     []any
	wireValues []any
}

// closing is how a connection ended, as far as it has.
type closing struct {
	sent      *wire.Frame // our first Close frame
	got       *wire.Frame // the executor's first Close frame
	first     string      // who began to close
	at        time.Duration
	cut       bool // we cut it
	broken    bool // it ended in the middle of a frame or of a fragmented message
	ended     bool // nothing can come any more
	endedAt   time.Duration
	endReason error
}

func (s *socket) elapsed() time.Duration { return time.Since(s.opened) }

// read keeps the connection read until it ends. It is the only reader, and never reads under a time limit: an expired
// read would end the connection, and silence on it is none of its business.
func (s *socket) read() {
	defer close(s.done)
	ctx := context.Background()
	for {
		_, message, err := s.conn.Reader(ctx)
		if err != nil {
			break
		}
		if _, err := io.Copy(io.Discard, message); err != nil {
			break
		}
	}
	_, err := io.Copy(io.Discard, s.tap)
	s.tap.HangUp()
	s.end(err)
}

// takeFrame takes a frame that came or went.
func (s *socket) takeFrame(f *wire.Frame) {
	if s.left.Load() {
		return
	}
	f.At = s.elapsed()
	kind := "frame"
	if f.FromHarness {
		kind = "frame-sent"
	}
	s.record(kind, s.actor, f.Head(), "", f.Payload)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.wire = append(s.wire, f)
	s.tellFrame(f)
	s.owed += frameCost
	switch {
	case f.OpCode == ws.OpClose:
		s.closeFrame(f)
	case f.FromHarness || !f.Whole():
	case f.OpCode == ws.OpText, f.OpCode == ws.OpBinary:
		s.partial = &ptyws.Message{Opcode: f.OpCode}
		s.fragment(f)
	case f.OpCode == ws.OpContinuation && s.partial != nil:
		s.fragment(f)
	}
	s.wake()
}

// closeFrame notes the first Close frame of either side. Only a whole one counts.
func (s *socket) closeFrame(f *wire.Frame) {
	if !f.Whole() {
		return
	}
	by, side := &s.closing.got, "executor"
	if f.FromHarness {
		by, side = &s.closing.sent, "harness"
	}
	if *by == nil {
		*by = f
	}
	if s.closing.first == "" {
		s.closing.first, s.closing.at = side, f.At
	}
}

// fragment adds a frame to the message that is coming, and delivers it when it is complete.
func (s *socket) fragment(f *wire.Frame) {
	m := s.partial
	m.Length += f.Length
	if room := maxMessage - len(m.Raw); room > 0 {
		if m.Raw == nil {
			m.Raw = f.Payload[:len(f.Payload):len(f.Payload)]
		} else {
			m.Raw = append(m.Raw, f.Payload[:min(len(f.Payload), room)]...)
		}
	}
	if !f.Fin {
		return
	}
	s.partial = nil
	if m.Raw == nil {
		m.Raw = []byte{}
	}
	if m.Opcode == ws.OpText && m.Length == int64(len(m.Raw)) {
		n := ptyws.Elements(m.Raw)
		s.elements += n
		// Room for it is asked for before it is taken apart: of many connections each would have one such message otherwise.
		if s.elements <= maxElements && s.charge(int64(n)*jsontext.SizeOfValue) {
			m.Members = ptyws.Object(m.Raw)
		} else {
			m.Unread = true
		}
	}
	s.greeted(m.Members)
	m.At = f.At
	s.tellMessage(m, false)
	shown := []*ptyws.Message{m}
	if s.compact != nil {
		shown = s.compact.Receive(m)
	}
	for _, m := range shown {
		m.WireEnd = len(s.wire)
		if task := ptyws.TaskStarted(m.Members); task != "" && s.started != nil {
			s.started(task)
		}
	}
	s.messages = append(s.messages, shown...)
}

// count refuses to keep what a flood brings.
func (s *socket) count(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received += int64(n)
	within := s.charge(int64(n) + s.owed)
	s.owed = 0
	if s.received > maxReceived || len(s.wire) > maxFrames {
		return errFlood
	}
	if !within {
		s.full.Store(true)
		return errFull
	}
	return nil
}

// charge notes n bytes more that are held of the connection, and says whether there is room for them.
func (s *socket) charge(n int64) bool {
	s.cost += n
	within := s.held == nil || s.held.Add(n)
	return within || s.cost <= freeReceived
}

// flooded says whether the connection was ended because more came than is kept of one.
func (s *socket) flooded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Is(s.closing.endReason, errFlood)
}

// release gives back what the connection held. Nothing is read from it any more.
func (s *socket) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		s.held.Give(s.cost)
		s.held = nil
	}
}

// end notes that nothing can come any more.
func (s *socket) end(err error) {
	broken := s.tap.BreakOff()
	s.mu.Lock()
	if s.compact != nil { // a replay that waited for a join in vain
		s.messages = append(s.messages, s.compact.Release()...)
	}
	c := &s.closing
	c.broken = broken || s.partial != nil
	c.ended, c.endedAt, c.endReason = true, s.elapsed(), err
	if c.first == "" {
		c.first, c.at = "executor", c.endedAt
		if c.cut || errors.Is(err, errFlood) || errors.Is(err, errFull) {
			c.first = "harness"
		}
	}
	if errors.Is(err, errFlood) || errors.Is(err, errFull) {
		s.disturb(observe.TooMuch)
	}
	ended := *c
	s.tellClosed()
	s.wake()
	s.mu.Unlock()
	s.record("closed", s.actor, ended.head(), "", nil)
}

// wake lets whoever waits look again. The lock is held.
func (s *socket) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// state is what can be said of the connection at one moment.
type state struct {
	messages, wire int
	closing        closing
	changed        <-chan struct{} // closed when there is more to say
}

func (s *socket) now() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return state{messages: len(s.messages), wire: len(s.wire), closing: s.closing, changed: s.changed}
}

// value is the end of the connection as suites see it under `closed`; Missing while nobody has begun to close it.
func (c *closing) value() any {
	if c.first == "" {
		return assertions.Missing
	}
	code, reason, clean := 1006, "", false
	if c.got != nil {
		code, reason, clean = c.got.Closing()
	}
	return map[string]any{
		"by": c.first, "clean": clean, "after": subjects.Milliseconds(c.at),
		"code": assertions.Number(int64(code)), "reason": reason,
		"ended": c.ended, "truncated": c.broken,
	}
}
