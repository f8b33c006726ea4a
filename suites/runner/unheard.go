// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"slices"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
)

// unheard are the tests that failed, or warned, without an answer to anything that they asked, but for documents.
type unheard struct {
	mu  sync.Mutex
	ids map[string]bool
}

// add notes the test of a result if it is one.
func (s *unheard) add(result *report.Result, played []*player) {
	if result.Outcome != report.Fail && result.Outcome != report.Warn {
		return
	}
	if slices.ContainsFunc(played, func(p *player) bool {
		return p == nil || !p.contact.Silent() && p.outcome() != report.Skip && p.outcome() != report.Blocked
	}) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[result.ID] = true
}

// takeBackUnheard blocks what failed before the run could know that the target answers nothing but its documents, where it has
// never answered anything else: which tests those are depends on which came first, and says nothing of their requirements.
func (r *run) takeBackUnheard(results []report.Result) {
	reason := r.Reachability.NothingHeard()
	if reason == nil {
		return
	}
	reason = &report.Reason{Code: reason.Code, Detail: reason.Detail, Cause: plaintext.Normalised(reason.Cause)} // as the others that it blocks
	for i := range results {
		if result := &results[i]; r.unheard.ids[result.ID] {
			result.Outcome, result.Reason, result.Findings, result.Waiver = report.Blocked, reason, nil, nil
			r.secrets.Result(result)
		}
	}
}
