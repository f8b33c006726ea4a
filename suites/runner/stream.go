// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// Bounds of what one stream may make us keep.
const (
	mostStream = 32 << 20 // bytes
	mostEvents = 100_000
)

// A stream is an actor's event stream. A goroutine of its own reads it, so that nothing that arrives is lost whatever
// the step waits for; steps look at what has arrived so far.
type stream struct {
	p       *player
	request *request
	began   time.Time
	cancel  context.CancelFunc
	done    chan struct{} // closed when the reader has ended

	// Of a background stream: what it is read for, judged by the step that awaits it.
	until       []suites.Expectation
	untilClosed bool
	held        time.Duration

	mu       sync.Mutex
	changed  chan struct{} // closed, and replaced, whenever something below changes
	status   int
	line     string
	header   http.Header
	headedAt time.Duration
	raw      []byte
	events   []any
	comments []any
	firstAt  time.Duration
	lastAt   time.Duration
	closed   map[string]any // nil: still open
	problem  string
	ours     bool
	cutByUs  bool
}

// stream is the verb: it opens an event stream and reads it as far as the step says.
func (p *player) stream(ctx context.Context, step *suites.Step, do suites.Stream) *observation {
	q, o := p.prepare(step, do.Request)
	if q == nil {
		return o
	}
	q.streamed = true
	if !hasHeader(q.header, "Accept") {
		q.header = append(q.header, suites.Header{Name: "Accept", Value: "text/event-stream"})
	}
	a := p.actor(step)
	if a.stream != nil {
		a.stream.cut()
	}
	// How long the stream may take is for the step to say; the header must come within the time of a request.
	headers := scale(p.run.options.Timeout, p.run.options.TimeFactor)
	within := p.within(step, p.run.options.Timeout)
	s := p.openStream(q)
	a.stream = s
	s.until, s.untilClosed, s.held = do.Until, do.UntilClosed, p.hold(do.For)
	if do.Background {
		s.wait(ctx, min(within, scale(2*time.Second, p.run.options.TimeFactor)), s.headed)
		return s.observe()
	}
	if !s.wait(ctx, max(headers, within), s.headed) && ctx.Err() == nil {
		s.giveUp(max(headers, within))
	}
	o = p.readOn(ctx, step, s, within, s.held)
	if do.Cut {
		s.cut()
		o = carry(s.observe(), o)
	}
	return o
}

// readOn reads a stream for what it was opened for.
func (p *player) readOn(ctx context.Context, step *suites.Step, s *stream, within, hold time.Duration) *observation {
	s.readRefusal(ctx, p.run.options.Timeout)
	left := within - s.age()
	if s.held > 0 {
		began := time.Now()
		s.wait(ctx, hold, s.ended)
		p.waited.Add(int64(time.Since(began)))
		return s.observe()
	}
	if s.untilClosed {
		ended := s.wait(ctx, left, s.ended)
		o := s.observe()
		if !ended {
			o.breaks(step.At, "closed", &assertions.Problem{Seen: "is missing: the stream is still open after " + within.String() + s.tally(),
				Wanted: "the end of the stream"})
		}
		return o
	}
	if len(s.until) == 0 {
		return s.observe()
	}
	return p.untilHolds(ctx, s.until, s, left, within)
}

// untilHolds reads until a condition holds of what has arrived.
func (p *player) untilHolds(ctx context.Context, until []suites.Expectation, s *stream, left, within time.Duration) *observation {
	timer := time.NewTimer(max(left, 0))
	defer timer.Stop()
	for {
		s.mu.Lock()
		changed, over := s.changed, s.closed != nil
		s.mu.Unlock()
		o := s.observe()
		unmet, problem, err := p.unmet(until, o)
		if err != nil {
			return p.unfilled(err)
		}
		if problem == nil {
			return o
		}
		late := ", and the stream has ended"
		if !over {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return o
			case <-timer.C:
				late = ", after " + within.String()
			}
			o = s.observe()
			if unmet, problem, err = p.unmet(until, o); problem == nil && err == nil {
				return o
			}
		}
		if err != nil {
			return p.unfilled(err)
		}
		o.breaks(unmet.At, unmet.Subject.String(), lengthened(problem, late+s.tally()))
		return o
	}
}

// awaitStream is `await: stream`: it reads on what was opened in the background.
func (p *player) awaitStream(ctx context.Context, step *suites.Step, do suites.Await) *observation {
	s := p.actor(step).stream
	if s == nil {
		o := newObservation()
		o.blocked = "no stream is open in the background"
		return o
	}
	if len(do.Until) > 0 || do.UntilClosed {
		s.until, s.untilClosed, s.held = do.Until, do.UntilClosed, 0
	}
	within := p.within(step, p.run.options.Timeout)
	left := within
	if s.held > 0 || step.Within == (suites.Duration{}) {
		left = max(within, s.held-s.age())
	}
	if !s.wait(ctx, left, s.headed) && ctx.Err() == nil {
		s.giveUp(left)
	}
	return p.readOn(ctx, step, s, s.age()+left, s.held-s.age())
}

// openStream sends the request and reads the answer in the background.
func (p *player) openStream(q *request) *stream {
	ctx, cancel := context.WithCancel(p.ctx)
	s := &stream{p: p, request: q, began: time.Now(), cancel: cancel, done: make(chan struct{}), changed: make(chan struct{})}
	p.recordRequest(q)
	go func() {
		defer close(s.done)
		defer cancel()
		defer p.run.guard("reading a stream")
		s.read(ctx)
	}()
	return s
}

func (s *stream) read(ctx context.Context) {
	c := s.p.run.client
	if err := c.wait(ctx); err != nil {
		s.end(err, false)
		return
	}
	answer, at, err := c.send(ctx, s.request)
	if err != nil {
		s.end(err, false)
		return
	}
	defer answer.Body.Close()
	s.change(func() {
		s.began = at
		s.status, s.line, s.header = answer.StatusCode, answer.Proto+" "+answer.Status, answer.Header
		s.headedAt = time.Since(s.began)
	})
	s.p.rec.add(entry{kind: "response", actor: s.request.actor, head: s.line, got: s.header})
	s.p.noticedHead(s.request, s.status, s.header)
	reader := &assertions.EventReader{}
	buffer := make([]byte, 32<<10)
	for {
		n, err := answer.Body.Read(buffer)
		if n > 0 && !s.arrived(buffer[:n], reader) {
			s.end(fmt.Errorf("more than %d MiB or %d events came on one stream, and it was cut", mostStream>>20, mostEvents), true)
			return
		}
		if err != nil {
			s.pending(reader)
			s.end(err, true)
			return
		}
	}
}

// arrived takes the next bytes; it says whether more may come.
func (s *stream) arrived(b []byte, reader *assertions.EventReader) bool {
	at := time.Since(s.began)
	events, comments := reader.Feed(b)
	goOn := true
	s.change(func() {
		s.raw = append(s.raw, b...)
		for _, c := range comments {
			s.comments = append(s.comments, map[string]any{"text": c.Text, "at": ms(at)})
		}
		for _, e := range events {
			if len(s.events) == 0 {
				s.firstAt = at
			}
			s.lastAt = at
			s.events = append(s.events, eventOf(e, at, true))
		}
		goOn = len(s.raw) < mostStream && len(s.events) < mostEvents && len(s.comments) < mostEvents && reader.Err() == nil
	})
	for _, e := range events {
		s.p.record("event", s.request.actor, strings.TrimSpace("event "+e.Name), "", []byte(e.Data))
		if _, task := readEvent(parseJSON([]byte(e.Data))); !assertions.IsMissing(task) {
			s.p.noteTask(s.request, task)
		}
	}
	return goOn
}

// pending keeps an unfinished block for those who ask for events that are not complete.
func (s *stream) pending(reader *assertions.EventReader) {
	if e, is := reader.Pending(); is && e.Data != "" {
		s.change(func() { s.events = append(s.events, eventOf(e, time.Since(s.began), false)) })
	}
}

// end notes how the stream ended.
func (s *stream) end(err error, headed bool) {
	at := time.Since(s.began)
	s.change(func() {
		if s.closed != nil {
			return
		}
		by, clean := "executor", errors.Is(err, io.EOF) && headed
		if s.cutByUs || errors.Is(err, context.Canceled) {
			by, clean = "harness", true
		}
		s.closed = map[string]any{"by": by, "clean": clean, "after": ms(at)}
		if !clean && s.problem == "" {
			s.problem, s.ours = why(err, s.request.limit), isOurs(err)
		}
	})
	if len(s.events) == 0 && len(s.raw) > 0 {
		s.p.record("note", s.request.actor, "what came instead of events", "", s.raw)
	}
	s.p.record("closed", s.request.actor, fmt.Sprintf("closed by %s after %s", s.closed["by"], at.Round(time.Millisecond)), "", nil)
}

func (s *stream) change(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
	close(s.changed)
	s.changed = make(chan struct{})
}

// age is how long ago the request was sent.
func (s *stream) age() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.began)
}

// headed is whether the header of the answer has come, or will not come any more. The lock must be held.
func (s *stream) headed() bool { return s.status != 0 || s.closed != nil }

// ended is whether nothing will come any more. The lock must be held.
func (s *stream) ended() bool { return s.closed != nil }

// readRefusal reads an answer that is no event stream to its end, which is then near: its body says why.
func (s *stream) readRefusal(ctx context.Context, most time.Duration) {
	s.mu.Lock()
	status, kind := s.status, s.header.Get("Content-Type")
	s.mu.Unlock()
	switch {
	case status == 0:
	case status < 200 || status > 299:
		s.wait(ctx, most, s.ended)
	case !strings.HasPrefix(strings.ToLower(kind), "text/event-stream"):
		s.wait(ctx, min(most, time.Second), s.ended)
	}
}

// wait waits until something is so, at most that long, and says whether it is.
func (s *stream) wait(ctx context.Context, most time.Duration, so func() bool) bool {
	timer := time.NewTimer(max(most, 0))
	defer timer.Stop()
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
		case <-timer.C:
			s.mu.Lock()
			defer s.mu.Unlock()
			return so()
		}
	}
}

// giveUp ends a stream whose header did not come in time.
func (s *stream) giveUp(after time.Duration) {
	s.change(func() {
		if s.status == 0 && s.problem == "" {
			s.problem = "no answer within " + after.String()
		}
	})
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
