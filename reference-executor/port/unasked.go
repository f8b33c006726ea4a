// SPDX-License-Identifier: Apache-2.0

package port

import (
	"net"
	"net/http"
	"sync"
)

// CloseUnasked makes the Shutdown of a server close the connections over which nothing has been asked yet. net/http waits for a request on
// them until they are five seconds old, and clients keep such connections: they dial another one when all are in use, and one of those
// becomes free before it is there.
func CloseUnasked(s *http.Server) {
	u := &unasked{conns: map[net.Conn]bool{}}
	s.ConnState = u.changed
	s.RegisterOnShutdown(u.close)
}

// unasked are connections over which nothing has been asked.
type unasked struct {
	mu     sync.Mutex
	conns  map[net.Conn]bool
	closed bool
}

func (u *unasked) changed(c net.Conn, to http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case to != http.StateNew:
		delete(u.conns, c)
	case u.closed:
		c.Close()
	default:
		u.conns[c] = true
	}
}

func (u *unasked) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for c := range u.conns {
		c.Close()
	}
}
