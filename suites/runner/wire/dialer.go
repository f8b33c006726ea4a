// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"context"
	"crypto/tls"
	"net"
	"sync/atomic"
	"time"
)

// MaxHeader bounds the header of an answer, in bytes: more than any server is configured to send, and little enough that the
// headers of all answers that are under way or in evidence do not add up.
const MaxHeader = 256 << 10

// A Dialer opens connections to the target.
type Dialer struct {
	dialer *net.Dialer
	tls    *tls.Config // nil: the defaults
}

// NewDialer makes a dialer that gives up after a time, and secures connections as the configuration says.
func NewDialer(timeout time.Duration, config *tls.Config) *Dialer {
	return &Dialer{dialer: &net.Dialer{Timeout: timeout, KeepAlive: 15 * time.Second}, tls: config}
}

// Dial opens a connection that counts what is written to it.
func (d *Dialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &countedConn{Conn: conn}, nil
}

// A countedConn knows how much was written, and so whether a request that failed can have reached anybody.
type countedConn struct {
	net.Conn
	written atomic.Int64
}

// Write counts what goes out.
func (c *countedConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.written.Add(int64(n))
	return n, err
}

// WrittenTo is how much was written to a connection that dial opened, below TLS too; -1 when it is another one.
func WrittenTo(conn net.Conn) int64 {
	if secured, is := conn.(*tls.Conn); is {
		conn = secured.NetConn()
	}
	if counted, is := conn.(*countedConn); is {
		return counted.written.Load()
	}
	return -1
}
