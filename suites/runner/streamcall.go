// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// openCalled opens the stream of a request. Where the target knows SubscribeToTask by the other verb, that one is used
// from then on (AMB-01).
func (p *player) openCalled(ctx context.Context, q *request, within time.Duration) *stream {
	s := p.openStream(q)
	if q.call == nil || q.call.operation != "SubscribeToTask" || q.call.at.binding != "HTTP+JSON" {
		return s
	}
	s.wait(ctx, within, s.headed)
	s.readRefusal(ctx, p.run.options.Timeout)
	s.mu.Lock()
	other := wrongVerb(q, s.status, s.raw)
	s.mu.Unlock()
	if !other {
		return s
	}
	second := p.openStream(q.byGet())
	second.wait(ctx, within, second.headed)
	second.mu.Lock()
	taken := second.status >= 200 && second.status < 300
	second.mu.Unlock()
	if !taken && !p.run.subscribesByGet.Load() {
		second.cut()
		second.release()
		return s
	}
	p.run.subscribesByGet.Store(true)
	s.cut()
	s.release()
	return second
}

// eventOf is an event as suites see it; of an operation with the StreamResponse that it carries, whatever the binding.
func (s *stream) eventOf(e assertions.Event, at time.Duration, complete bool) map[string]any {
	seen := eventOf(e, at, complete)
	if s.request.call == nil {
		return seen
	}
	item := seen["json"]
	if s.request.call.at.binding == "JSONRPC" {
		item = member(item, "result")
	}
	if item != nil && !assertions.IsMissing(item) {
		seen["item"] = item
	}
	return seen
}

// refusal is the answer that tells whether a streaming operation was processed: the body where it is no stream, and an
// error that came as the only event (AMB-33).
func (s *stream) refusal(o *observation, events []any) func() any {
	return func() any {
		if len(events) == 1 {
			if only := member(events[0], "json"); !assertions.IsMissing(member(only, "error")) {
				return only
			}
		}
		if len(events) > 0 {
			return map[string]any{"result": map[string]any{}}
		}
		return o.get("json")
	}
}
