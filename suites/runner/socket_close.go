// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// close says goodbye, or waits for the executor's. Then the executor has as long again to end the connection, which is
// the server's part (RFC 6455 section 7.1.1); whether it did is `closed.ended`. Where it closed by itself, after an
// error perhaps, it need not be quick: it gets goodbyeTime.
func (t terminal) close(ctx context.Context, step *suites.Step, s *socket, do suites.Close, o *subjects.Observation) error {
	reason, err := t.expandString(do.Reason)
	if err != nil {
		return err
	}
	limit := t.within(step, t.run.options.Timeout)
	if s.tap == nil {
		s.observe(o, s.show(s.now()))
		return nil
	}
	before := s.now()
	if !do.Wait && before.closing.sent == nil && !before.closing.ended {
		s.mark = before.messages
		if err := s.sayClose(do.Code, reason, limit); err != nil {
			t.rec.Record("note", s.actor, unsent(err, limit), "", nil)
		}
	}
	at := s.until(ctx, limit, func(c closing) bool { return c.got != nil })
	if at.closing.got != nil {
		again := limit
		if do.Wait {
			again = min(limit, goodbyeTime)
		}
		at = s.until(ctx, again, func(closing) bool { return false })
	}
	if do.Wait {
		s.mark = at.messages
	}
	s.observe(o, s.show(at))
	if do.Wait && at.closing.first == "" {
		o.Breaks(step.At, "closed", &assertions.Problem{
			Seen:   fmt.Sprintf("is missing (the connection was still open after %s; %s)", limit, s.others(at)),
			Wanted: "a Close frame of the executor",
		})
	}
	s.hangUp()
	return nil
}

// until waits until the connection has ended, or the condition holds, or the time is up.
func (s *socket) until(ctx context.Context, limit time.Duration, holds func(closing) bool) state {
	w := newWaiter(ctx, s, limit)
	defer w.stop()
	for !w.state.closing.ended && !holds(w.state.closing) && w.wait() {
	}
	return w.state
}

// sayClose sends a Close frame. coder/websocket does not learn of it: its own Close waits for the answer itself, and
// would answer the answer; the tap keeps it from saying more.
func (s *socket) sayClose(code int, reason string, limit time.Duration) error {
	var body []byte // code 0: none, which is as lawful
	if code != 0 {
		body = ws.NewCloseFrameBody(ws.StatusCode(code), reason)
	}
	frame, err := wire.SentFrame{Header: ws.Header{Fin: true, OpCode: ws.OpClose, Masked: true}, Payload: body}.Bytes()
	if err != nil {
		return err
	}
	s.tap.WriteUntil(time.Now().Add(limit))
	defer s.tap.WriteUntil(time.Time{})
	return s.tap.Send(frame)
}

// goodbye ends the connection, properly if the executor answers in time.
func (s *socket) goodbye(limit time.Duration) {
	if s.tap == nil {
		return
	}
	at := s.now()
	if !at.closing.ended {
		if at.closing.first == "" {
			// A goodbye that cannot be said is none.
			_ = s.sayClose(1000, "", limit)
		}
		s.until(context.Background(), limit, func(c closing) bool { return c.got != nil && c.sent != nil })
	}
	s.hangUp()
}

// hangUp ends the connection without another word. When it returns nothing of the socket runs any more.
func (s *socket) hangUp() {
	s.left.Store(true)
	s.mu.Lock()
	s.closing.cut = s.closing.cut || !s.closing.ended
	s.mu.Unlock()
	s.tap.HangUp()
	<-s.done
}
