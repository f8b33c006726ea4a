// SPDX-License-Identifier: Apache-2.0

// Package sights makes of what passes between a run and its target the things that tests of the whole run look at: answers, streams,
// deliveries, tasks, frames and closes, each with what must be known of what came before to judge it. It judges nothing.
package sights

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/traits"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A Sight is something that is looked at: what it shows, and what it came with.
type Sight struct {
	Seen    *subjects.Observation
	What    string                  // kind of suites.Watched
	Said    func() string           // "POST https://... (TASK-020)"
	Request func() *target.Request  // that led to it, as reports show it; nil: none did
	Answer  func() *target.Exchange // it came with; nil: with none
	Shows   func() *evidence.Entry  // what it is on a connection; nil: it came with an answer
	Traits  func() *traits.Set      // by what it differs from others; nil: nothing is known of it
	About   string                  // the task that it shows; empty: none, or not one
	At      string                  // of what no request has led to: what stands for its route; empty: nothing does
	Partial bool                    // it did not come to its end: only for who asks for the subject cut
}

// A viewer makes the sights.
type viewer struct {
	*target.Target
	wanted func(what string) bool
	show   func(Sight)
	served served
	titles titles
	traits traits.Table
}

// Observer makes sights of what it is told of a target, of the kinds that are wanted, and shows each of them.
func Observer(t *target.Target, wanted func(what string) bool, show func(Sight)) observe.Observer {
	w := &viewer{Target: t, wanted: wanted, show: show}
	o := observe.Observer{
		Exchange:         w.watchExchange,
		StreamOpened:     w.watchHead,
		StreamEnded:      w.watchStream,
		ConnectionOpened: w.watchRefusal,
		ConnectionEnded:  w.watchClose,
		Delivery:         w.watchDelivery,
	}
	if w.wanted("tasks") {
		courses := &courses{viewer: w, of: map[string]*course{}}
		o.Exchange = func(x *observe.Exchange) { w.watchExchange(x); courses.exchange(x) }
		o.StreamEvent = courses.event
		o.Message = courses.message
		o.ConnectionEnded = func(at *observe.Connection, end *observe.ConnectionEnd) {
			w.watchClose(at, end)
			courses.hungUp(at)
		}
		o.Delivery = func(d *observe.Delivery) { w.watchDelivery(d); courses.delivery(d) }
	}
	if w.wanted("frames") && w.Config.PTYDialect == "" {
		frames := newFrameWatch(w)
		tasks, ended := o.Message, o.ConnectionEnded
		o.Message = func(c *observe.Connection, m *observe.Message) {
			frames.message(c, m)
			if tasks != nil {
				tasks(c, m)
			}
		}
		o.ConnectionEnded = func(c *observe.Connection, end *observe.ConnectionEnd) {
			frames.ended(c, end)
			ended(c, end)
		}
	}
	return o
}

// watchExchange shows an answer. What did not come is for the test that asked to judge; what did not come to its end is
// shown to those who ask for it.
func (w *viewer) watchExchange(x *observe.Exchange) {
	switch {
	case !w.wanted("answers"):
	case x.IsWhole():
		w.show(w.answer(x))
		w.served.answered(&w.Place, &x.Request, x.Status)
	case x.Cut && !x.Ours:
		s := w.answer(x)
		s.Seen.Value("cut", x.Problem)
		s.Partial = true
		w.show(s)
	}
}

func (w *viewer) answer(x *observe.Exchange) Sight {
	o := subjects.OfAnswer(&target.Exchange{Exchange: wire.Exchange{Took: x.Took, Status: x.Status, Header: x.Header, Body: x.Body}, Request: &target.Request{Request: wire.Request{URL: x.URL}}, JSON: x.JSON})
	if x.Status == http.StatusNotFound { // of other answers nobody has to ask
		o.Value("served", w.served.before(&w.Place, &x.Request))
	}
	if first, is := w.titles.before(&w.Place, x); is {
		o.Value("first_title", first)
	}
	return w.sightOf("answers", &x.Request, func() *target.Exchange { return answerOf(x) }, o, func() []traits.Trait {
		return traits.OfAnswer(x.Binding, x.Status, x.Header.Get("Content-Type"), len(x.Body), x.JSON)
	})
}

func answerOf(x *observe.Exchange) *target.Exchange {
	return &target.Exchange{Exchange: wire.Exchange{Began: x.Began, Took: x.Took, Status: x.Status, Line: fmt.Sprintf("%d %s", x.Status, http.StatusText(x.Status)), Header: x.Header, Body: x.Body}, Request: requestOf(&x.Request)}
}

// watchHead shows the head of an event stream as an answer.
func (w *viewer) watchHead(s *observe.Stream) {
	if !w.wanted("answers") {
		return
	}
	o := subjects.New()
	o.SetHead(s.Status, s.Header)
	w.show(w.sightOf("answers", &s.Request, func() *target.Exchange { return headOf(s) }, o, headTraits(s.Status, s.Header)))
	w.served.answered(&w.Place, &s.Request, s.Status)
}

func headOf(s *observe.Stream) *target.Exchange {
	return &target.Exchange{Exchange: wire.Exchange{Began: s.Began, Status: s.Status, Line: fmt.Sprint(s.Status), Header: s.Header}, Request: requestOf(&s.Request)}
}

// watchRefusal shows the head of the answer to an upgrade that was refused as an answer: what its body holds is nobody's affair.
func (w *viewer) watchRefusal(c *observe.Connection) {
	if c.Ours || c.Status == 0 || c.Status == http.StatusSwitchingProtocols || !w.wanted("answers") {
		return
	}
	o := subjects.New()
	o.SetHead(c.Status, c.Header)
	head := func() *target.Exchange {
		return &target.Exchange{Exchange: wire.Exchange{Began: c.Opened, Status: c.Status, Line: fmt.Sprintf("%d %s", c.Status, http.StatusText(c.Status)), Header: c.Header}, Request: requestOf(&c.Request)}
	}
	w.show(w.sightOf("answers", &c.Request, head, o, headTraits(c.Status, c.Header)))
}

// watchStream shows an event stream when it is over.
func (w *viewer) watchStream(s *observe.Stream, end *observe.StreamEnd) {
	if !w.wanted("streams") {
		return
	}
	o := subjects.New()
	o.SetHead(s.Status, s.Header)
	o.SetBody(end.Raw, end.Clean, nil)
	o.Set("events", func() any {
		events := make([]any, 0, len(end.Events))
		for _, e := range end.Events {
			events = append(events, e.Seen)
		}
		return events
	})
	by := "executor"
	if end.ByHarness {
		by = "harness"
	}
	idle := end.After - end.Lost
	if n := len(end.Events); n > 0 {
		idle -= end.Events[n-1].At
	}
	o.Value("closed", map[string]any{"by": by, "clean": end.Clean, "after": subjects.Milliseconds(end.After), "idle": subjects.Milliseconds(idle)})
	w.show(w.sightOf("streams", &s.Request, func() *target.Exchange {
		answer := headOf(s)
		answer.Body = end.Raw
		return answer
	}, o, headTraits(s.Status, s.Header)))
}

// watchDelivery shows what a webhook receiver got.
func (w *viewer) watchDelivery(d *observe.Delivery) {
	if d.Cut || !w.wanted("deliveries") {
		return
	}
	o := subjects.New()
	o.Set("delivery", func() any {
		parsed := jsontext.Parse(d.Body)
		seen := map[string]any{"method": d.Method, "path": d.Path, "header": subjects.HeaderValues(d.Header), "headers": subjects.HeaderLines(d.Header),
			"text": strings.ToValidUTF8(string(d.Body), "\uFFFD"), "body": assertions.Body{Bytes: d.Body, JSON: parsed}}
		if !assertions.IsMissing(parsed) {
			seen["json"] = parsed
		}
		subjects.Carried(seen, parsed, readers.Push)
		return seen
	})
	w.show(Sight{Seen: o, What: "deliveries", Traits: sync.OnceValue(func() *traits.Set { return w.traits.Set(traits.OfDelivery(jsontext.Parse(d.Body))) }),
		Said: func() string { return fmt.Sprintf("the delivery to %s in %s", d.Receiver, d.Test) }})
}

// headTraits are the traits of an answer of whose body nothing is said.
func headTraits(status int, header http.Header) func() []traits.Trait {
	return func() []traits.Trait { return traits.OfAnswer("", status, header.Get("Content-Type"), 0, nil) }
}

// sightOf is something that a request has led to, and that has further traits.
func (w *viewer) sightOf(what string, q *observe.Request, answer func() *target.Exchange, o *subjects.Observation, more func() []traits.Trait) Sight {
	o.Asks(w.Target, q)
	return Sight{Seen: o, What: what, Answer: sync.OnceValue(answer),
		Request: func() *target.Request { return requestOf(q) },
		Traits:  sync.OnceValue(func() *traits.Set { return w.traits.Set(append(traits.OfRequest(q), more()...)) }),
		Said:    func() string { return fmt.Sprintf("%s %s in %s", q.Method, q.URL, q.Test) }}
}

// requestOf is a request as reports show it.
func requestOf(asked *observe.Request) *target.Request {
	q := &target.Request{Request: wire.Request{Method: asked.Method, URL: asked.URL, Raw: asked.Raw, Body: asked.Body}, Route: asked.Route, Identity: asked.Identity, Actor: asked.Actor}
	for _, h := range asked.Header {
		q.Header = append(q.Header, suites.Header{Name: h.Name, Value: h.Value})
	}
	return q
}
