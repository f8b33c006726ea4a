// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bufio"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gobwas/ws"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/outbox"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
	"golang.org/x/time/rate"
)

// maxClosing is how long either side may take over the closing handshake.
const maxClosing = 5 * time.Second

// How many bytes may be in line for a connection: beyond maxUnsent it misses output and is repainted later; beyond
// maxOwed, which only a client that keeps asking and never reads can reach, it is closed.
const (
	maxUnsent = 1 << 20
	maxOwed   = 32 << 20
)

// The close codes that this executor sends besides those of [websocket].
const (
	closeNormal      = 1000
	closeInternal    = 1011
	closeBadEnvelope = 4400
	closeNoAuth      = 4401
)

// maxMessage is the largest message a client may send.
const maxMessage = 16 << 20

// wireBehaviour is the WebSocket layer.
type wireBehaviour struct {
	header       func(h ws.Header, inMessage bool) *websocket.Violation // whether a frame may come now
	whole        func(h ws.Header) bool                                 // whether a frame ends its message
	text         func([]byte) ([]byte, *websocket.Violation)            // checks a whole text message
	pong         func(ping []byte) []byte                               // what a ping is answered with
	closeCode    func(code int) int                                     // what a close is sent with
	answersClose bool
	goodbye      func(body []byte) []byte // what stands in the answer to a close
	pings        bool
	reaps        bool
	pingEvery    func(h *Hub) time.Duration
	reapAfter    func(h *Hub) time.Duration // without a pong
	reap         func(c *connection)        // ends a connection that answers no ping
	tooBig       func(c *connection)        // what a message over the limit does besides the close
	most         func() int64               // bytes of a message
	begins       func(c *connection)        // before the greeting
	write        func(w io.Writer, m websocket.Message) error
}

var conformantWire = wireBehaviour{
	header:       websocket.CheckHeader,
	whole:        func(h ws.Header) bool { return h.Fin },
	text:         websocket.CheckText,
	pong:         func(ping []byte) []byte { return ping },
	closeCode:    func(code int) int { return code },
	answersClose: true,
	goodbye:      func(body []byte) []byte { return body },
	pings:        true,
	reaps:        true,
	pingEvery:    (*Hub).pingEvery,
	reapAfter:    (*Hub).reapAfter,
	reap:         (*connection).reap,
	tooBig:       func(*connection) {},
	most:         func() int64 { return maxMessage },
	begins:       func(*connection) {},
	write:        websocket.Write,
}

// A connection is one client's connection to one session.
type connection struct {
	hub     *Hub
	b       *Behaviour
	session *session
	who     Principal
	scope   Scope
	binary  bool
	asked   []string // the extensions that the upgrade named

	conn     net.Conn
	reader   websocket.Reader
	out      *outbox.Outbox[delivery]
	inLine   sync.Mutex // held while something is put in line
	lastPong atomic.Int64
	lagging  atomic.Bool
	written  chan struct{} // closed when nothing is written any more
	ended    chan struct{} // closed when nothing is read any more

	// What follows belongs to the reading goroutine.
	begun     bool // a request has been read
	activated bool // the extension's verbs are available
	budget    *rate.Limiter

	params atomic.Pointer[map[string]any] // the service parameters

	// What follows is guarded by the session.
	clientID   string
	label      string
	joined     bool
	controller bool
	missed     bool                 // a roster, while lagging
	subscribed map[string]time.Time // by task
	oldest     uint64               // that is kept, where a replay of the compact dialect wanted more
	keyframes  keyframeBudget

	// What faults remember of a connection.
	seen, lines, replies uint64
	held                 *delivery
	named                bool
	streamID             string
	failing              bool
}

func newConnection(u *upgrade, conn net.Conn, in *bufio.Reader) *connection {
	c := &connection{
		hub: u.hub, b: u.hub.b, session: u.session, who: u.who, scope: scopeOf(u.who, u.instance),
		binary: u.chosen == subprotocolBinary, asked: u.asked,
		conn: conn, out: outbox.New[delivery](),
		written: make(chan struct{}), ended: make(chan struct{}),
		subscribed: map[string]time.Time{}, clientID: newUUIDv7(), streamID: newUUIDv7(),
	}
	c.reader = websocket.Reader{In: in, Most: c.b.wire.most(), Header: c.b.wire.header, Whole: c.b.wire.whole, Text: c.b.wire.text}
	c.lastPong.Store(time.Now().UnixNano())
	return c
}

// run serves the connection until it has ended.
func (c *connection) run() {
	c.live(func() { c.session.attach(c) })
}

// live reads, writes and pings; greet puts the first frame in line.
func (c *connection) live(greet func()) {
	c.b.wire.begins(c)
	var beside sync.WaitGroup
	beside.Go(c.write)
	greet()
	beside.Go(c.keepAlive)
	c.read()
	if c.session != nil {
		c.session.detach(c)
	}
	c.conn.Close()
	close(c.ended)
	beside.Wait()
}

// send puts a delivery in line.
func (c *connection) send(d delivery) {
	c.inLine.Lock()
	defer c.inLine.Unlock()
	for _, d := range c.b.outgoing.line(c, d) {
		if d.control != nil && d.closing {
			_ = c.conn.SetWriteDeadline(time.Now().Add(maxClosing))
		}
		c.out.Push(d)
	}
}

// say puts a frame in line.
func (c *connection) say(f *frame) { c.send(delivery{frame: f}) }

// end puts a close in line: what is in line before it is still written.
func (c *connection) end(code int, reason string) { c.send(c.closing(code, reason)) }

func (c *connection) closing(code int, reason string) delivery {
	payload := websocket.ClosePayload(c.b.wire.closeCode(code), reason)
	return delivery{control: &websocket.Message{Opcode: ws.OpClose, Payload: payload}, closing: true}
}

// write writes what is in line.
func (c *connection) write() {
	defer close(c.written)
	w := bufio.NewWriterSize(c.conn, 32<<10)
	for {
		line := c.out.Take()
		if len(line) == 0 {
			if err := w.Flush(); err != nil {
				c.conn.Close()
				return
			}
			if c.lagging.Load() && c.session.catchUp(c) {
				continue
			}
			select {
			case <-c.out.Ready():
			case <-c.ended:
				return
			}
			continue
		}
		for _, d := range line {
			if err := c.b.wire.write(w, d.encode(c)); err != nil {
				c.conn.Close()
				return
			}
			c.out.Wrote(d)
			if d.closing {
				_ = w.Flush()
				_ = c.conn.SetReadDeadline(time.Now().Add(maxClosing))
				return
			}
		}
	}
}

// read reads until the connection is over.
func (c *connection) read() {
	for {
		m, err := c.reader.Next()
		var broken *websocket.Violation
		if errors.As(err, &broken) {
			if broken.Code == websocket.CloseTooBig {
				c.b.wire.tooBig(c)
			}
			c.end(broken.Code, broken.Why)
			c.linger()
			return
		}
		if err != nil {
			return
		}
		switch m.Opcode {
		case ws.OpPing:
			c.send(delivery{control: &websocket.Message{Opcode: ws.OpPong, Payload: c.b.wire.pong(m.Payload)}})
		case ws.OpPong:
			c.lastPong.Store(time.Now().UnixNano())
		case ws.OpClose:
			c.answerClose(m.Payload)
			return
		default:
			if !c.out.IsSealed() {
				c.receive(m)
			}
		}
	}
}

// answerClose ends the closing handshake, whoever began it.
func (c *connection) answerClose(payload []byte) {
	code, broken := websocket.ReadClose(payload)
	if broken != nil {
		c.end(broken.Code, broken.Why)
		c.linger()
		return
	}
	if !c.b.wire.answersClose {
		return
	}
	_ = c.conn.SetWriteDeadline(time.Now().Add(maxClosing))
	c.out.CutTo(delivery{control: &websocket.Message{Opcode: ws.OpClose, Payload: c.b.wire.goodbye(websocket.ClosePayload(code, ""))}, closing: true})
	<-c.written
}

// linger says that nothing more comes, and reads what is still under way, so that the close is not lost to a reset, until
// the client is gone (RFC 6455, 7.1.1).
func (c *connection) linger() {
	<-c.written
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = c.conn.SetReadDeadline(time.Now().Add(maxClosing))
	_, _ = io.Copy(io.Discard, c.reader.In)
}

// keepAlive pings, and ends the connection when no pong comes.
func (c *connection) keepAlive() {
	ping := time.NewTicker(c.b.wire.pingEvery(c.hub))
	defer ping.Stop()
	for {
		since := time.Unix(0, c.lastPong.Load())
		reap := time.NewTimer(time.Until(since.Add(c.b.wire.reapAfter(c.hub))))
		select {
		case <-c.ended:
			reap.Stop()
			return
		case <-ping.C:
			reap.Stop()
			if c.b.wire.pings {
				c.send(delivery{control: &websocket.Message{Opcode: ws.OpPing, Payload: nil}})
			}
		case <-reap.C:
			if !c.b.wire.reaps {
				c.lastPong.Store(time.Now().UnixNano())
			} else if c.lastPong.Load() == since.UnixNano() {
				c.b.wire.reap(c)
				return
			}
		}
	}
}

// reap ends a connection like a broken one.
func (c *connection) reap() {
	if c.session != nil {
		c.session.detach(c)
	}
	c.end(closeInternal, "no pong for too long")
	select {
	case <-c.ended:
	case <-time.After(time.Second):
		c.conn.Close()
	}
}

func (h *Hub) pingEvery() time.Duration {
	if h.config.Ping > 0 {
		return h.config.Ping
	}
	return 30 * time.Second
}

func (h *Hub) reapAfter() time.Duration {
	if h.config.Reap > 0 {
		return h.config.Reap
	}
	return 90 * time.Second
}
