// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bufio"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/gobwas/ws"
)

// A tap is the connection below coder/websocket, from the end of the handshake on: every byte that passes is also shown
// to the frame reader of its direction.
type tap struct {
	line  net.Conn      // the connection as we speak on it, TLS included
	bare  net.Conn      // the TCP connection
	early *bufio.Reader // reads from line; the executor may have spoken before the handshake was read to its end

	in, out *frameReader
	count   func(n int) error // says no when too much has come

	pausing sync.Mutex
	paused  chan struct{} // nothing is read until it is closed; nil: reading goes on

	writing   sync.Mutex
	closeSent bool

	bounding sync.Mutex // never waited for: no write happens under it
	writeBy  time.Time  // zero: pongTime from now
}

// pongTime is how long an answer that nobody waits for may take to be written: a Pong, a Close that is returned.
const pongTime = 10 * time.Second

// Read gives coder/websocket what comes.
func (t *tap) Read(b []byte) (int, error) {
	t.pausing.Lock()
	paused := t.paused
	t.pausing.Unlock()
	if paused != nil {
		<-paused
	}
	n, err := t.early.Read(b)
	if n > 0 {
		t.in.feed(b[:n])
		if flood := t.count(n); flood != nil {
			return 0, flood
		}
	}
	return n, err
}

// pause leaves what comes in the buffers of the machine, once a read that has begun is done.
func (t *tap) pause() {
	t.pausing.Lock()
	defer t.pausing.Unlock()
	if t.paused == nil {
		t.paused = make(chan struct{})
	}
}

func (t *tap) resume() {
	t.pausing.Lock()
	defer t.pausing.Unlock()
	if t.paused != nil {
		close(t.paused)
		t.paused = nil
	}
}

// Write sends what coder/websocket says. Nothing follows a Close frame (RFC 6455 section 5.5.1); the library does not
// know of those that we sent ourselves.
func (t *tap) Write(b []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.closeSent {
		return len(b), nil
	}
	return t.put(b)
}

// send writes bytes of a hand-made frame, whatever was sent before.
func (t *tap) send(b []byte) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	_, err := t.put(b)
	return err
}

// put tells the frames before they are on their way: told afterwards, they could stand behind the answer to them.
func (t *tap) put(b []byte) (int, error) {
	t.out.feed(b)
	if err := t.bound(nil); err != nil {
		return 0, err
	}
	return t.line.Write(b)
}

// writeUntil bounds the writes of a step; the zero time ends that. It bounds the write that is under way as well: a Pong
// that an executor does not take must not hold the step up.
func (t *tap) writeUntil(by time.Time) { _ = t.bound(&by) }

// bound sets the deadline for writes, a new one if one is given.
func (t *tap) bound(by *time.Time) error {
	t.bounding.Lock()
	defer t.bounding.Unlock()
	if by != nil {
		t.writeBy = *by
	}
	deadline := t.writeBy
	if deadline.IsZero() {
		deadline = time.Now().Add(pongTime)
	}
	return t.line.SetWriteDeadline(deadline)
}

// Close is coder/websocket giving up. The connection stays: what still comes is worth seeing.
func (t *tap) Close() error { return nil }

// hangUp ends the connection without another word; not even TLS says goodbye.
func (t *tap) hangUp() {
	_ = t.bare.Close()
	t.resume()
}

// breakOff tells the frames that the end of the connection has broken off, and says whether one of the executor's has
// been. It is called when nothing is read any more.
func (t *tap) breakOff() bool {
	t.writing.Lock()
	t.out.end()
	t.writing.Unlock()
	return t.in.end()
}

// A sentFrame is a frame that we make ourselves.
type sentFrame struct {
	ws.Header
	payload []byte
}

// bytes is the frame as it goes out. The payload is masked with a fresh key unless the header says otherwise.
func (f sentFrame) bytes() ([]byte, error) {
	f.Length = int64(len(f.payload))
	if f.Masked {
		f.Mask = ws.NewMask()
	}
	out := sliceWriter(make([]byte, 0, ws.MaxHeaderSize+len(f.payload)))
	if err := ws.WriteHeader(&out, f.Header); err != nil {
		return nil, fmt.Errorf("write frame header: %w", err)
	}
	start := len(out)
	out = append(out, f.payload...)
	if f.Masked {
		ws.Cipher(out[start:], f.Mask, 0)
	}
	return out, nil
}

type sliceWriter []byte

// Write appends.
func (w *sliceWriter) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	return len(b), nil
}
