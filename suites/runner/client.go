// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"crypto/tls"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// idleFor is how long a connection is kept for reuse.
const idleFor = 2 * time.Second

// mostAtOnce is how many connections one test may want to have open before it sends something over all of them.
const mostAtOnce = 8

// A client is how requests reach the target: one pool of connections, nothing followed, decompressed or repeated behind
// our back.
type client struct {
	transport *http.Transport // keeps its connections
	fresh     *http.Transport // opens a new connection for every request
	calls     *channels       // of gRPC
	limiter   *rate.Limiter   // nil: no limit
	dialer    *wire.Dialer
}

func newClient(target Target, options Options) *client {
	c := &client{
		dialer: wire.NewDialer(options.ConnectTimeout, target.TLS),
		calls:  newChannels(target, options),
	}
	if options.Rate > 0 {
		c.limiter = rate.NewLimiter(rate.Limit(options.Rate), 1)
	}
	c.transport = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            c.dialer.Dial,
		TLSClientConfig:        target.TLS,
		TLSHandshakeTimeout:    options.ConnectTimeout,
		DisableCompression:     true,
		MaxIdleConns:           4 * max(options.Jobs, mostAtOnce),
		MaxIdleConnsPerHost:    max(options.Jobs, mostAtOnce),
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: wire.MostHeader,
		// An empty table keeps to HTTP/1.1, whose bytes are the ones the contract speaks of.
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	// A server may close a kept connection just when the next request goes out on it. A GET is then simply sent again;
	// what became of a POST nobody can know, so its test is played again, with connections of its own: there, a POST that
	// got no answer is a finding.
	c.fresh = c.transport.Clone()
	c.fresh.MaxIdleConnsPerHost = -1
	return c
}

// wait keeps to the rate the operator allows.
func (c *client) wait(ctx context.Context) error {
	if c.limiter == nil {
		return ctx.Err()
	}
	// Not Wait: it gives up at once when the run is going to end too soon, and that would look like a dead target.
	turn := c.limiter.Reserve()
	timer := time.NewTimer(turn.Delay())
	defer timer.Stop()
	select {
	case <-ctx.Done():
		turn.Cancel()
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (c *client) close() {
	c.transport.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
	c.calls.close()
}

// through is the transport for a request.
func (c *client) through(q *request) *http.Transport {
	if q.shares || q.repeatable() {
		return c.transport
	}
	return c.fresh
}
