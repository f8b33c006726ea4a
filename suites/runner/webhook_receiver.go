// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A receiver is what a `listen` has opened.
type receiver struct {
	player *player
	name   string
	path   string
	status []int
	silent bool          // answers nothing, ever
	gone   chan struct{} // closed when nobody looks any more
	began  time.Time

	mu       sync.Mutex
	changed  chan struct{} // closed, and replaced, at every delivery
	requests []any
	kept     int     // bytes of their bodies, and about as many as their values take
	intake   *intake // whose room that is; nil: of nobody
	released bool    // it has been given back
	unkept   int     // deliveries for which there was no room
}

// missed notes that a delivery is not kept, for want of room.
func (r *receiver) missed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unkept++
	r.delivered()
}

// left notes that the sender of request n has closed the connection before there was an answer.
func (r *receiver) left(n int, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < 0 {
		return
	}
	seen := maps.Clone(r.requests[n].(map[string]any)) // the one that is there may be looked at just now
	seen["left"] = subjects.Milliseconds(at.Sub(r.began))
	r.requests[n] = seen
	r.delivered()
}

// delivered tells those who look that there is something new; the lock is held.
func (r *receiver) delivered() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// leastLook is how long a receiver is looked at, at least, when that long is asked for.
const leastLook = 500 * time.Millisecond

// took keeps a delivery and says what to answer, and which one of those that were kept it is; -1: it was not.
func (r *receiver) took(got *http.Request, body []byte, problem error, at time.Time) (status, n int) {
	many := jsontext.Values(body)
	if !r.room(len(body) + sizeOfValue*min(many, mostHookValues)) {
		problem, body = wire.ErrTooLong, nil // it is answered, and not looked at
	}
	seen := map[string]any{"method": got.Method, "path": got.URL.EscapedPath(), "query": got.URL.RawQuery, "header": subjects.HeaderValues(got.Header),
		"headers": subjects.HeaderLines(got.Header), "bytes": body, "text": strings.ToValidUTF8(string(body), "\uFFFD"),
		"at": subjects.Milliseconds(at.Sub(r.began)), "time": at.UTC().Format(time.RFC3339Nano)}
	var parsed any = assertions.Missing
	if many <= mostHookValues {
		parsed = jsontext.Parse(body)
	}
	seen["body"] = assertions.Body{Bytes: body, JSON: parsed}
	if !assertions.IsMissing(parsed) {
		seen["json"] = parsed
	}
	subjects.Carried(seen, parsed, readers.Push)
	r.player.rec.Add(evidence.Entry{Kind: "webhook", Actor: r.name, Head: got.Method + " " + got.URL.Path, Got: got.Header, Body: body, Size: int64(len(body))})
	r.mu.Lock()
	defer r.mu.Unlock()
	status, n = 200, len(r.requests)
	if n < len(r.status) {
		status = r.status[n]
	}
	told := observe.Delivery{Arrived: at, Answered: status, Cut: problem != nil}
	if r.silent {
		told.Answered = 0
	}
	r.tellDelivery(got, body, told)
	if errors.Is(problem, wire.ErrTooLong) || problem == nil && n >= mostDeliveries {
		r.unkept++
		r.delivered()
		return status, -1
	}
	if problem != nil {
		return status, -1
	}
	if !r.silent {
		seen["answered"] = assertions.Number(int64(status))
	}
	r.requests = append(r.requests, seen)
	r.delivered()
	return status, n
}

// room takes so many bytes of what the receiver keeps, and says whether there was as much left.
func (r *receiver) room(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept+n > mostDelivered || r.intake != nil && !r.intake.kept.Take(int64(n)) {
		return false
	}
	r.kept += n
	return true
}

// release gives back the room of what was kept. Nothing is kept after that.
func (r *receiver) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.intake != nil && !r.released {
		r.intake.kept.Give(int64(r.kept))
	}
	r.released, r.kept = true, mostDelivered
}

// await is the verb: it waits for what a receiver got, or reads on a background stream.
func (s subscriber) await(ctx context.Context, step *suites.Step, do suites.Await) *subjects.Observation {
	if do.Name == "stream" {
		return s.awaitStream(ctx, step, do)
	}
	r := s.receivers[do.Name]
	if r == nil {
		o := subjects.New()
		o.Blocked = fmt.Sprintf("nothing listens as %q", do.Name)
		return o
	}
	if do.For != (suites.Duration{}) {
		return s.watch(ctx, step, do, r)
	}
	within := s.within(step, s.run.options.Timeout)
	timer := time.NewTimer(within)
	defer timer.Stop()
	for late := false; ; {
		o, changed, n := r.observe()
		var problem error
		unmet, subject := step.At, "requests"
		if len(do.Until) == 0 {
			if n == 0 {
				problem = &assertions.Problem{Seen: "is empty: nothing was delivered", Wanted: "a delivery"}
			}
		} else {
			e, no, err := s.unmet(do.Until, o)
			if err != nil {
				return unfilled(err)
			}
			if problem = no; no != nil {
				unmet, subject = e.At, e.Subject.String()
			}
		}
		if problem == nil || ctx.Err() != nil {
			return o
		}
		if late {
			told := fmt.Sprintf(", after %s and %d deliveries", within, n)
			if refused := s.run.hooks.intake.told(); refused != "" {
				told += "; in this run " + refused
			}
			o.Breaks(unmet, subject, lengthened(problem, told))
			return o
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-timer.C:
			late = true
		}
	}
}

// observe is what has been delivered so far.
func (r *receiver) observe() (o *subjects.Observation, changed <-chan struct{}, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o = subjects.New()
	o.Value("requests", append([]any{}, r.requests...))
	if r.unkept > 0 {
		o.Partly = fmt.Sprintf("%d deliveries to this webhook were too many or too long to be kept, and were not looked at", r.unkept)
	}
	return o, r.changed, len(r.requests)
}

// watch looks at what a receiver gets for a time, or until a condition holds; that it does not hold is no problem. Without
// a condition, what is expected has to hold all the while: nothing is looked at any more once it does not.
func (s subscriber) watch(ctx context.Context, step *suites.Step, do suites.Await, r *receiver) *subjects.Observation {
	began := time.Now()
	defer func() { s.waited.Add(int64(time.Since(began))) }()
	// Deliveries that are on their way take the time that they take, however much the waits are shortened.
	timer := time.NewTimer(max(s.hold(do.For), min(scale(s.run.options.reach(do.For), s.run.options.TimeFactor), leastLook)))
	defer timer.Stop()
	for late := false; ; {
		o, changed, _ := r.observe()
		if late || ctx.Err() != nil {
			return o
		}
		if len(do.Until) > 0 {
			done, err := s.holds(do.Until, o)
			if err != nil {
				return unfilled(err)
			}
			if done {
				return o
			}
		} else if !s.allHold(step, o) {
			return o
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-timer.C:
			late = true
		}
	}
}
