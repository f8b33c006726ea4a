// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
)

// receive waits until the condition fits. Where it is about a frame, that is the first one in arrival order that fits and
// that no earlier receive has taken. Each frame is judged together with what had come until then, so that the outcome
// does not depend on how much more has already arrived. A condition about the connection alone, such as its output,
// takes the frame that made it hold; when it holds without one, it takes none.
func (t terminal) receive(ctx context.Context, step *suites.Step, s *socket, do suites.Receive, o *subjects.Observation) error {
	limit := t.within(step, t.run.options.Timeout)
	w := newWaiter(ctx, s, limit)
	defer w.stop()
	judging := patience{ctx: ctx}
	for next, goes := 0, true; ; {
		for judging.begin(); next < w.state.messages; next++ {
			if s.message(next).Taken {
				continue
			}
			if err := judging.lasts(w.state.messages); err != nil {
				return err
			}
			fits, err := t.fitsFrame(s, do.Until, next)
			if err != nil {
				return err
			}
			if fits {
				s.message(next).Taken = true
				s.taken(o, next)
				return nil
			}
		}
		if fits, err := t.fitsNow(s, do.Until, w.state); err != nil || fits {
			s.observe(o, s.show(w.state))
			if w.state.messages > 0 && !asks(do.Until, "exchange") {
				o.Value("frame", s.frames(w.state.messages)[w.state.messages-1])
			}
			return err
		}
		if !goes || s.over(w.state) != "" {
			break
		}
		answered := listens(t.player)
		goes = w.wait()
		answered()
	}
	s.observe(o, s.show(w.state))
	return t.unfitted(step, s, do.Until, w.state, limit, o)
}

// taken shows the frame that a receive took. The step ended when that frame came.
func (s *socket) taken(o *subjects.Observation, i int) {
	s.mark = max(s.mark, i+1)
	now := s.now()
	s.seen = max(s.seen, i+1)
	at := s.asOf(s.seen - 1)
	at.closing = now.closing
	s.observe(o, s.show(at))
	o.Value("frame", s.frames(i + 1)[i])
}

// show notes what a step is shown of the connection: never less than a step before it.
func (s *socket) show(at state) state {
	s.seen = max(s.seen, at.messages)
	at.messages = s.seen
	s.settled = s.settled || at.closing.first != ""
	return at
}

// fitsFrame says whether the condition holds of message i, as of its arrival, and because of it.
func (t terminal) fitsFrame(s *socket, condition []suites.Expectation, i int) (bool, error) {
	o := subjects.New()
	s.observe(o, s.asOf(i))
	o.Set("frame", func() any { return s.frames(i + 1)[i] })
	fits, err := t.holds(condition, o)
	if err != nil || !fits || asks(condition, "frame") {
		return fits, err
	}
	already, err := t.fitsNow(s, condition, state{messages: i, wire: s.message(i).WireEnd - 1})
	return !already, err
}

// fitsNow says whether a condition that does not ask for a frame holds of the connection as it is.
func (t terminal) fitsNow(s *socket, until []suites.Expectation, at state) (bool, error) {
	if asks(until, "frame") {
		return false, nil
	}
	o := subjects.New()
	s.observe(o, at)
	return t.holds(until, o)
}

// asks says whether a condition is about that subject.
func asks(condition []suites.Expectation, subject string) bool {
	for _, e := range condition {
		if e.Subject.Head() == subject {
			return true
		}
	}
	return false
}

// unfitted says that what a receive waited for did not come.
func (t terminal) unfitted(step *suites.Step, s *socket, until []suites.Expectation, at state, limit time.Duration, o *subjects.Observation) error {
	ending, breaks := fmt.Sprintf("within %s", limit), o.WaitsInVain
	if over := s.over(at); over != "" {
		breaks = o.Breaks
		ending = "before the end: " + over
		if s.tap == nil {
			ending = "because " + over
		}
	}
	if asks(until, "frame") {
		if softensAbsence(step) {
			o.NoAnswer, o.InVain = fmt.Sprintf("no frame fitted %s; %s", ending, s.others(at)), s.over(at) == ""
			return nil
		}
		wanted, err := t.wanted(until)
		breaks(step.At, "frame", &assertions.Problem{
			Seen:   fmt.Sprintf("is missing (no frame fitted %s; %s)", ending, s.others(at)),
			Wanted: wanted,
		})
		return err
	}
	for _, e := range until {
		e, err := t.fill(e)
		if err != nil {
			return err
		}
		var problem *assertions.Problem
		if err := e.Want.Judge(o.At(e.Subject)); errors.As(err, &problem) {
			told := *problem
			told.Seen += " (it did not fit " + ending + ")"
			breaks(step.At, e.Subject.String(), &told)
			return nil
		} else if err != nil {
			return err
		}
	}
	return fmt.Errorf("bug: the condition holds after all")
}

// softensAbsence says whether a step softens that no frame comes: it has a softened expectation of the frame as such.
func softensAbsence(step *suites.Step) bool {
	return slices.ContainsFunc(step.Softened, func(s suites.Softened) bool {
		return slices.ContainsFunc(s.Expect, func(e suites.Expectation) bool { return e.Subject.String() == "frame" })
	})
}

// wanted writes the frame that was waited for: `op "Error", payload.code "INVALID_REQUEST"`. What a word wants is what it
// says when there is nothing.
func (t terminal) wanted(until []suites.Expectation) (string, error) {
	var parts []string
	for _, e := range until {
		e, err := t.fill(e)
		if err != nil {
			return "", err
		}
		var problem *assertions.Problem
		if !errors.As(e.Want.Judge(assertions.Missing), &problem) || problem.Wanted == "" {
			continue
		}
		place := e.Subject.String()
		if e.Subject.Head() == "frame" {
			place = e.Subject.Tail().String()
		}
		parts = append(parts, strings.TrimSpace(place+problem.Path+" "+problem.Wanted))
	}
	return strings.Join(parts, ", "), nil
}

// silence waits, and breaks when something comes that fits. It looks at what came since the actor's previous step:
// behind the frame that a receive took, or since the first byte of a send went out.
func (t terminal) silence(ctx context.Context, step *suites.Step, s *socket, do suites.Silence, o *subjects.Observation) error {
	quiet := t.hold(do.For)
	w := newWatcher(ctx, s, quiet)
	defer w.stop()
	defer t.rests(quiet)()
	judging := patience{ctx: ctx}
	for next, goes := s.mark, true; ; {
		for judging.begin(); next < w.state.messages; next++ {
			if err := judging.lasts(w.state.messages); err != nil {
				return err
			}
			fits, err := true, error(nil)
			if do.Of != nil {
				fits, err = t.fitsFrame(s, do.Of, next)
			}
			if err != nil {
				return err
			}
			if fits {
				s.taken(o, next)
				m := s.message(next)
				o.Breaks(step.At, "frame", &assertions.Problem{
					Seen:   fmt.Sprintf("is %s, %s after the upgrade", m.Brief(), m.At.Round(time.Millisecond)),
					Wanted: "nothing for " + quiet.String(),
				})
				return nil
			}
		}
		if do.Of != nil {
			if fits, err := t.fitsNow(s, do.Of, w.state); err != nil || fits {
				s.mark = w.state.messages
				s.observe(o, s.show(w.state))
				o.Breaks(step.At, do.Of[0].Subject.String(), &assertions.Problem{
					Seen: "fits what must not come", Wanted: "not within " + quiet.String()})
				return err
			}
		}
		if !goes || s.over(w.state) != "" {
			break
		}
		goes = w.wait()
	}
	s.mark = w.state.messages
	if s.lost(w.state) && !s.settled {
		// Nobody can hear anything on a lost connection, so nothing was measured.
		return fmt.Errorf("silence could not be listened to: %s", s.over(w.state))
	}
	s.observe(o, s.show(w.state))
	return nil
}

// A patience bounds how long a step may look at what has come. Nothing that arrived in time is passed over for being
// looked at late; but each message is judged with all that came before it, and a flood of small ones would take hours.
type patience struct {
	ctx   context.Context
	since time.Time
	spent time.Duration
}

const (
	// maxJudging is far more than any number of frames that a terminal has reason to send takes.
	maxJudging = 5 * time.Second
	// orderly is a number of messages that no flood is told by: when looking at fewer takes long, the machine of the run is
	// busy, and is waited for a while longer.
	orderly = 5000
)

// begin starts a look at what has come since the last one; the time until then is not counted.
func (p *patience) begin() { p.since = time.Now() }

// lasts says no when the looking has taken too long, or the run was given up.
func (p *patience) lasts(messages int) error {
	now := time.Now()
	p.spent, p.since = p.spent+now.Sub(p.since), now
	switch {
	case p.ctx.Err() != nil:
		return errors.New("the run was given up")
	case p.spent > maxJudging && (messages > orderly || p.spent > 6*maxJudging):
		return fmt.Errorf("%d messages came, too many to judge one by one within %s", messages, maxJudging)
	}
	return nil
}

// A waiter follows the state of a socket for a limited time.
type waiter struct {
	ctx   context.Context
	s     *socket
	limit *limit
	state state
}

// newWaiter waits for something to come. What was not seen because the machine did not let the harness look is given back.
func newWaiter(ctx context.Context, s *socket, most time.Duration) *waiter {
	return &waiter{ctx: ctx, s: s, limit: newLimit(most, s.pulse), state: s.now()}
}

// newWatcher waits for nothing to come: it does not look longer than that.
func newWatcher(ctx context.Context, s *socket, quiet time.Duration) *waiter {
	return &waiter{ctx: ctx, s: s, limit: newLimit(quiet, nil), state: s.now()}
}

// wait waits for the state to change. It returns false when the time is up; the state is the newest in any case.
func (w *waiter) wait() bool {
	inTime, goesOn := true, true
	for goesOn {
		goesOn = false
		select {
		case <-w.state.changed:
		case <-w.limit.C:
			goesOn = w.limit.goesOn()
			inTime = goesOn
		case <-w.ctx.Done():
			inTime = false
		}
	}
	w.state = w.s.now()
	return inTime
}

func (w *waiter) stop() { w.limit.Stop() }
