// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/pulse"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

var (
	errStreamsFull = errors.New("the streams of the tests that run at once have sent more than the harness keeps; run fewer at once (--jobs)")
	errStreamLong  = fmt.Errorf("more than %d MiB or %d events came on one stream, and it was cut", maxStream>>20, maxEvents)
)

// openStream sends the request and reads the answer in the background.
func (p subscriber) openStream(q *target.Request) *stream {
	ctx, cancel := context.WithCancel(p.ctx)
	s := &stream{p: p, request: q, asked: teller{p.player}.request(q), began: time.Now(), cancel: cancel, done: make(chan struct{}), changed: make(chan struct{})}
	p.rec.Request(q)
	teller{p.player}.asked(q)
	go func() {
		defer close(s.done)
		defer cancel()
		defer p.run.Guard("reading a stream")
		s.read(ctx)
	}()
	return s
}

func (s *stream) read(ctx context.Context) {
	c := s.p.run.Client
	if err := c.Wait(ctx); err != nil {
		s.end(err, false)
		return
	}
	answer, at, err := s.send(ctx)
	s.p.noticedLoss(s.request)
	if s.p.run.IsTarget(s.request.URL) && !wire.IsOurs(err) && s.p.ctx.Err() == nil {
		s.p.contact.Note(s.request, err == nil, wire.Why(err, 0))
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) { // that was us: see giveUp
			s.p.asked(s.request, 0, wire.IsOurs(err))
		}
		s.end(err, false)
		return
	}
	s.p.asked(s.request, answer.StatusCode, false)
	defer answer.Body.Close()
	s.tellOpened(at, answer)
	s.change(func() {
		s.began = at
		s.status, s.line, s.header = answer.StatusCode, answer.Proto+" "+answer.Status, answer.Header
		s.headedAt = time.Since(s.began)
	})
	s.p.rec.About(s.request, evidence.Entry{Kind: "response", Actor: s.request.Actor, Head: s.line, Got: s.header})
	s.p.noticedHead(s.request, s.status, s.header)
	reader := &assertions.EventReader{}
	buffer := make([]byte, 32<<10)
	for {
		n, err := answer.Body.Read(buffer)
		if n > 0 && !s.arrived(buffer[:n], reader) {
			if s.full {
				s.end(errStreamsFull, true)
				return
			}
			s.change(func() { s.over = true })
			s.end(errStreamLong, true)
			return
		}
		if err != nil {
			if !s.isCut(err) {
				s.pending(reader)
			}
			s.end(err, true)
			return
		}
	}
}

// send sends the request, again if it was refused because the run asks too often, as [caller.paced] does. What is refused all the same shows
// nothing of what was asked.
func (s *stream) send(ctx context.Context) (answer *http.Response, at time.Time, err error) {
	for off := (target.PutOff{}); ; {
		s.change(func() { s.turns++ })
		answer, at, err = s.p.run.Client.Send(ctx, &s.request.Request)
		if err != nil || !target.PutsOff(&s.p.run.Target, s.request, answer.StatusCode) {
			return answer, at, err
		}
		s.change(func() { s.turns++ })
		if !putOff(ctx, s.p.player, &off, answer.Header) {
			s.change(func() { s.unsent = refusedAsTooFast() })
			return answer, at, err
		}
		answer.Body.Close()
		s.p.rec.Add(evidence.Entry{Kind: "response", Actor: s.request.Actor, Head: answer.Proto + " " + answer.Status, Got: answer.Header})
		if err = s.p.run.Client.Wait(ctx); err != nil {
			return nil, at, err
		}
		s.p.rec.Request(s.request)
	}
}

// arrived takes the next bytes; it says whether more may come.
func (s *stream) arrived(b []byte, reader *assertions.EventReader) bool {
	at := time.Since(s.began)
	events, comments := reader.Feed(b)
	seen := make([]map[string]any, len(events))
	for i, e := range events {
		seen[i] = s.eventOf(e, at, true)
		s.tellEvent(eventTold(e, at, seen[i]))
	}
	goOn := true
	s.change(func() {
		s.raw = append(s.raw, b...)
		for _, c := range comments {
			s.comments = append(s.comments, map[string]any{"text": c.Text, "at": subjects.Milliseconds(at)})
		}
		for _, e := range seen {
			if len(s.events) == 0 {
				s.firstAt = at
			}
			s.lastAt = at
			s.events = append(s.events, e)
		}
		cost := int64(len(b) + (len(events)+len(comments))*eventCost)
		s.holds += cost
		s.full = !s.p.run.streamed.Add(cost) && s.holds > freeStreamed
		goOn = !s.full && len(s.raw) < maxStream && len(s.events) < maxEvents && len(s.comments) < maxEvents && reader.Err() == nil
	})
	for i, e := range events {
		s.p.rec.About(s.request, evidence.Entry{Kind: "event", Actor: s.request.Actor, Head: strings.TrimSpace("event " + e.Name), Body: []byte(e.Data), Size: int64(len(e.Data))})
		if _, task := readers.Event(subjects.EventData(seen[i])); !assertions.IsMissing(task) {
			s.p.created.Task(s.request, task)
		}
	}
	return goOn
}

// isCut says whether a stream ended because the harness wanted no more of it.
func (s *stream) isCut(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cutByUs || errors.Is(err, context.Canceled)
}

// pending keeps an unfinished block for those who ask for events that are not complete. One that the harness did not wait for says nothing.
func (s *stream) pending(reader *assertions.EventReader) {
	if e, is := reader.Pending(); is && e.Data != "" {
		s.change(func() { s.events = append(s.events, s.eventOf(e, time.Since(s.began), false)) })
	}
}

// end notes how the stream ended.
func (s *stream) end(err error, headed bool) {
	at := time.Since(s.began)
	by, clean := "executor", errors.Is(err, io.EOF) && headed
	if s.isCut(err) {
		by, clean = "harness", true
	}
	s.mu.Lock()
	problem, ours, inVain := s.problem, s.ours, s.inVain
	s.mu.Unlock()
	if !clean && problem == "" {
		problem, ours, inVain = wire.Why(err, s.request.Limit), wire.IsOurs(err), wire.TimedOut(err)
	}
	if errors.Is(err, errStreamLong) || errors.Is(err, errStreamsFull) {
		by = "harness"
	}
	s.tellEnded(at, by == "harness", clean, problem, ours)
	s.change(func() {
		s.closed = map[string]any{"by": by, "clean": clean, "after": subjects.Milliseconds(at)}
		if s.problem == "" {
			s.problem, s.ours, s.inVain = problem, ours, inVain
		}
	})
	if s.request.IsGRPC() || isEventStream(s.header.Get("Content-Type")) {
		s.p.created.Started(s.request, s.status, s.raw)
	} else { // what was asked for as a stream may be answered at once, and leaves as much behind
		s.p.created.Noticed(&target.Exchange{Exchange: wire.Exchange{Status: s.status, Header: s.header, Body: s.raw}, Request: s.request})
	}
	if len(s.events) == 0 && len(s.raw) > 0 {
		s.p.rec.About(s.request, evidence.Entry{Kind: "note", Actor: s.request.Actor, Head: "what came instead of events", Body: s.raw, Size: int64(len(s.raw))})
	}
	closed := fmt.Sprintf("closed by %s after %s", s.closed["by"], at.Round(time.Millisecond))
	if s.request.IsGRPC() && s.problem != "" {
		closed += ": " + s.problem
	}
	s.p.rec.Record("closed", s.request.Actor, closed, "", nil)
}

func (s *stream) change(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
	close(s.changed)
	s.changed = make(chan struct{})
}

// release gives back what the stream held. Nothing is read from it any more.
func (s *stream) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.released {
		s.released = true
		s.p.run.streamed.Give(s.holds)
	}
}

// age is how long ago the request was sent.
func (s *stream) age() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.began)
}

// headed is whether the header of the answer has come, or will not come any more. The lock must be held.
func (s *stream) headed() bool { return s.status != 0 || s.closed != nil }

// waitForHead waits for the header of the answer. Where the request has to wait for its turn, or is put off, the time begins again when it
// goes out.
func (s *stream) waitForHead(ctx context.Context, within time.Duration) bool {
	for {
		s.mu.Lock()
		turns := s.turns
		s.mu.Unlock()
		if !s.wait(ctx, within, func() bool { return s.headed() || s.turns != turns }) {
			return false
		}
		s.mu.Lock()
		headed := s.headed()
		s.mu.Unlock()
		if headed {
			return true
		}
	}
}

// named is whether it has shown which task it is of, or that it is of none. The lock must be held.
func (s *stream) named() bool {
	return s.hasAnswer() || s.status != 0 && (s.status < 200 || s.status > 299)
}

// ended is whether nothing will come any more. The lock must be held.
func (s *stream) ended() bool { return s.closed != nil }

// looksAtText says whether a stream is read until something holds of its bytes, whatever they are: then its end need not be near.
func looksAtText(until []suites.Expectation) bool {
	return slices.ContainsFunc(until, func(e suites.Expectation) bool { return e.Subject.Head() == "text" || e.Subject.Head() == "bytes" })
}

func isEventStream(kind string) bool {
	return strings.HasPrefix(strings.ToLower(kind), "text/event-stream")
}

// readRefusal reads an answer that is no event stream to its end, which is then near: its body says why.
func (s *stream) readRefusal(ctx context.Context, most time.Duration) {
	s.mu.Lock()
	status, kind := s.status, s.header.Get("Content-Type")
	s.mu.Unlock()
	switch {
	case status == 0, status == http.StatusOK && s.request.IsGRPC():
	case status < 200 || status > 299:
		s.wait(ctx, most, s.ended)
	case !isEventStream(kind) && !looksAtText(s.until):
		s.wait(ctx, min(most, time.Second), s.ended)
	}
}

// wait waits until something is so, at most that long, and says whether it is.
func (s *stream) wait(ctx context.Context, most time.Duration, so func() bool) bool {
	limit := s.p.run.limitOf(most)
	defer limit.Stop()
	defer listens(s.p.player)()
	for {
		s.mu.Lock()
		is, changed := so(), s.changed
		s.mu.Unlock()
		if is {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-limit.C:
			if limit.goesOn() {
				continue
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			return so()
		}
	}
}

// A limit is a time within which something has to come. The time in which the machine did not let the harness look for it does not count.
type limit struct {
	*time.Timer
	pulse *pulse.Pulse // nil: nothing is given back
	began time.Time
	most  time.Duration
}

func newLimit(most time.Duration, p *pulse.Pulse) *limit {
	most = max(most, 0)
	return &limit{Timer: time.NewTimer(most), pulse: p, began: time.Now(), most: most}
}

func (r *run) limitOf(most time.Duration) *limit {
	return newLimit(most, r.pulse)
}

// goesOn gives back what was lost since, once the timer has fired, and says whether there was something.
func (l *limit) goesOn() bool {
	left := l.pulse.Left(l.began, time.Now(), l.most)
	if left <= 0 {
		return false
	}
	l.Reset(left)
	return true
}

// giveUp ends a stream whose header did not come in time.
func (s *stream) giveUp(after time.Duration) {
	s.change(func() {
		if s.status == 0 && s.problem == "" {
			s.problem, s.inVain = "no answer within "+after.String(), true
			s.p.asked(s.request, 0, false)
		}
	})
	s.cut()
}

// leave ends a stream that nobody needs any more. One that starts a task is read until it has named it, if it does so soon:
// a task of which nobody knows the id cannot be cancelled, and would go on at the target.
func (s *stream) leave() {
	if s.request.StartsTask() {
		ctx, cancel := s.p.run.undoing(s.p.ctx, target.CancelTime)
		s.wait(ctx, target.CancelTime, s.named)
		cancel()
	}
	s.cut()
}

// cut ends the stream from our side and waits until its reader is gone.
func (s *stream) cut() {
	s.change(func() { s.cutByUs = s.cutByUs || s.closed == nil })
	s.cancel()
	<-s.done
}

// tally says how much has come.
func (s *stream) tally() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf(" (%d events, %d comments)", len(s.events), len(s.comments))
}
