// SPDX-License-Identifier: Apache-2.0

package suites

import "slices"

// An Action is what a step does: one of the types below, as a value (not a pointer).
type Action interface{ Verb() string }

// The verbs.
type (
	// A Request is one HTTP exchange.
	Request struct {
		Method, URL string
		Header      []Header
		Body        Body
		Redirects   int           // how many redirects on the same host are followed; 0: none
		Walk        string        // the query parameter that carries a list's cursor: follow it to the end
		WalkMax     int           // most pages of a walk
		WalkUntil   []Expectation // a walk ends early where this holds of the pages so far
		WalkAgain   Duration      // for how long a walk is begun anew that has ended without that
		Raw         bool          // URL is sent as it stands, without normalisation
		Chunked     bool          // the body goes out in chunks, and its length is not said
		Unpaced     bool          // a refusal with 429 is the answer, and is not waited out
		Otherwise   *Otherwise    // another form of the same request; nil: there is none

		Operation string // in place of Method and URL: one that the row of the profile has
		Params    any    // its request object, as ProtoJSON
		HasParams bool   // otherwise it is sent without any
		OnOther   bool   // over the second of a pair of bindings
	}
	// A Poll is the same exchange again and again.
	Poll struct {
		Request
		Every Duration
		Until []Expectation // until this holds (with Step.Within), or
		For   Duration      // all the while, or
		Times int           // so many times
	}
	// A Stream reads server-sent events.
	Stream struct {
		Request
		Until       []Expectation // empty with UntilClosed false: until the response header has been read
		UntilClosed bool
		For         Duration // how long to read on, whatever arrives
		Cut         bool     // drop the connection when done, instead of leaving it open for the actor
		Background  bool     // go on with the next steps while it is being read; `await: stream` ends it
	}
	// An Open is a WebSocket handshake, also a refused one.
	Open struct {
		URL         string
		Subprotocol []string // offered tokens; nil: no header
		Header      []Header
		Raw         *RawHandshake // hand-made handshake
		Unpaced     bool          // a refusal with 429 is the answer, and is not waited out
	}
	// A Send is one message on the actor's socket.
	Send struct {
		JSON   any       // one text message with this JSON value
		Text   *string   // one text message as it stands
		Frames []WSFrame // hand-made frames
		Omit   []string  // envelope members left out of JSON that would otherwise be filled in
	}
	// A Type is terminal input, in whichever mode was negotiated: once, or again and again.
	Type struct {
		Text   string
		Base64 string        // instead of Text
		Split  int           // bytes in a frame; 0: all in one
		Times  int           // how many times; 0: once, or until something holds
		Every  Duration      // how long after it was begun it is typed again
		Until  []Expectation // it is typed until this holds, within the step's time
	}
	// A Receive reads until a frame fits.
	Receive struct{ Until []Expectation }
	// A Silence is a time during which nothing that fits Of may arrive; nil: nothing at all.
	Silence struct {
		For Duration
		Of  []Expectation
	}
	// A Close is a proper goodbye, or waiting for the other side's.
	Close struct {
		Code   int
		Reason string
		Wait   bool // `close: wait`: send nothing, wait for the target to close
	}
	// A Cut loses the network: the connection ends without a goodbye. Mute stops answering instead, and Deaf reading.
	Cut struct{ Mute, Deaf bool }
	// A Listen starts a webhook receiver; its address is ${name.url}.
	Listen struct {
		Name   string
		Status []int // what it answers to the first, second, ... request; then 200
		Always int   // what it answers to every request; 0: not said
		Never  bool  // it takes requests and answers none of them
	}
	// An Await waits for what a webhook receiver got, or for a background stream.
	Await struct {
		Name        string
		Until       []Expectation
		UntilClosed bool     // of a stream: until it has ended
		For         Duration // of a receiver: look at it for so long; that Until does not hold by then is no finding
	}
	// A Together is that many clients doing the steps at once.
	Together struct {
		Clients int
		Number  string  // the name that says how many, or holds the list of whose elements each has one as ${element}; then Clients is 0
		AtOnce  int     // how many of them at a time; 0: all
		Far     int     // how many where the target is far and copes; 0: as many as elsewhere
		Let     []Let   // names of each client's own, fixed when it begins
		Given   []*Step // what each does first: preparation, and not timed; all at once wait for the last of them
		Steps   []*Step
	}
	// A Hook asks the operator's hook, or does one of the runner's own operations (hooks.Operations).
	Hook struct {
		Name     string
		With     map[string]any
		Optional bool // where it is not configured, what was judged before is all there is to judge
	}
	// A Watch judges everything of a kind that passes between the run and its target, whichever test has caused it, from
	// the first test on until the step is played.
	Watch struct {
		What  string        // one of Watched
		Where []Expectation // only what fits is looked at; nil: all
	}
	// An If is steps that are played where the name says true.
	If struct {
		Name  string  // the ${name} of true or false
		Given []*Step // what is done first: preparation
		Steps []*Step
	}
	// A Part is steps that may end before what comes behind them: enough_when among them ends them alone.
	Part struct {
		Says  string  // what they are about
		Given []*Step // what is done first: preparation
		Steps []*Step
	}
	// A Use is the shared steps of that name.
	Use struct {
		Name     string
		Optional bool // they show something to a watch where they can be done; where they cannot, a note says why
		Steps    []*Step
	}
)

// A Body is what a request carries; at most one is set.
type Body struct {
	JSON   any // with Given
	Given  bool
	Text   *string
	Base64 string
}

// An Otherwise is another form of a request that a ruling allows, sent where the first form is refused.
type Otherwise struct {
	At     Position
	Ruling string
	When   []Expectation // what the answer to the first form must be for the second to be sent
	JSON   any           // the body of the second form
}

// A RawHandshake replaces parts of the WebSocket handshake.
type RawHandshake struct {
	Method  string
	Omit    []string // header names left out
	Replace []Header

	Certificate string // that is shown: CertificateNone or CertificateUnknown; empty: the client certificate of the run
}

// The client certificates of a handshake that is made by hand.
const (
	CertificateNone    = "none"
	CertificateUnknown = "unknown" // one that nobody has signed but itself
)

// A WSFrame is one hand-made WebSocket frame.
type WSFrame struct {
	Opcode   int
	Fin      bool
	RSV1     bool
	Unmasked bool
	Text     string
	Base64   string
	Repeat   int // the payload that many times; 0 and 1 are the same
}

// Verb names the action as suites write it.
func (Request) Verb() string  { return "request" }
func (Poll) Verb() string     { return "poll" }
func (Stream) Verb() string   { return "stream" }
func (Open) Verb() string     { return "open" }
func (Send) Verb() string     { return "send" }
func (Type) Verb() string     { return "type" }
func (Receive) Verb() string  { return "receive" }
func (Silence) Verb() string  { return "silence" }
func (Close) Verb() string    { return "close" }
func (Cut) Verb() string      { return "cut" }
func (Listen) Verb() string   { return "listen" }
func (Await) Verb() string    { return "await" }
func (Together) Verb() string { return "together" }
func (Hook) Verb() string     { return "hook" }
func (Watch) Verb() string    { return "watch" }
func (If) Verb() string       { return "if" }
func (Part) Verb() string     { return "part" }
func (Use) Verb() string      { return "use" }

// A Block is an action that is made of steps.
type Block interface {
	Action
	// Inside are the steps, preparation included.
	Inside() []*Step
}

// Inside are the steps of a client, preparation included.
func (t Together) Inside() []*Step { return slices.Concat(t.Given, t.Steps) }

// Inside are the steps that are played where the name says true, preparation included.
func (i If) Inside() []*Step { return slices.Concat(i.Given, i.Steps) }

// Inside are the steps, preparation included.
func (p Part) Inside() []*Step { return slices.Concat(p.Given, p.Steps) }

// Inside are the shared steps.
func (u Use) Inside() []*Step { return u.Steps }
