// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/a2agrpc"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A Request is what is sent, and what is meant by it.
type Request struct {
	wire.Request
	Wraps, Bare bool // sends a message in the usual form, or as a bare Message (ruling AMB-21)
	Redirects   int
	Unpaced     bool     // a refusal with 429 is the answer
	First       *Request // the one that was redirected to this one; nil: none
	Upgrades    bool     // asks for a WebSocket
	Streamed    bool     // the answer is read as it comes
	Repeats     bool     // its message had been sent before
	Identity    string   // whose credentials it carries, for the reader of a report
	Actor       string
	Call        *Call  // the operation that it is; nil: none
	Route       string // method and path without what differs from test to test; "" when it has none
}

// An Exchange is a request and what came back.
type Exchange struct {
	wire.Exchange
	Request *Request
	Unsent  *report.Reason // it was not even sent, and why
	JSON    func() any     // the body taken apart, once for all who ask; nil: nobody but the step asks
}

// Limits are those of the way to a target, and of a run as a whole.
type Limits struct {
	Request time.Duration // of one request; 0: 10s
	Connect time.Duration // of a connection that is made; 0: 5s
	Whole   time.Duration // of the run; 0: 30 minutes
	Factor  float64       // multiplies the limit of a request; 0: 1
	Rate    float64       // requests per second; 0: no limit
	Shared  *rate.Limiter // of the requests to all targets that are played side by side; nil: no limit
	Jobs    int           // tests at once; 0: 16
}

// Filled are the limits with the defaults filled in.
func (l Limits) Filled() Limits {
	pick := func(d *time.Duration, otherwise time.Duration) {
		if *d <= 0 {
			*d = otherwise
		}
	}
	pick(&l.Request, 10*time.Second)
	pick(&l.Connect, 5*time.Second)
	pick(&l.Whole, 30*time.Minute)
	if l.Jobs <= 0 {
		l.Jobs = 16
	}
	if l.Factor <= 0 {
		l.Factor = 1
	}
	return l
}

// clientFor is how a run reaches its target.
func clientFor(config Config, limits Limits) *wire.Client {
	return wire.NewClient(wire.ClientOptions{ConnectTimeout: limits.Connect, TLS: config.TLS, Rate: limits.Rate, SharedRate: limits.Shared, Jobs: limits.Jobs, Calls: a2agrpc.NewChannels(config.TLS, limits.Connect)})
}

// Send sends a request, once, and reads the whole answer.
func (t *Target) Send(ctx context.Context, q *Request) *Exchange {
	return &Exchange{Exchange: *t.Client.Do(ctx, &q.Request), Request: q}
}

// StartsTask says whether a request hands over a message, which may start a task.
func (q *Request) StartsTask() bool {
	if q.Call != nil {
		return q.Call.Operation == "SendMessage" || q.Call.Operation == "SendStreamingMessage"
	}
	return q.Method == http.MethodPost && slices.ContainsFunc(SendPaths, func(send SendPath) bool { return strings.Contains(q.URL, send.Path) })
}

// AsOf is another request of who has sent q; of whom the operator has named, where q went out without credentials or with wrong ones.
// What a test has sent to another instance with a token of its own is of who has that token: the operator named it for that instance.
func (t *Target) AsOf(q *Request, method, address string) *Request {
	header, identity := WithoutHeader(q.Header, "Content-Type"), q.Identity
	if identity == Anonymous && !(t.Place.OfAnother(address) && sendsCredentials(q)) {
		header, identity = t.Named(header, address)
	}
	return &Request{Request: wire.Request{Method: method, URL: address, Header: header, Limit: CancelTime, Shares: true}, Identity: identity}
}

func sendsCredentials(q *Request) bool {
	return slices.ContainsFunc(q.Header, func(h suites.Header) bool { return strings.EqualFold(h.Name, "Authorization") })
}

// Named is the header of a request that nobody in particular has sent, with the credentials of whom the operator has named for the
// surface of an address, and who that is: what was let in without credentials is undone with them.
func (t *Target) Named(header []suites.Header, address string) (of []suites.Header, identity string) {
	identity = "instance"
	if surface, _ := t.Place.SurfaceOf(address); surface == "admin" {
		identity = "admin"
	}
	of = WithoutHeader(header, "Authorization")
	for _, h := range t.OwnHeader(address, identity) {
		of = append(WithoutHeader(of, h.Name), h)
	}
	return of, identity
}

// CancelTime bounds the undoing of what a test has created.
const CancelTime = 2 * time.Second
