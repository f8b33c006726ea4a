// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// Bounds of what one stream may make us keep.
const (
	maxStream = 4 << 20 // bytes
	maxEvents = 10_000

	maxStreamed  = 6 << 20   // bytes of all streams of a run at once, of which each may have freeStreamed
	freeStreamed = 512 << 10 // taken apart, an event is many times its length
	eventCost    = 512       // bytes that an event, or a comment, counts as held beside its own
)

// A stream is an actor's event stream. A goroutine of its own reads it, so that nothing that arrives is lost whatever
// the step waits for; steps look at what has arrived so far.
type stream struct {
	p       subscriber
	request *target.Request
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
	turns    int // how often the request went out, was put off, or had to wait for the pace that is allowed
	raw      []byte
	holds    int64 // what it counts as in what all streams of the run hold
	events   []any
	comments []any
	firstAt  time.Duration
	lastAt   time.Duration
	closed   map[string]any // nil: still open
	problem  string
	ours     bool
	inVain   bool // problem is that the time was up
	unsent   *report.Reason
	full     bool // it was ended because the streams of the run held too much
	over     bool // it was ended because it alone had more than is kept
	released bool
	cutByUs  bool

	asked    observe.Request // the request as observers are told of it
	observed *observe.Stream // nil: it is no stream of the target; only the reader touches it
	tells    []observe.Event // as observers were told of them
}

// leastWatch is how long a stream in the background is read at least, however much the waits are shortened.
const leastWatch = 5 * time.Second

// A subscriber is a caller that waits for what comes by itself: events of streams, and deliveries.
type subscriber struct{ caller }

// stream is the verb: it opens an event stream and reads it as far as the step says.
func (p subscriber) stream(ctx context.Context, step *suites.Step, do suites.Stream) *subjects.Observation {
	q, o := p.prepare(ctx, step, do.Request)
	if q == nil {
		return o
	}
	if mute := p.run.Mute(q.URL); mute != nil {
		o = subjects.New()
		o.Unsent = mute
		return o
	}
	q.Streamed = true
	if !target.HasHeader(q.Header, "Accept") {
		q.Header = append(q.Header, suites.Header{Name: "Accept", Value: "text/event-stream"})
	}
	a := p.actor(step)
	if a.stream != nil {
		a.stream.leave()
		a.stream.release()
	}
	// How long the stream may take is for the step to say; the header must come within the time of a request.
	headers := scale(p.run.options.Timeout, p.run.options.TimeFactor)
	within := p.within(step, p.run.options.Timeout)
	s := p.openCalled(ctx, q, max(headers, within))
	a.stream = s
	s.until, s.untilClosed, s.held = do.Until, do.UntilClosed, p.hold(do.For)
	if do.Background {
		// It is read while other steps act on the task, and ends when they have had their effect: then the time is a limit
		// rather than a wait, and HoldFactor must not make it one that a busy machine cannot keep.
		s.held = max(s.held, min(leastWatch, scale(p.run.options.reach(do.For), p.run.options.TimeFactor)))
		// A server may send the header with its first event only, for which a later step cares; whoever judges the header
		// here wants it now.
		if len(step.Assume)+len(step.Expect) == 0 {
			within = min(within, scale(2*time.Second, p.run.options.TimeFactor))
		}
		s.waitForHead(ctx, within)
		return s.observe()
	}
	if !s.waitForHead(ctx, max(headers, within)) && ctx.Err() == nil {
		s.giveUp(max(headers, within))
	}
	o = p.readOn(ctx, step, s, within, s.held)
	if do.Cut {
		s.leave()
		o = carry(s.observe(), o)
	}
	return o
}

// readOn reads a stream for what it was opened for.
func (p subscriber) readOn(ctx context.Context, step *suites.Step, s *stream, within, hold time.Duration) *subjects.Observation {
	s.readRefusal(ctx, p.run.options.Timeout)
	left := within - s.age()
	if s.held > 0 {
		back := p.rests(hold)
		s.wait(ctx, hold, s.ended)
		back()
		return s.observe()
	}
	if s.untilClosed {
		ended := s.wait(ctx, left, s.ended)
		o := s.observe()
		if !ended {
			o.Breaks(step.At, "closed", &assertions.Problem{Seen: "is missing: the stream is still open after " + within.Round(time.Millisecond).String() + s.tally(),
				Wanted: "the end of the stream"})
		}
		return o
	}
	if len(s.until) == 0 {
		if s.request.Call != nil {
			s.wait(ctx, left, s.hasAnswer)
		}
		return s.observe()
	}
	return p.untilHolds(ctx, s.until, s, left, within)
}

// untilHolds reads until a condition holds of what has arrived.
func (p subscriber) untilHolds(ctx context.Context, until []suites.Expectation, s *stream, left, within time.Duration) *subjects.Observation {
	limit := s.p.run.limitOf(left)
	defer limit.Stop()
	for {
		s.mu.Lock()
		changed, over := s.changed, s.closed != nil
		s.mu.Unlock()
		o := s.observe()
		unmet, problem, err := p.unmet(until, o)
		if err != nil {
			return unfilled(err)
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
			case <-limit.C:
				if limit.goesOn() {
					continue
				}
				late = ", after " + within.Round(time.Millisecond).String()
			}
			o = s.observe()
			if unmet, problem, err = p.unmet(until, o); problem == nil && err == nil {
				return o
			}
		}
		if err != nil {
			return unfilled(err)
		}
		if o.Partly != "" { // what was waited for may have been behind the cut
			o.Blocked = o.Partly + ": " + lengthened(problem, s.tally()).Error()
			return o
		}
		told := o.WaitsInVain
		if over {
			told = o.Breaks
		}
		told(unmet.At, unmet.Subject.String(), lengthened(problem, late+s.tally()))
		return o
	}
}

// awaitStream is `await: stream`: it reads on what was opened in the background.
func (p subscriber) awaitStream(ctx context.Context, step *suites.Step, do suites.Await) *subjects.Observation {
	s := p.actor(step).stream
	if s == nil {
		o := subjects.New()
		o.Blocked = "no stream is open in the background"
		return o
	}
	if len(do.Until) > 0 || do.UntilClosed {
		s.until, s.untilClosed, s.held = do.Until, do.UntilClosed, 0
	}
	within := p.within(step, p.run.options.Timeout)
	looks := do.For != (suites.Duration{})
	if looks {
		within = max(p.hold(do.For), min(scale(p.run.options.reach(do.For), p.run.options.TimeFactor), leastWatch))
	}
	left := within
	if s.held > 0 || step.Within == (suites.Duration{}) {
		left = max(within, s.held-s.age())
	}
	if !s.wait(ctx, left, s.headed) && ctx.Err() == nil {
		s.giveUp(left)
	}
	o := p.readOn(ctx, step, s, s.age()+left, s.held-s.age())
	if looks { // that it never holds is for expect to judge
		o.Broken = nil
	}
	return o
}

// openMedia opens the stream of a request in the media type that the server takes. As long as that is not known, it waits
// for the head of the answer.
func (p subscriber) openMedia(ctx context.Context, q *target.Request, within time.Duration) *stream {
	s := p.openStream(q)
	if p.run.TakesA2A.Load() || p.run.RefusedMedia(q, http.StatusUnsupportedMediaType) == nil {
		return s
	}
	status, _ := p.head(ctx, s, within)
	p.run.TookMedia(q, status)
	other := p.run.RefusedMedia(q, status)
	if other == nil {
		return s
	}
	second := p.openStream(other)
	again, _ := p.head(ctx, second, within)
	counts := target.InPlace(status, again)
	if counts && status >= 500 {
		third := p.openStream(q.Steady())
		status, _ := p.head(ctx, third, within)
		counts = p.run.BreaksOnMedia(status)
		third.leave()
		third.release()
	}
	if counts {
		p.run.TookMedia(other, again)
	} else {
		s, second = second, s
	}
	s.leave()
	s.release()
	return second
}
