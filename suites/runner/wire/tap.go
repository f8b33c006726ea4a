// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bufio"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/gobwas/ws"
)

// A Tap is the connection below coder/websocket, from the end of the handshake on: every byte that passes is also shown
// to the frame reader of its direction.
type Tap struct {
	Line  net.Conn      // the connection as we speak on it, TLS included
	Bare  net.Conn      // the TCP connection
	Early *bufio.Reader // reads from line; the executor may have spoken before the handshake was read to its end

	In, Out *FrameReader
	Count   func(n int) error // says no when too much has come

	pausing sync.Mutex
	paused  chan struct{} // nothing is read until it is closed; nil: reading goes on

	writing   sync.Mutex
	CloseSent bool

	bounding sync.Mutex // never waited for: no write happens under it
	writeBy  time.Time  // zero: pongTime from now
}

// pongTime is how long an answer that nobody waits for may take to be written: a Pong, a Close that is returned.
const pongTime = 10 * time.Second

// Read gives coder/websocket what comes.
func (t *Tap) Read(b []byte) (int, error) {
	t.pausing.Lock()
	paused := t.paused
	t.pausing.Unlock()
	if paused != nil {
		<-paused
	}
	n, err := t.Early.Read(b)
	if n > 0 {
		t.In.feed(b[:n])
		if flood := t.Count(n); flood != nil {
			return 0, flood
		}
	}
	return n, err
}

// Pause leaves what comes in the buffers of the machine, once a read that has begun is done.
func (t *Tap) Pause() {
	t.pausing.Lock()
	defer t.pausing.Unlock()
	if t.paused == nil {
		t.paused = make(chan struct{})
	}
}

// Resume reads on after Pause.
func (t *Tap) Resume() {
	t.pausing.Lock()
	defer t.pausing.Unlock()
	if t.paused != nil {
		close(t.paused)
		t.paused = nil
	}
}

// Write sends what coder/websocket says. Nothing follows a Close frame (RFC 6455 section 5.5.1); the library does not
// know of those that we sent ourselves.
func (t *Tap) Write(b []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.CloseSent {
		return len(b), nil
	}
	return t.put(b)
}

// Send writes bytes of a hand-made frame, whatever was sent before.
func (t *Tap) Send(b []byte) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	_, err := t.put(b)
	return err
}

// put tells the frames before they are on their way: told afterwards, they could stand behind the answer to them.
func (t *Tap) put(b []byte) (int, error) {
	t.Out.feed(b)
	if err := t.bound(nil); err != nil {
		return 0, err
	}
	return t.Line.Write(b)
}

// WriteUntil bounds the writes of a step; the zero time ends that. It bounds the write that is under way as well: a Pong
// that an executor does not take must not hold the step up.
func (t *Tap) WriteUntil(by time.Time) { _ = t.bound(&by) }

// bound sets the deadline for writes, a new one if one is given.
func (t *Tap) bound(by *time.Time) error {
	t.bounding.Lock()
	defer t.bounding.Unlock()
	if by != nil {
		t.writeBy = *by
	}
	deadline := t.writeBy
	if deadline.IsZero() {
		deadline = time.Now().Add(pongTime)
	}
	return t.Line.SetWriteDeadline(deadline)
}

// Close is coder/websocket giving up. The connection stays: what still comes is worth seeing.
func (t *Tap) Close() error { return nil }

// HangUp ends the connection without another word; not even TLS says goodbye.
func (t *Tap) HangUp() {
	_ = t.Bare.Close()
	t.Resume()
}

// BreakOff tells the frames that the end of the connection has broken off, and says whether one of the executor's has
// been. It is called when nothing is read any more.
func (t *Tap) BreakOff() bool {
	t.writing.Lock()
	t.Out.end()
	t.writing.Unlock()
	return t.In.end()
}

// A SentFrame is a frame that we make ourselves.
type SentFrame struct {
	ws.Header
	Payload []byte
}

// Bytes is the frame as it goes out. The payload is masked with a fresh key unless the header says otherwise.
func (f SentFrame) Bytes() ([]byte, error) {
	f.Length = int64(len(f.Payload))
	if f.Masked {
		f.Mask = ws.NewMask()
	}
	out := sliceWriter(make([]byte, 0, ws.MaxHeaderSize+len(f.Payload)))
	if err := ws.WriteHeader(&out, f.Header); err != nil {
		return nil, fmt.Errorf("write frame header: %w", err)
	}
	start := len(out)
	out = append(out, f.Payload...)
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
