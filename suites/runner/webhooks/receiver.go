// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// Terms are what a receiver is opened with.
type Terms struct {
	Name   string
	Status []int // of the first answers; after the last of them, Always
	Always int   // the status of the others; 0: 200
	Silent bool  // answers nothing, ever

	Source    observe.Source // who listens
	Observers observe.List   // are told of each delivery
	Record    *evidence.Recorder
	Guard     func(doing string) // deferred where a delivery is taken: a panic must not take the run along
}

// A Receiver takes the deliveries to one path.
type Receiver struct {
	Terms
	Path string

	gone  chan struct{} // closed when nobody looks any more
	began time.Time

	mu       sync.Mutex
	changed  chan struct{} // closed, and replaced, at every delivery
	requests []any
	kept     int     // bytes in memory: copies of their bodies, and about as many as their values take
	intake   *intake // whose room that is; nil: of nobody
	released bool    // it has been given back
	unkept   int     // deliveries for which there was no room
}

// missed notes that a delivery is not kept, for want of room.
func (r *Receiver) missed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unkept++
	r.delivered()
}

// left notes that the sender of request n has closed the connection before there was an answer.
func (r *Receiver) left(n int, at time.Time) {
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
func (r *Receiver) delivered() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// took keeps a delivery and says what to answer, and which one of those that were kept it is; -1: it was not.
func (r *Receiver) took(got *http.Request, body []byte, problem error, at time.Time) (status, n int) {
	many := jsontext.Values(body)
	if !r.room(copies*len(body) + jsontext.SizeOfValue*min(many, maxValues)) {
		problem, body = wire.ErrTooLong, nil // it is answered, and not looked at
	}
	seen := map[string]any{"method": got.Method, "path": got.URL.EscapedPath(), "query": got.URL.RawQuery, "header": subjects.HeaderValues(got.Header),
		"headers": subjects.HeaderLines(got.Header), "bytes": body, "text": strings.ToValidUTF8(string(body), "\uFFFD"),
		"at": subjects.Milliseconds(at.Sub(r.began)), "time": at.UTC().Format(time.RFC3339Nano)}
	var parsed any = assertions.Missing
	if many <= maxValues {
		parsed = jsontext.Parse(body)
	}
	seen["body"] = assertions.Body{Bytes: body, JSON: parsed}
	if !assertions.IsMissing(parsed) {
		seen["json"] = parsed
	}
	subjects.Carried(seen, parsed, readers.Push)
	r.Record.Add(evidence.Entry{Kind: "webhook", Actor: r.Name, Head: got.Method + " " + got.URL.Path, Got: got.Header, Body: body, Size: int64(len(body))})
	r.mu.Lock()
	defer r.mu.Unlock()
	status, n = cmp.Or(r.Always, http.StatusOK), len(r.requests)
	if n < len(r.Status) {
		status = r.Status[n]
	}
	told := observe.Delivery{Arrived: at, Answered: status, Cut: problem != nil}
	if r.Silent {
		told.Answered = 0
	}
	r.tell(got, body, told)
	if errors.Is(problem, wire.ErrTooLong) || problem == nil && n >= maxDeliveries {
		r.unkept++
		r.delivered()
		return status, -1
	}
	if problem != nil {
		return status, -1
	}
	if !r.Silent {
		seen["answered"] = assertions.Number(int64(status))
	}
	r.requests = append(r.requests, seen)
	r.delivered()
	return status, n
}

// room takes so many bytes of what the receiver keeps, and says whether there was as much left.
func (r *Receiver) room(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept+n > maxDelivered || r.intake != nil && !r.intake.kept.Take(int64(n)) {
		return false
	}
	r.kept += n
	return true
}

// release gives back the room of what was kept. Nothing is kept after that.
func (r *Receiver) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.intake != nil && !r.released {
		r.intake.kept.Give(int64(r.kept))
	}
	r.released, r.kept = true, maxDelivered
}

// Observe is what has been delivered so far, and how many deliveries that are. changed is closed at the next one.
func (r *Receiver) Observe() (o *subjects.Observation, changed <-chan struct{}, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o = subjects.New()
	o.Value("requests", append([]any{}, r.requests...))
	if r.unkept > 0 {
		o.Partly = fmt.Sprintf("%d deliveries to this webhook were too many or too long to be kept, and were not judged", r.unkept)
	}
	return o, r.changed, len(r.requests)
}

// tell tells the observers of a delivery.
func (r *Receiver) tell(got *http.Request, body []byte, d observe.Delivery) {
	d.Source = r.Source
	d.Receiver, d.Method, d.Path, d.Header, d.Body = r.Name, got.Method, got.URL.EscapedPath(), got.Header, body
	r.Observers.Delivery(&d)
}

// tookGuarded is took, whose panic the HTTP server would swallow.
func (r *Receiver) tookGuarded(got *http.Request, body []byte, problem error, at time.Time) (status, n int) {
	status, n = http.StatusInternalServerError, -1
	defer r.Guard("taking a delivery")
	return r.took(got, body, problem, at)
}
