// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/dialect"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A terminal is a player that speaks over WebSocket.
type terminal struct{ *player }

// open does the handshake of an `open` step. On 101 the actor has a socket; so it has after a refusal, one that has
// ended before it began, so that a later step can accept either a refusal or a close right after the upgrade.
func (t terminal) open(ctx context.Context, step *suites.Step, a suites.Open) *subjects.Observation {
	o := subjects.New()
	actor := t.actor(step)
	if actor.socket != nil {
		actor.socket.goodbye(goodbyeTime)
		actor.socket.release()
		actor.socket = nil
	}
	u, err := t.upgrade(step, a)
	if err != nil {
		o.Cannot(err)
		return o
	}
	if o.Unsent = t.run.Mute(u.Address.String()); o.Unsent != nil {
		return o
	}
	if err := t.run.Client.Wait(ctx); err != nil {
		o.Blocked = "the run was given up"
		return o
	}
	var translation *ptyws.Compact
	if t.run.Config.PTYDialect == dialect.Compact {
		translation = &ptyws.Compact{}
		if translation.Replays, err = t.askedAhead(step, u.Address); err != nil {
			o.Cannot(err)
			return o
		}
	}
	q := &target.Request{Request: wire.Request{Method: u.Method, URL: u.Address.String(), Header: u.Header, Limit: u.Limit}, Identity: t.identity(step), Unpaced: a.Unpaced, Actor: actor.name, Upgrades: true, Route: t.route(u.Method, a.URL)}
	result, tap := t.shake(ctx, u, q)
	s := newSocket(result, actor.name, t.rec.Record)
	s.held, s.compact, s.guard, s.pulse = t.run.received, translation, t.run.Guard, t.run.pulse
	s.route = subjects.SocketRoute(q.Route)
	subprotocol, _ := s.subprotocol().(string)
	s.observed = teller(t).connection(q, result, subprotocol, a.Raw != nil)
	if s.observed != nil {
		s.observed.Opened, s.observers = s.opened, t.run.observers
		s.observers.ConnectionOpened(s.observed)
	}
	if strings.HasPrefix(u.Address.String(), t.run.Place.Base+"/") {
		s.started = t.created.TerminalTask
	}
	switch {
	case tap != nil:
		t.rec.Record("opened", actor.name, result.Line, headerText(result.Header), nil)
		if err := s.start(tap); err != nil {
			o.Blocked = err.Error()
			return o
		}
	case result.Status != 0:
		t.rec.Record("response", actor.name, result.Line, headerText(result.Header), result.Body)
	case ctx.Err() != nil:
		o.Blocked = "the run was given up"
		return o
	default:
		t.rec.Record("note", actor.name, "no answer: "+result.Problem, "", nil)
	}
	if !result.Ours {
		t.contact.Note(q, result.Status != 0 && !result.Late, result.Problem)
	}
	actor.socket = s
	s.observe(o, s.now())
	o.Request = q
	caller(t).asked(q, result.Status, result.Ours)
	if result.Problem != "" {
		o.NoAnswer, o.InVain = result.Problem, result.InVain
		o.Value("error", result.Problem)
	}
	if target.PutsOff(&t.run.Target, q, result.Status) {
		o.Unsent = refusedAsTooFast()
	}
	if result.Ours {
		o.Blocked = "the machine that runs the harness could not open the connection: " + result.Problem
	}
	return o
}

// shake does the handshake of a connection, again as long as it is put off.
func (t terminal) shake(ctx context.Context, u wire.Upgrade, q *target.Request) (wire.Handshake, *wire.Tap) {
	head, rest, _ := strings.Cut(u.Text(), "\r\n")
	header := strings.ReplaceAll(strings.TrimSpace(rest), "\r\n", "\n")
	for off := (target.PutOff{}); ; {
		t.rec.Record("request", q.Actor, head, header, nil)
		answered := listens(t.player)
		result, tap := t.run.Client.Dialer.Shake(ctx, u)
		answered()
		if tap != nil || !target.PutsOff(&t.run.Target, q, result.Status) || !putOff(ctx, t.player, &off, result.Header) {
			return result, tap
		}
		t.rec.Record("response", q.Actor, result.Line, headerText(result.Header), result.Body)
		if t.run.Client.Wait(ctx) != nil {
			return result, nil
		}
	}
}

func newSocket(result wire.Handshake, actor string, record func(kind, actor, head, header string, body []byte)) *socket {
	return &socket{
		handshake: result, actor: actor, record: record, opened: time.Now(),
		done: make(chan struct{}), changed: make(chan struct{}),
	}
}

// start begins the conversation on a connection whose handshake is done.
func (s *socket) start(t *wire.Tap) error {
	t.Count = s.count
	t.In = &wire.FrameReader{Keep: maxMessage, OnFrame: s.takeFrame}
	t.Out = &wire.FrameReader{FromHarness: true, Keep: maxSent, OnFrame: func(f *wire.Frame) {
		t.CloseSent = t.CloseSent || f.OpCode == ws.OpClose
		s.takeFrame(f)
	}}
	conn, err := wire.Converse(t, func() bool { return !s.muted.Load() })
	if err != nil {
		t.HangUp()
		return err
	}
	// The library's finalizer would keep the connection, and with it all that came, for ever: the connection leads back to
	// itself through the tap.
	runtime.SetFinalizer(conn, nil)
	s.tap, s.conn = t, conn
	go func() {
		if s.guard != nil {
			defer s.guard("reading a connection")
		}
		s.read()
	}()
	return nil
}

// offers are the tokens of a handshake's list. A name that stands for a list (a cell of a table) offers all of it.
func (t terminal) offers(tokens []string) ([]string, error) {
	var offers []string
	for _, token := range tokens {
		v, err := t.expand(token)
		if err != nil {
			return nil, err
		}
		list, is := v.([]any)
		if !is {
			list = []any{v}
		}
		for _, v := range list {
			offers = append(offers, jsontext.Text(v))
		}
	}
	return offers, nil
}

// upgrade makes the handshake of a step. A header of the step takes the place of the default ones of its name, those of
// the handshake itself included; the hand-made parts come last.
func (t terminal) upgrade(step *suites.Step, a suites.Open) (wire.Upgrade, error) {
	address, err := t.expandAddress(a.URL)
	if err != nil {
		return wire.Upgrade{}, err
	}
	u := wire.Upgrade{Method: "GET", Limit: t.run.pulse.Longer(t.within(step, t.run.options.Timeout))}
	if u.Address, err = wire.UpgradeURL(address); err != nil {
		return wire.Upgrade{}, err
	}
	offers, err := t.offers(a.Subprotocol)
	if err != nil {
		return wire.Upgrade{}, err
	}
	own, err := t.expandHeader(a.Header)
	if err != nil {
		return wire.Upgrade{}, err
	}
	var defaults []suites.Header
	if t.test.Suite != nil {
		if defaults, err = t.expandHeader(t.test.Suite.Header); err != nil {
			return wire.Upgrade{}, err
		}
	}
	u.Header = t.run.HandshakeHeader(u.Address, offers, t.identity(step))
	u.Header = target.Override(target.Override(u.Header, defaults), own)
	if a.Raw != nil {
		err = t.handmade(&u, a.Raw)
	}
	return u, err
}

// handmade changes a handshake in the ways that only a hand-made one can have.
func (t terminal) handmade(u *wire.Upgrade, raw *suites.RawHandshake) error {
	if raw.Method != "" {
		method, err := t.expandString(raw.Method)
		if err != nil {
			return err
		}
		if u.Method = method; method != "GET" && method != "HEAD" {
			u.Header = append(u.Header, suites.Header{Name: "Content-Length", Value: "0"})
		}
	}
	for _, name := range raw.Omit {
		name, err := t.expandString(name)
		if err != nil {
			return err
		}
		u.Header = target.Override(u.Header, []suites.Header{{Name: name, Drop: true}})
	}
	u.Certificate = raw.Certificate
	replaced, err := t.expandHeader(raw.Replace)
	u.Header = target.Override(u.Header, replaced)
	return err
}

// expandHeader fills in the ${names} of headers. A header whose value is a name of nothing, as of the cell of a case, is not sent.
func (n *namer) expandHeader(header []suites.Header) ([]suites.Header, error) {
	filled := slices.Clone(header)
	for i, h := range header {
		v, err := n.expand(h.Value)
		if err != nil {
			return nil, err
		}
		if v == nil {
			filled[i].Value, filled[i].Drop = "", true
			continue
		}
		value, is := v.(string)
		if !is {
			if value, err = n.expandString(h.Value); err != nil {
				return nil, err
			}
		}
		if strings.ContainsAny(h.Name+value, "\r\n") {
			return nil, fmt.Errorf("header %q holds a line break", h.Name)
		}
		filled[i].Value = value
	}
	return filled, nil
}

// closeSockets ends what the test has left open, properly where the executor plays along, and within goodbyeTime. Where the time
// of the run is up, it has no more than moments.
func (p *player) closeSockets() {
	var all sync.WaitGroup
	limit := p.run.lastly(goodbyeTime)
	if limit < goodbyeTime {
		limit = min(limit, goodbyeTime/5)
	}
	for _, a := range p.actors {
		if s := a.socket; s != nil {
			all.Go(func() {
				defer p.run.Guard("closing a connection")
				s.goodbye(limit)
				s.release()
			})
		}
	}
	all.Wait()
}
