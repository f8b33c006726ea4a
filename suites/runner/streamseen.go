// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// observe makes known what has arrived on the stream so far. The observation does not change when more arrives.
func (s *stream) observe() *subjects.Observation {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := subjects.New()
	o.Request, o.Unsent = s.request, s.unsent
	o.Value("took", time.Since(s.began))
	if c := s.request.Call; c != nil {
		o.Value("sent", sentOf(c, false)) // also of a request that is not answered
	}
	if s.problem != "" {
		o.NoAnswer, o.InVain = s.problem, s.inVain
		o.Value("error", s.problem)
	}
	if s.ours {
		o.Blocked = "the machine that runs the harness could not open the stream: " + s.problem
	}
	if s.full {
		o.Blocked = errStreamsFull.Error() // what the target would have done is not known
	}
	if s.over {
		o.Partly = errStreamLong.Error()
	}
	if s.closed != nil {
		o.Value("closed", s.closed)
	}
	if s.status == 0 {
		return o
	}
	o.SetHead(s.status, s.header)
	o.SetBody(slices.Clip(s.raw), s.problem == "", nil)
	o.Value("headers_after", s.headedAt)
	header := s.header
	o.Set("location", func() any {
		return target.Location(&target.Exchange{Exchange: wire.Exchange{Header: header}, Request: s.request})
	})
	if c := s.request.Call; c != nil {
		s.observeCall(o, c)
	}
	if s.status < 200 || s.status > 299 {
		return o // a refusal has no events, not even none
	}
	o.Value("events", slices.Clip(s.events))
	o.Value("comments", slices.Clip(s.comments))
	o.Value("stalled", s.p.run.pulse.Lost(s.began, time.Now()))
	if len(s.events) > 0 && s.firstAt > 0 {
		o.Value("first_event_after", s.firstAt)
		o.Value("last_event_after", s.lastAt)
	}
	return o
}

// carry gives an observation what the verb asked for and did not see in an earlier one.
func carry(to, from *subjects.Observation) *subjects.Observation {
	to.Broken, to.Skip = from.Broken, from.Skip
	if from.Blocked != "" {
		to.Blocked = from.Blocked
	}
	return to
}
