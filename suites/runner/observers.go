// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A teller tells the observers of the run what a player does.
type teller struct{ *player }

// request is a request as they are told of it.
func (p teller) request(q *target.Request) observe.Request {
	told := observe.Request{Source: observe.Source{Test: p.test.ID, Row: p.row, Actor: q.Actor, Identity: q.Identity, Given: p.given},
		Method: q.Method, URL: q.URL, Route: q.Route, Header: fields(q.Header), Body: q.Body, Streamed: q.Streamed, Raw: q.Raw}
	if q.Call != nil {
		told.Operation, told.Binding, told.Params = q.Call.Operation, q.Call.At.Binding, q.Call.Params
	}
	return told
}

func fields(header []suites.Header) []observe.Field {
	told := make([]observe.Field, len(header))
	for i, h := range header {
		told[i] = observe.Field{Name: h.Name, Value: h.Value}
	}
	return told
}

// isJudged says whether a request is one to the target: to its own origin, or of an operation to an interface of its card, wherever that is.
func isJudged(r *run, q *target.Request) bool { return q.Call != nil || r.IsTarget(q.URL) }

// asked tells the observers of a request that is about to be sent to the target.
func (p teller) asked(q *target.Request) {
	if isJudged(p.run, q) {
		told := p.request(q)
		p.run.observers.Asked(&told)
	}
}

// exchange tells the observers of an exchange with the target.
func (p teller) exchange(x *target.Exchange) { p.answer(x, p.request(x.Request)) }

func (p teller) answer(x *target.Exchange, q observe.Request) {
	if x.Unsent != nil || !isJudged(p.run, x.Request) {
		return
	}
	body := x.Body
	x.JSON = func() any { return jsontext.Parse(body) }
	if !jsontext.IsHeavy(body) { // what is heavy is not held in two forms for longer than somebody looks at it
		x.JSON = sync.OnceValue(x.JSON)
	} else if target.Ended(p.ctx) != nil && !p.weight.Holds() { // it came when nobody's turn came any more
		return
	}
	if len(q.Body) > jsontext.Heavy {
		p.run.longAsked.Lock()
		defer p.run.longAsked.Unlock()
	}
	p.run.observers.Exchange(&observe.Exchange{Request: q, Began: x.Began, Took: x.Took, Status: x.Status, Header: x.Header,
		Body: x.Body, JSON: x.JSON, Problem: x.Problem, Cut: x.Cut, Unread: x.Unread, Ours: x.Ours || p.ctx.Err() != nil && x.Problem != ""})
}

// What observers are told of a stream they are told before the steps that look at it: a step that comes after it may ask
// an observer.

// tellOpened tells them of a stream whose header has come, unless that is none of an event stream.
func (s *stream) tellOpened(began time.Time, answer *http.Response) {
	streams := answer.StatusCode >= 200 && answer.StatusCode <= 299 && (s.request.IsGRPC() || isEventStream(answer.Header.Get("Content-Type")))
	if !streams || !isJudged(s.p.run, s.request) {
		return
	}
	s.observed = &observe.Stream{Request: s.asked, Began: began, Status: answer.StatusCode, Header: answer.Header}
	s.p.run.observers.StreamOpened(s.observed)
}

func (s *stream) tellEvent(e observe.Event) {
	if s.observed != nil {
		s.tells = append(s.tells, e)
		s.p.run.observers.StreamEvent(s.observed, &e)
	}
}

// tellEnded tells them of the end of a stream, or of the exchange that a request for one has become.
func (s *stream) tellEnded(after time.Duration, byHarness, clean bool, problem string, ours bool) {
	s.mu.Lock()
	raw, comments := s.raw, len(s.comments)
	lost := s.p.run.pulse.Lost(s.began.Add(s.lastAt), s.began.Add(after))
	s.mu.Unlock()
	if s.observed == nil {
		cut := s.status != 0 && !clean && !byHarness && !ours
		switch {
		case cut:
			problem = "the body was cut: " + problem
		case byHarness && problem == "":
			problem = "it was cut by the harness"
		}
		teller{s.p.player}.answer(&target.Exchange{Exchange: wire.Exchange{Began: s.began, Took: after, Status: s.status, Header: s.header, Body: raw,
			Problem: problem, Cut: cut, Ours: ours || byHarness}, Request: s.request}, s.asked)
		return
	}
	s.p.run.observers.StreamEnded(s.observed, &observe.StreamEnd{After: after, Lost: lost, ByHarness: byHarness, Clean: clean, Problem: problem,
		Events: s.tells, Comments: comments, Raw: raw})
}

// eventTold is an event as observers are told of it.
func eventTold(e assertions.Event, at time.Duration, seen map[string]any) observe.Event {
	return observe.Event{Name: e.Name, ID: e.ID, HasID: e.HasID, Data: e.Data, Retry: e.Retry, At: at, Seen: seen}
}

// ptyWS is how connections of the binding are told, as far as no dialect was named.
const ptyWS = "pty-ws/v1"

// connection tells the observers of an upgrade; it is nil for one of another server.
func (p teller) connection(q *target.Request, result wire.Handshake, subprotocol string, byHand bool) *observe.Connection {
	if !p.run.IsTarget(q.URL) {
		return nil
	}
	c := &observe.Connection{Request: p.request(q), ID: p.run.connections.Add(1), Status: result.Status, Header: result.Header, Refusal: result.Body,
		Problem: result.Problem, Ours: result.Ours || p.ctx.Err() != nil && result.Problem != "", Subprotocol: subprotocol,
		Dialect: cmp.Or(p.run.Config.PTYDialect, ptyWS), HandMade: byHand}
	if address, err := url.Parse(q.URL); err == nil {
		c.Role = address.Query().Get("role")
		if at := target.AttachPath.FindStringSubmatch(address.EscapedPath()); at != nil {
			c.Session = at[1]
			if id, err := url.PathUnescape(at[1]); err == nil {
				c.Session = id
			}
		}
	}
	return c
}

// tellFrame tells them of a frame, and of the message that it completes. The lock must be held: it keeps the order.
func (s *socket) tellFrame(f *wire.Frame) {
	if s.observed == nil {
		return
	}
	s.observers.Frame(s.observed, &observe.Frame{FromHarness: f.FromHarness, Opcode: byte(f.OpCode), Fin: f.Fin, Reserved: f.Rsv, Masked: f.Masked,
		Length: f.Length, Payload: f.Payload, Whole: f.Whole(), At: f.At, Arrived: s.opened.Add(f.At)})
	if f.FromHarness && f.Whole() {
		s.tellSent(f)
	}
}

// tellSent puts the messages of ours together, which nobody else has to read.
func (s *socket) tellSent(f *wire.Frame) {
	switch f.OpCode {
	case ws.OpText, ws.OpBinary:
		s.saying = &ptyws.Message{Opcode: f.OpCode}
	case ws.OpContinuation:
		if s.saying == nil {
			return
		}
	default:
		return
	}
	m := s.saying
	m.Length += f.Length
	if len(m.Raw) < maxSent {
		m.Raw = append(m.Raw, f.Payload...)
	}
	if !f.Fin {
		return
	}
	s.saying = nil
	if m.At = f.At; m.Opcode == ws.OpText && m.Length == int64(len(m.Raw)) {
		m.Members = ptyws.Object(m.Raw)
	}
	s.tellMessage(m, true)
}

// tellMessage tells them of a whole message. The lock must be held.
func (s *socket) tellMessage(m *ptyws.Message, fromHarness bool) {
	if s.observed == nil {
		return
	}
	s.observers.Message(s.observed, &observe.Message{FromHarness: fromHarness, Opcode: byte(m.Opcode), Payload: m.Raw, Length: m.Length, JSON: m.Members,
		Unread: m.Unread || m.Length != int64(len(m.Raw)), At: m.At, Arrived: s.opened.Add(m.At)})
}

// tellClosed tells them that nothing more can come. The lock must be held.
func (s *socket) tellClosed() {
	if s.observed == nil {
		return
	}
	c := s.closing
	end := &observe.ConnectionEnd{ByHarness: c.first == "harness", Code: 1006, Broken: c.broken, At: c.endedAt}
	if c.got != nil {
		end.Code, end.Reason, end.Clean = c.got.Closing()
	}
	if c.sent != nil {
		end.Sent, _, _ = c.sent.Closing()
	}
	s.observers.ConnectionEnded(s.observed, end)
}

// disturb notes for the observers what the harness has done to the connection on purpose.
func (s *socket) disturb(how int32) {
	if s.observed != nil {
		s.observed.Disturb(how)
	}
}

// hook tells them that a hook was asked.
func (p teller) hook(step *suites.Step, name string, err error) {
	told := observe.Hook{Source: observe.Source{Test: p.test.ID, Row: p.row, Actor: p.actor(step).name, Given: p.given}, Name: name}
	if err != nil {
		told.Problem = err.Error()
	}
	p.run.observers.Hook(&told)
}

// sessionError is why there is no session.
func sessionError(id, detail string) error {
	if id != "" {
		return nil
	}
	return errors.New(detail)
}
