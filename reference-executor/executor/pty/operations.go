// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"maps"
	"slices"
	"time"

	"github.com/gobwas/ws"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
	"golang.org/x/time/rate"
)

// An operation is what a client may ask for.
type operation struct {
	verb  bool  // of the extension, which must be activated
	needs Scope // what the principal must have
	run   func(c *connection, r *request) *frameError
}

// operations are the operations that are served; push notification configs are kept over HTTP+JSON.
var operations = map[string]operation{
	"SendMessage":             {needs: ScopeControl, run: runSendMessage},
	"SendStreamingMessage":    {needs: ScopeControl, run: runSendStreaming},
	"GetTask":                 {needs: ScopeObserve, run: runGetTask},
	"ListTasks":               {needs: ScopeObserve, run: runListTasks},
	"CancelTask":              {needs: ScopeControl, run: runCancelTask},
	"SubscribeToTask":         {needs: ScopeObserve, run: runSubscribe},
	"Unsubscribe":             {needs: ScopeObserve, run: runUnsubscribe},
	"UpdateServiceParameters": {needs: ScopeObserve, run: runUpdateParams},
	"ping":                    {needs: ScopeObserve, run: runPing},
	"pty.join_session":        {verb: true, needs: ScopeObserve, run: runJoin},
	"pty.leave_session":       {verb: true, needs: ScopeObserve, run: runLeave},
	"pty.session_input":       {verb: true, needs: ScopeObserve, run: runInput},
	"pty.session_resize":      {verb: true, needs: ScopeObserve, run: runResize},
	"pty.request_role":        {verb: true, needs: ScopeObserve, run: runRequestRole},
	"pty.request_keyframe":    {verb: true, needs: ScopeObserve, run: runRequestKeyframe},
}

// setOperation changes what one operation does; the table itself is shared.
func (b *Behaviour) setOperation(name string, change func(operation) operation) {
	b.operations = maps.Clone(b.operations)
	b.operations[name] = change(b.operations[name])
}

// receive takes one message.
func (c *connection) receive(m websocket.Message) {
	if c.out.Owes(maxOwed) {
		c.end(closeInternal, "the client does not read")
		return
	}
	if m.Opcode == ws.OpBinary {
		c.receiveBinary(m.Payload)
		return
	}
	for _, text := range c.b.reading.split(c, m.Payload) {
		r, err := parseEnvelope(&c.b.reading, text)
		if err == nil {
			err = c.serve(r)
		}
		if err != nil {
			c.refuse(r.id, err)
		}
	}
}

func (c *connection) receiveBinary(frame []byte) {
	input, err := c.b.reading.binary(c, frame)
	if err == nil && len(input) > 0 {
		err = c.session.input(c, &request{binary: true, ts: time.Now()}, input)
	}
	if err != nil {
		c.refuse("", err)
	}
}

// serve does what a request asks for.
func (c *connection) serve(r *request) *frameError {
	if err := c.hub.throttled(c); err != nil {
		return err
	}
	c.b.reading.params(c, r)
	c.b.reading.activate(c, r)
	c.b.reading.sequence(c, r)
	c.begun = true
	if err := c.b.reading.foreign(c, r); err != nil {
		return err
	}
	op, known := c.b.operations[r.op]
	if !known {
		return c.b.tasks.unknown(c, r)
	}
	if op.verb && !c.activated {
		return unsupported("the verbs of a terminal are available when " + ExtensionURI + " has been activated")
	}
	if c.scope < op.needs {
		return denied("the principal may only watch")
	}
	return op.run(c, r)
}

// activateVerbs looks for the extension among those that the upgrade or a frame names.
func activateVerbs(c *connection, r *request) {
	if slices.Contains(c.asked, ExtensionURI) || slices.Contains(r.extensions, ExtensionURI) {
		c.activated = true
	}
}

// refuseForeign holds that a connection serves one session: a payload may name no other.
func refuseForeign(c *connection, r *request) *frameError {
	for _, name := range []string{"session_id", "sessionId"} {
		if other, given := r.payload[name]; given && other != c.session.id {
			return badRequest("the payload names another session than the one of this connection")
		}
	}
	return nil
}

func runUpdateParams(c *connection, r *request) *frameError {
	m := members{v: r.payload}
	m.object("service_parameters", true)
	params := m.params("service_parameters")
	if m.err != nil {
		return m.err
	}
	c.b.tasks.update(c, params)
	c.say(reply("UpdateServiceParameters.Response", r.id, map[string]any{}))
	return nil
}

func runPing(c *connection, r *request) *frameError {
	m := members{v: r.payload}
	m.time("client_ts", true)
	if m.err != nil {
		return m.err
	}
	c.say(reply("pong", r.id, map[string]any{"client_ts": r.payload["client_ts"], "server_ts": now()}))
	return nil
}

// A throttle is the limits that an operator sets; zero means none.
type throttle struct {
	requests    int // each second and connection
	connections int // of one principal
	failing     int // how many requests will fail inside
}

// throttled holds the operator's limits.
func (h *Hub) throttled(c *connection) *frameError {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.throttle.failing > 0 {
		h.throttle.failing--
		return h.b.ending.internal(c)
	}
	if h.throttle.requests == 0 {
		c.budget = nil
		return nil
	}
	if c.budget == nil {
		c.budget = rate.NewLimiter(rate.Limit(h.throttle.requests), h.throttle.requests)
	}
	if c.budget.Allow() {
		return nil
	}
	return h.b.ending.throttled(c)
}
