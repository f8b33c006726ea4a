// SPDX-License-Identifier: Apache-2.0

// Package observe is how a run tells what passes between it and its target to whoever looks at the whole of it.
//
// An Observer is a set of callbacks, all of them optional. Each is called once for each thing that happens, whichever test
// has caused it, and is told which test that was and whose credentials it used. Only what goes to the target is told, or
// to another executor that a hook has answered with: what goes to a key server or to a hook of the operator is no
// traffic of the target, and of hooks only the name and the outcome are known.
//
// What an observer must keep to:
//   - It judges at once, and keeps the first few offenders and counts. A run may see a hundred thousand frames.
//   - It may be called from many goroutines at once. What concerns one stream or one connection comes in order, one call
//     at a time.
//   - It returns soon, calls nothing of the run, and changes nothing of what it is shown.
//   - It holds nothing against the target that the harness has broken itself: see Exchange.Problem, Stream and
//     Connection, which say so.
package observe

import (
	"net/http"
	"time"
)

// A Source is what caused something: a step of a test.
type Source struct {
	Test     string // id; empty: the run itself
	Row      string // of the test's table; empty: it has none
	Actor    string // empty: the default one
	Identity string // whose credentials were shown: instance, admin, operator, observe, foreign, anonymous
	Given    bool   // it was preparation
}

// A Request is what was sent.
type Request struct {
	Source
	Method, URL string
	Route       string // method and path without what differs from test to test; empty: it has none
	Header      []Field
	Body        []byte // nil: none
	Operation   string // of A2A; empty: a plain request
	Binding     string // that the operation went over; empty: a plain request
	Params      any    // of the operation, as they were sent; nil: none
	Streamed    bool   // the step reads an event stream
	Raw         bool   // the URL went out as it stands, lawful or not
}

// A Field is one header line.
type Field struct{ Name, Value string }

// An Exchange is a request and its answer, or the want of one. An answer to a request for a stream that is no stream is an
// exchange as well.
type Exchange struct {
	Request
	Began  time.Time
	Took   time.Duration
	Status int // 0: no answer
	Header http.Header
	Body   []byte
	JSON   func() any // Body as one JSON text, numbers as json.Number, taken apart when it is first asked for; assertions.Missing: it is none

	// Problem says why there is no answer, or why the body is not whole, and is empty where there is nothing to say. A
	// body of which we have not read the rest is no finding about the target.
	Problem string
	// Cut: the connection ended before the body that the header promised did.
	Cut bool
	// Unread: there is more of the answer than the harness reads, or takes apart.
	Unread bool
	// Ours: the problem is one of the machine that runs the harness, or the harness has ended the exchange.
	Ours bool
}

// IsWhole says whether an answer came, and came to its end, and is none of the harness's own.
func (x *Exchange) IsWhole() bool { return x.Status != 0 && x.Problem == "" && !x.Ours }

// A Stream is an event stream: an answer 2xx of text/event-stream, or a call of gRPC that streams.
type Stream struct {
	Request
	Began  time.Time
	Status int
	Header http.Header
}

// An Event is one event of a stream, complete with its blank line.
type Event struct {
	Name, ID, Data string // Name is empty where there was none, which means "message"
	HasID          bool
	Retry          string        // as it stands on the wire
	At             time.Duration // since the request went out

	// Seen is the event as suites see it, made once for everybody: not to be changed. Its member json is the data, where it
	// is JSON.
	Seen map[string]any
}

// A StreamEnd is the end of a stream.
type StreamEnd struct {
	After time.Duration
	Lost  time.Duration // of it, since the last event: the machine did not let the harness look at the stream
	// ByHarness: we have cut it, because the test wanted it so, because the test was over, or because it held too much.
	// The last event of such a stream may be incomplete.
	ByHarness bool
	Clean     bool   // the end of the body was a proper one
	Problem   string // what was improper
	Events    []Event
	Comments  int
	Raw       []byte // everything that came, as far as it was read
}

// A Delivery is what a webhook receiver of the run was sent.
type Delivery struct {
	Source
	Receiver string // the name that the suite gave it
	Method   string
	Path     string
	Header   http.Header
	Body     []byte
	Arrived  time.Time
	Answered int  // the status that we answer; 0: none, ever
	Cut      bool // the body was longer than is kept
}

// A Hook is a question to a hook of the operator.
type Hook struct {
	Source
	Name    string
	Problem string // empty: it was answered
}

// An Observer is told what happens. Callbacks that are nil are not called.
type Observer struct {
	Asked    func(*Request) // what is about to be sent to the target; its exchange, or its stream, is told later
	Exchange func(*Exchange)

	StreamOpened func(*Stream)
	StreamEvent  func(*Stream, *Event)
	StreamEnded  func(*Stream, *StreamEnd)

	ConnectionOpened func(*Connection)
	Frame            func(*Connection, *Frame)   // every frame on the wire, both ways, control frames included
	Message          func(*Connection, *Message) // every text or binary message, both ways, put together from its frames
	ConnectionEnded  func(*Connection, *ConnectionEnd)

	Delivery func(*Delivery)
	Hook     func(*Hook)
}
