// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// Bounds of what one receiver keeps.
const (
	maxDelivery   = 4 << 20
	maxDeliveries = 2000
	maxDelivered  = 18 << 20 // bytes in memory: of bodies a third
	copies        = 3        // of a body: its bytes, its text, and the texts of its values
)

// Bounds of what the listener takes in, over all connections: a target may send what it likes to addresses that a run has
// given it.
const (
	maxSenders     = 200      // connections at once
	maxArriving    = 32 << 20 // bytes of bodies that are being read or looked at
	maxKept        = 42 << 20 // bytes in memory of what all receivers keep
	maxLines       = 200      // lines of a header
	maxHeaderBytes = 64 << 10 // of all of them
	maxValues      = 50_000   // JSON values of one delivery that are taken apart
	headerTime     = 10 * time.Second
	bodyTime       = 30 * time.Second
	idleTime       = 5 * time.Second
)

// Why a delivery was refused.
const (
	tooManySenders  = "there were more than 200 connections at once"
	tooMuchAtOnce   = "what came at once had more than 32 MiB"
	tooManyLines    = "the header had more than 200 lines"
	neverCame       = "the header was longer than 64 KiB, was no HTTP, or did not come within 10s"
	tooLongDelivery = "the body was longer than 4 MiB"
)

// An intake counts what the listener takes in, and what it refuses.
type intake struct {
	arriving *budget.Part // bytes of bodies
	kept     *budget.Part // bytes of what receivers keep

	mu      sync.Mutex
	refused map[string]int // by why
	silent  map[net.Conn]bool
}

func (i *intake) refuse(why string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.refused == nil {
		i.refused = map[string]int{}
	}
	i.refused[why]++
}

// summary is what was refused, in a sentence: "3 requests to webhooks were refused (the body was longer than 4 MiB)"; empty: nothing.
func (i *intake) summary() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	total, why := 0, []string{}
	for _, reason := range []string{tooManySenders, tooMuchAtOnce, tooManyLines, neverCame, tooLongDelivery} {
		if n := i.refused[reason]; n > 0 {
			total += n
			why = append(why, reason)
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%s refused (%s)", show.Plural(total, "request to webhooks was", "requests to webhooks were"), strings.Join(why, "; "))
}

// follow is the server's hook for connections. One on which a request began that never got to its handler was refused by the
// server itself, for its header.
func (i *intake) follow(conn net.Conn, state http.ConnState) {
	i.mu.Lock()
	if i.silent == nil {
		i.silent = map[net.Conn]bool{}
	}
	never := state == http.StateClosed && i.silent[conn]
	switch state {
	case http.StateActive:
		i.silent[conn] = true
	case http.StateClosed, http.StateHijacked:
		delete(i.silent, conn)
	}
	i.mu.Unlock()
	if never {
		i.refuse(neverCame)
	}
}

// begun notes that a request on a connection has got to its handler.
func (i *intake) begun(conn net.Conn) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.silent != nil {
		i.silent[conn] = false
	}
}

var errTooMuch = errors.New(tooMuchAtOnce)

// read reads the body of a delivery, as far as there is room. done gives back the room that it took.
func (i *intake) read(body io.Reader) (text []byte, done func(), err error) {
	held := int64(0)
	done = func() { i.arriving.Give(held) }
	text, err = wire.ReadBounded(readerFunc(func(p []byte) (int, error) {
		n, err := body.Read(p)
		if n > 0 && !i.arriving.Take(int64(n)) {
			return 0, errTooMuch
		}
		held += int64(n)
		return n, err
	}), 0, maxDelivery, nil)
	switch {
	case errors.Is(err, errTooMuch):
		i.refuse(tooMuchAtOnce)
	case errors.Is(err, wire.ErrTooLong):
		i.refuse(tooLongDelivery)
	}
	return text, done, err
}

type readerFunc func(p []byte) (int, error)

// Read calls the function.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// lines is how many lines a header has.
func lines(header http.Header) int {
	n := 0
	for _, values := range header {
		n += len(values)
	}
	return n
}

// A bouncer takes in so many connections at once, and closes those that come when all places are taken.
type bouncer struct {
	net.Listener
	intake *intake
	places chan struct{}
}

// Accept implements net.Listener.
func (b *bouncer) Accept() (net.Conn, error) {
	for {
		conn, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case b.places <- struct{}{}:
			return &placed{Conn: conn, leave: sync.OnceFunc(func() { <-b.places })}, nil
		default:
			b.intake.refuse(tooManySenders)
			conn.Close()
		}
	}
}

// placed is a connection that gives its place back when it is closed.
type placed struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *placed) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
