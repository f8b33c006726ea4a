// SPDX-License-Identifier: Apache-2.0

// Package far makes a server on this machine answer as one that is far away: all that it sends arrives so much later, in its order.
package far

import (
	"bytes"
	"net"
	"sync"
	"time"
)

// Listener is a listener whose connections bring what is written into them that much later.
func Listener(from net.Listener, later time.Duration) net.Listener {
	return listener{from, later}
}

type listener struct {
	net.Listener
	later time.Duration
}

// Accept waits for the next connection.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	far := &conn{Conn: c, later: l.later, way: make(chan piece, onTheWay), gone: make(chan struct{})}
	go far.bring()
	return far, nil
}

// onTheWay is how many pieces may be on their way; who writes more waits, as on a line that is full.
const onTheWay = 4096

// A piece is what was written at once, and when it arrives.
type piece struct {
	text []byte
	due  time.Time
	end  bool // of the connection
}

// A conn is a connection on whose way back things take longer.
type conn struct {
	net.Conn
	later time.Duration
	way   chan piece
	gone  chan struct{} // closed once nothing more can arrive
	close sync.Once
}

// Write sends a copy of the text on its way. What goes wrong there is the error of nobody.
func (c *conn) Write(text []byte) (int, error) {
	select {
	case <-c.gone:
		return 0, net.ErrClosed
	case c.way <- piece{text: bytes.Clone(text), due: time.Now().Add(c.later)}:
		return len(text), nil
	}
}

// Close ends the connection once all has arrived.
func (c *conn) Close() error {
	c.close.Do(func() {
		select {
		case <-c.gone:
		case c.way <- piece{due: time.Now().Add(c.later), end: true}:
		}
	})
	return nil
}

// bring lets the pieces arrive when they are due.
func (c *conn) bring() {
	defer c.Conn.Close()
	defer close(c.gone)
	for p := range c.way {
		time.Sleep(time.Until(p.due))
		if p.end {
			return
		}
		if _, err := c.Conn.Write(p.text); err != nil {
			return
		}
	}
}
