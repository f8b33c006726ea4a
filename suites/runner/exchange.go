// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"github.com/roctinam/agentic-sandbox-conformance/report"
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

// clientFor is how a run reaches its target.
func clientFor(target Target, options Options) *wire.Client {
	return wire.NewClient(wire.ClientOptions{ConnectTimeout: options.ConnectTimeout, TLS: target.TLS, Rate: options.Rate, Jobs: options.Jobs, Calls: newChannels(target, options)})
}

// send sends a request, once, and reads the whole answer.
func (s *site) send(ctx context.Context, q *request) *exchange {
	return &exchange{Exchange: *s.client.Do(ctx, &q.Request), request: q}
}
