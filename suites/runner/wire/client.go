// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"context"
	"crypto/tls"
	"net/http"
	"time"

	"golang.org/x/time/rate"
)

// idleFor is how long a connection is kept for reuse.
const idleFor = 2 * time.Second

// maxAtOnce is how many connections one test may want to have open before it sends something over all of them.
const maxAtOnce = 8

// A Caller sends what is a call of gRPC, and shows its answer in the form in which others come.
type Caller interface {
	// Send returns when the header of the answer has arrived, with the time at which the call began.
	Send(ctx context.Context, q *Request) (*http.Response, time.Time, error)
	// Close ends the connections.
	Close()
}

// ClientOptions say how a client reaches its target.
type ClientOptions struct {
	ConnectTimeout time.Duration
	TLS            *tls.Config   // nil: the defaults
	Rate           float64       // requests a second; 0: no limit
	SharedRate     *rate.Limiter // of all clients together; nil: no limit
	Jobs           int           // how many requests are under way at once, at least
	Calls          Caller        // nil: no calls of gRPC are sent
}

// A Client is how requests reach the target: one pool of connections, nothing followed, decompressed or repeated behind
// our back.
type Client struct {
	transport *http.Transport // keeps its connections
	fresh     *http.Transport // opens a new connection for every request
	calls     Caller          // of gRPC; nil: none are sent
	limits    []*rate.Limiter // all of which a request has to wait for
	throttle  throttle        // what the target turns out to allow
	Dialer    *Dialer
}

// NewClient makes a client. Nothing is opened yet.
func NewClient(options ClientOptions) *Client {
	c := &Client{Dialer: NewDialer(options.ConnectTimeout, options.TLS), calls: options.Calls}
	if options.Rate > 0 {
		c.limits = append(c.limits, rate.NewLimiter(rate.Limit(options.Rate), 1))
	}
	if options.SharedRate != nil {
		c.limits = append(c.limits, options.SharedRate)
	}
	c.transport = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            c.Dialer.Dial,
		TLSClientConfig:        options.TLS,
		TLSHandshakeTimeout:    options.ConnectTimeout,
		DisableCompression:     true,
		MaxIdleConns:           4 * max(options.Jobs, maxAtOnce),
		MaxIdleConnsPerHost:    max(options.Jobs, maxAtOnce),
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: MaxHeader,
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

// Wait keeps to the rates that the operator allows, and to the one that the target turned out to.
func (c *Client) Wait(ctx context.Context) error {
	for _, limit := range c.limits {
		if err := waitFor(ctx, limit); err != nil {
			return err
		}
	}
	if err := c.paced(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

func waitFor(ctx context.Context, limit *rate.Limiter) error {
	// Not Wait: it gives up at once when the run is going to end too soon, and that would look like a dead target.
	turn := limit.Reserve()
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

// Limited says whether the operator, or the target, allows only so many requests a second.
func (c *Client) Limited() bool { return len(c.limits) > 0 || c.Pace() > 0 }

// Close ends the connections that are kept.
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
	if c.calls != nil {
		c.calls.Close()
	}
}

// through is the transport for a request.
func (c *Client) through(q *Request) *http.Transport {
	if q.Shares || q.repeatable() {
		return c.transport
	}
	return c.fresh
}
