// SPDX-License-Identifier: Apache-2.0

package pty

import "sync"

// How many bytes may be in line for a connection: beyond maxUnsent it misses output and is repainted later; beyond
// maxOwed, which only a client that keeps asking and never reads can reach, it is closed.
const (
	maxUnsent = 1 << 20
	maxOwed   = 32 << 20
)

// An outbox is what is in line for a connection. Putting something in line never waits.
type outbox struct {
	mu     sync.Mutex
	line   []delivery
	size   int  // of all that has not been written yet
	sealed bool // a close is in line: nothing follows it
	ready  chan struct{}
}

func newOutbox() *outbox { return &outbox{ready: make(chan struct{}, 1)} }

func (o *outbox) push(ds ...delivery) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range ds {
		if o.sealed {
			return
		}
		o.line = append(o.line, d)
		o.size += d.size()
		o.sealed = d.closing
	}
	o.wake()
}

// cutTo drops what is in line and puts a close there.
func (o *outbox) cutTo(d delivery) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sealed {
		return
	}
	for _, dropped := range o.line {
		o.size -= dropped.size()
	}
	o.line = []delivery{d}
	o.size += d.size()
	o.sealed = true
	o.wake()
}

func (o *outbox) wake() {
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

func (o *outbox) take() []delivery {
	o.mu.Lock()
	defer o.mu.Unlock()
	line := o.line
	o.line = nil
	return line
}

func (o *outbox) wrote(d delivery) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.size -= d.size()
}

func (o *outbox) owes(more int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size > more
}

func (o *outbox) isSealed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sealed
}

func (d delivery) size() int {
	if d.control != nil {
		return len(d.control.payload) + 2
	}
	return d.frame.size()
}
