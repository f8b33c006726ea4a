// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/a2agrpc"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A request is what is sent, and what is meant by it.
type request struct {
	wire.Request
	wraps, bare bool // sends a message in the usual form, or as a bare Message (ruling AMB-21)
	redirects   int
	first       *request // the one that was redirected to this one; nil: none
	upgrades    bool     // asks for a WebSocket
	streamed    bool     // the answer is read as it comes
	repeats     bool     // its message had been sent before
	identity    string   // whose credentials it carries, for the reader of a report
	actor       string
	call        *call  // the operation that it is; nil: none
	route       string // method and path without what differs from test to test; "" when it has none
}

// An exchange is a request and what came back.
type exchange struct {
	wire.Exchange
	request *request
	unsent  *report.Reason // it was not even sent, and why
	json    func() any     // the body taken apart, once for all who ask; nil: nobody but the step asks
}

// Limits are those of the way to a target.
type Limits struct {
	Request time.Duration // of one request
	Connect time.Duration // of a connection that is made
	Rate    float64       // requests per second; 0: no limit
	Jobs    int           // tests at once
}

// clientFor is how a run reaches its target.
func clientFor(config Target, limits Limits) *wire.Client {
	return wire.NewClient(wire.ClientOptions{ConnectTimeout: limits.Connect, TLS: config.TLS, Rate: limits.Rate, Jobs: limits.Jobs, Calls: a2agrpc.NewChannels(config.TLS, limits.Connect)})
}

// send sends a request, once, and reads the whole answer.
func (s *site) send(ctx context.Context, q *request) *exchange {
	return &exchange{Exchange: *s.client.Do(ctx, &q.Request), request: q}
}
