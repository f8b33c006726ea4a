// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// openCalled opens the stream of a request. Where the target knows SubscribeToTask by the other verb, that one is used
// from then on (AMB-01).
func (p subscriber) openCalled(ctx context.Context, q *target.Request, within time.Duration) *stream {
	s := p.openMedia(ctx, q, within)
	if q.Call == nil || q.Call.Operation != "SubscribeToTask" || q.Method != http.MethodPost || q.Call.At.Binding != "HTTP+JSON" {
		return s
	}
	if status, body := p.head(ctx, s, within); !target.NoRoute(q, status, body) {
		return s
	}
	second := p.openStream(q.ByGet())
	if status, body := p.head(ctx, second, within); !target.HasRoute(second.request, status, body) {
		second.cut()
		second.release()
		return s
	}
	p.run.SubscribesByGet.Store(true)
	s.cut()
	s.release()
	return second
}

// head waits for the status of a stream, and for the body where it is none.
func (p subscriber) head(ctx context.Context, s *stream, within time.Duration) (status int, body []byte) {
	s.waitForHead(ctx, within)
	s.readRefusal(ctx, p.run.options.Timeout)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, slices.Clip(s.raw)
}

// eventOf is an event as suites see it; of an operation with the StreamResponse that it carries, whatever the binding.
func (s *stream) eventOf(e assertions.Event, at time.Duration, complete bool) map[string]any {
	seen := subjects.OfEvent(e, at, complete)
	if s.request.Call == nil {
		return seen
	}
	return subjects.WithItem(seen, s.request.Call.At.Binding)
}

// hasAnswer is whether it has shown how the operation was answered: an event has come, or the end. The lock must be held.
func (s *stream) hasAnswer() bool { return len(s.events) > 0 || s.closed != nil }

// observeCall adds how a streaming operation was answered, as far as that is known. What the tolerant readers find is for
// the events to show. A stream that ends without an event is no answer. The lock must be held.
func (s *stream) observeCall(o *subjects.Observation, c *target.Call) {
	ok := s.status >= 200 && s.status < 300
	if ok && !s.hasAnswer() {
		return
	}
	events := slices.Clip(s.events)
	observeOperation(o, c, s.status, func() any { return refusal(o, events) })
	if parsed := jsontext.Parse(s.raw); ok && len(events) == 0 && !readers.IsErrorItem(parsed) {
		failure := map[string]any{"status": assertions.Number(int64(s.status)), "class": readers.ClassEnvelope}
		o.Value("failure", failure)
		o.Value("result", assertions.Missing)
		o.Value("outcome", readers.ClassEnvelope)
	}
}

// refusal is the answer that tells whether a streaming operation was processed: the body where it is no stream, and an
// error that came as the only event (AMB-33).
func refusal(o *subjects.Observation, events []any) any {
	if len(events) == 1 {
		if only := readers.Member(events[0], "json"); readers.IsErrorItem(only) {
			return only
		}
	}
	if len(events) > 0 {
		return map[string]any{"result": map[string]any{}}
	}
	return o.Get("json")
}
