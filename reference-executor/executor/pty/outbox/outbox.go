// SPDX-License-Identifier: Apache-2.0

// Package outbox holds what is in line for a connection.
package outbox

import "sync"

// A Delivery is one thing in line.
type Delivery interface {
	Size() int  // bytes on the wire, or about as many
	Last() bool // whether nothing follows it
}

// An Outbox is what is in line for a connection. Putting something in line never waits.
type Outbox[D Delivery] struct {
	mu     sync.Mutex
	line   []D
	size   int  // of all that has not been written yet
	sealed bool // a close is in line: nothing follows it
	ready  chan struct{}
}

// New is one with nothing in line.
func New[D Delivery]() *Outbox[D] { return &Outbox[D]{ready: make(chan struct{}, 1)} }

// Ready tells that something may be in line.
func (o *Outbox[D]) Ready() <-chan struct{} { return o.ready }

// Push puts something in line, unless something is there that nothing follows.
func (o *Outbox[D]) Push(ds ...D) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range ds {
		if o.sealed {
			break
		}
		o.line = append(o.line, d)
		o.size += d.Size()
		o.sealed = d.Last()
	}
	o.wake()
}

// CutTo drops what is in line and puts a close there.
func (o *Outbox[D]) CutTo(d D) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sealed {
		return
	}
	for _, dropped := range o.line {
		o.size -= dropped.Size()
	}
	o.line = []D{d}
	o.size += d.Size()
	o.sealed = true
	o.wake()
}

// Wake has whoever writes look again, though nothing has come in line.
func (o *Outbox[D]) Wake() { o.wake() }

func (o *Outbox[D]) wake() {
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

// Take is all that is in line, which is empty then; it counts as owed until it was written.
func (o *Outbox[D]) Take() []D {
	o.mu.Lock()
	defer o.mu.Unlock()
	line := o.line
	o.line = nil
	return line
}

// Wrote notes that something was written.
func (o *Outbox[D]) Wrote(d D) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.size -= d.Size()
}

// Owes says whether more bytes than that have not been written yet.
func (o *Outbox[D]) Owes(more int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size > more
}

// IsSealed says whether something is in line, or was, that nothing follows.
func (o *Outbox[D]) IsSealed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sealed
}
