// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/coder/websocket"
	"github.com/gobwas/ws"
	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// goodbyeTime bounds the closing of a connection that nobody judges any more.
const goodbyeTime = time.Second

// maxRepeated bounds a hand-made payload.
const maxRepeated = 256 << 20

// binaryMode is the subprotocol under which terminal bytes go as binary messages.
const binaryMode = "pty-ws.v1.binary"

// socketStep does a step on the actor's socket.
func (t terminal) socketStep(ctx context.Context, step *suites.Step) *subjects.Observation {
	o := subjects.New()
	actor := t.actor(step)
	s := actor.socket
	if s == nil {
		o.Blocked = fmt.Sprintf("%s needs a socket, and no step before it has opened one for %s", step.Do.Verb(), actorName(actor.name))
		return o
	}
	o.SeenOn, o.SeenBy, o.After = s.route, actor.name, s.spoken()
	if s.tap != nil {
		s.tap.Resume()
	}
	var err error
	switch do := step.Do.(type) {
	case suites.Send:
		err = t.send(step, s, do, o)
	case suites.Type:
		err = t.typeAgain(ctx, step, s, do, o)
	case suites.Receive:
		err = t.receive(ctx, step, s, do, o)
	case suites.Silence:
		err = t.silence(ctx, step, s, do, o)
	case suites.Close:
		err = t.close(ctx, step, s, do, o)
	case suites.Cut:
		t.cut(s, do, o)
	default:
		err = fmt.Errorf("bug: %s is no step on a socket", step.Do.Verb())
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("given up: %w", context.Cause(ctx))
	}
	if s.flooded() {
		o.Partly = errFlood.Error() // what holds of the frames that came is not known to hold of all
		if len(o.Broken) > 0 {
			err = fmt.Errorf("%w: %s", errFlood, o.Broken[0].Err) // whether what was waited for would have come is not known
		}
	}
	if s.full.Load() {
		err = errFull // what the target would have done is not known
	}
	if err != nil {
		o.Cannot(err)
	}
	return o
}

func actorName(name string) string {
	if name == "" {
		return "the default actor"
	}
	return name
}

// send sends what a `send` step says. `sent` is the envelope as it went out.
func (t terminal) send(step *suites.Step, s *socket, do suites.Send, o *subjects.Observation) error {
	switch {
	case do.Frames != nil:
		s.said, s.made = "", "a hand-made frame"
		return t.sendFrames(step, s, do.Frames, o)
	case do.Text != nil:
		content, err := t.expandString(*do.Text)
		if err != nil {
			return err
		}
		switch op := opOf(content); {
		case len(content) > longestRead:
			s.said, s.made = "", "a long message"
		case op == "":
			s.said, s.made = "", "a message that is no envelope"
		default:
			s.said = op
		}
		t.say(step, s, o, websocket.MessageText, []byte(content))
		return nil
	}
	filled, err := t.expand(do.JSON)
	if err != nil {
		return err
	}
	members, is := target.WithCues(filled).(map[string]any)
	if !is {
		return fmt.Errorf("an envelope is an object, not %s", jsontext.Text(filled))
	}
	return t.sendEnvelope(step, s, o, members, do.Omit)
}

// sendEnvelope fills in what every envelope has and this one does not name: a fresh id, the time, an empty payload.
func (t terminal) sendEnvelope(step *suites.Step, s *socket, o *subjects.Observation, members map[string]any, omit []string) error {
	envelope := make(map[string]any, len(members)+3)
	for name, v := range members {
		envelope[name] = v
	}
	for name, fill := range map[string]func() any{
		"id":      func() any { return freshID() },
		"ts":      func() any { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") },
		"payload": func() any { return map[string]any{} },
	} {
		if _, given := envelope[name]; !given && !slices.Contains(omit, name) {
			envelope[name] = fill()
		}
	}
	said := envelope
	if s.compact != nil {
		s.mu.Lock()
		said = s.compact.Request(envelope)
		s.mu.Unlock()
	}
	message, err := jsontext.Marshal(said)
	if err != nil {
		return err
	}
	o.Value("sent", envelope)
	s.said = readers.MemberText(envelope, "op")
	t.say(step, s, o, websocket.MessageText, message)
	return nil
}

// longestRead is how many bytes of a written message are read for its operation.
const longestRead = 64 << 10

// opOf is the operation of a written message; "" of one that is no envelope, or is long.
func opOf(content string) string {
	if len(content) > longestRead {
		return ""
	}
	return readers.MemberText(jsontext.Parse([]byte(content)), "op")
}

// spoken is what its client has sent last, behind the last of what no client of the binding sends: what comes may come of either.
func (s *socket) spoken() string {
	if s.made == "" || s.said == "" {
		return s.made + s.said
	}
	return s.made + " and " + s.said
}

func freshID() string { return uuid.Must(uuid.NewV7()).String() }

// typeAgain types once, so many times, or until something holds. The pace is no wait that the contract imposes: it is not
// shortened.
func (t terminal) typeAgain(ctx context.Context, step *suites.Step, s *socket, do suites.Type, o *subjects.Observation) error {
	if do.Times == 0 && len(do.Until) == 0 {
		return t.typeText(step, s, do, o)
	}
	limit := t.within(step, t.run.options.Timeout)
	w := newWaiter(ctx, s, limit)
	defer w.stop()
	mark := s.now().messages
	for typed := 1; ; typed++ {
		next := time.Now().Add(do.Every.Min)
		if err := t.typeText(step, s, do, o); err != nil {
			return err
		}
		if typed == do.Times {
			next = time.Time{}
		}
		fits, goes, err := t.typedUntil(w, do, next)
		if err != nil {
			return err
		}
		if fits || !goes || typed == do.Times {
			s.mark = mark
			s.observe(o, s.show(w.state))
			if !fits && len(do.Until) > 0 {
				return t.unfitted(step, s, do.Until, w.state, limit, o)
			}
			return nil
		}
	}
}

// typedUntil waits until it is time to type again, or the condition holds. It says whether it does, and otherwise whether
// there is more to wait for.
func (t terminal) typedUntil(w *waiter, do suites.Type, next time.Time) (fits, goes bool, err error) {
	pause := time.NewTimer(time.Until(next))
	defer pause.Stop()
	for {
		w.state = w.s.now()
		if len(do.Until) > 0 {
			if fits, err := t.fitsNow(w.s, do.Until, w.state); fits || err != nil {
				return fits, true, err
			}
		}
		if w.s.over(w.state) != "" {
			return false, false, nil
		}
		select {
		case <-w.state.changed:
		case <-pause.C:
			return false, true, nil
		case <-w.limit.C:
			if !w.limit.goesOn() {
				return false, false, nil
			}
		case <-w.ctx.Done():
			return false, false, nil
		}
	}
}

// typeText is terminal input in the mode that the handshake ended with.
func (t terminal) typeText(step *suites.Step, s *socket, do suites.Type, o *subjects.Observation) error {
	content, err := t.typed(do)
	if err != nil {
		return err
	}
	frames := [][]byte{content}
	if do.Split > 0 {
		frames = slices.Collect(slices.Chunk(content, do.Split))
	}
	mark := s.now().messages
	for _, frame := range frames {
		if s.subprotocol() == binaryMode {
			t.say(step, s, o, websocket.MessageBinary, append([]byte("PW1I"), frame...))
			continue
		}
		if err := t.sendEnvelope(step, s, o, map[string]any{
			"op":      "pty.session_input",
			"payload": map[string]any{"data": base64.StdEncoding.EncodeToString(frame)},
		}, nil); err != nil {
			return err
		}
	}
	s.mark = mark // what answers the first frame may come before the last one is out
	return nil
}

// typed is what a `type` step types.
func (t terminal) typed(do suites.Type) ([]byte, error) {
	if do.Base64 == "" {
		content, err := t.expandString(do.Text)
		return []byte(content), err
	}
	content, err := t.expandString(do.Base64)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(content)
	if err != nil {
		return nil, fmt.Errorf("what is typed: %w", err)
	}
	return data, nil
}

// say sends one message. That it could not be sent is not held against the target here: a connection that is closed while
// we speak is what some requirements want to see. It shows in the evidence, and in whatever is waited for next.
func (t terminal) say(step *suites.Step, s *socket, o *subjects.Observation, kind websocket.MessageType, content []byte) {
	t.speak(step, s, o, func() error { return s.conn.Write(context.Background(), kind, content) })
}

func (t terminal) sendFrames(step *suites.Step, s *socket, frames []suites.WSFrame, o *subjects.Observation) error {
	made := make([][]byte, len(frames))
	for i, f := range frames {
		payload, err := t.framePayload(f)
		if err != nil {
			return err
		}
		header := ws.Header{Fin: f.Fin, OpCode: ws.OpCode(f.Opcode), Masked: !f.Unmasked, Rsv: ws.Rsv(f.RSV1, false, false)}
		if made[i], err = (wire.SentFrame{Header: header, Payload: payload}).Bytes(); err != nil {
			return err
		}
	}
	s.disturb(observe.SentByHand)
	t.speak(step, s, o, func() error {
		for _, frame := range made {
			if err := s.tap.Send(frame); err != nil {
				return err
			}
		}
		return nil
	})
	return nil
}

func (t terminal) framePayload(f suites.WSFrame) ([]byte, error) {
	content, err := t.expandString(f.Text)
	if err != nil {
		return nil, err
	}
	payload := []byte(content)
	if f.Base64 != "" {
		encoded, err := t.expandString(f.Base64)
		if err != nil {
			return nil, err
		}
		if payload, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return nil, fmt.Errorf("payload of a frame: %w", err)
		}
	}
	if f.Repeat > 1 {
		if len(payload) > maxRepeated/f.Repeat {
			return nil, fmt.Errorf("a frame of %d times %d bytes is too long", f.Repeat, len(payload))
		}
		payload = bytes.Repeat(payload, f.Repeat)
	}
	return payload, nil
}

// speak does the writing of a step. What came before the first byte went out cannot be an answer to it, and what comes
// afterwards can: that is where a silence behind this step begins.
func (t terminal) speak(step *suites.Step, s *socket, o *subjects.Observation, write func() error) {
	before := s.now()
	s.mark = before.messages
	s.observe(o, s.show(before))
	if s.tap == nil {
		o.Breaks(step.At, "socket", &assertions.Problem{Seen: "is not open: " + s.over(before)})
		return
	}
	limit := t.within(step, t.run.options.Timeout)
	s.tap.WriteUntil(time.Now().Add(limit))
	err := write()
	s.tap.WriteUntil(time.Time{})
	switch {
	case err == nil:
	case wire.IsOurs(err):
		o.Blocked = "the machine that runs the harness could not write: " + wire.Last(err)
	default:
		t.rec.Record("note", s.actor, unsent(err, limit), "", nil)
	}
}

// unsent says why something did not go out, or not all of it.
func unsent(err error, limit time.Duration) string {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "not all of it was sent: the executor did not take it within " + limit.String()
	}
	return "not all of it was sent: the connection was closed"
}

// cut loses the network, or falls silent.
func (t terminal) cut(s *socket, do suites.Cut, o *subjects.Observation) {
	if do.Mute {
		s.muted.Store(true)
		s.disturb(observe.NoPongs)
		t.rec.Record("note", s.actor, "Pings are not answered from here on", "", nil)
	} else if do.Deaf && s.tap != nil {
		s.disturb(observe.NotRead)
		s.tap.Pause()
		t.rec.Record("note", s.actor, "nothing is read until the next step", "", nil)
	} else if s.tap != nil {
		s.disturb(observe.HungUp)
		s.hangUp()
		s.settled = true
	}
	after := s.now()
	s.mark = after.messages
	s.observe(o, s.show(after))
}
