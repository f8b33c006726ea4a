// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// isDocument says whether an address is that of a card or a key set.
func isDocument(address string) bool { return strings.Contains(address, "/.well-known/") }

// A pulse notices that the target is gone: a run in which every request waits in vain would take hours and say nothing.
type pulse struct {
	mu     sync.Mutex
	silent int // tests, or cases of them, in a row that got no answer at all, or none but documents
	asking bool
	gone   atomic.Pointer[report.Reason] // nothing is answered any more
	mute   atomic.Pointer[report.Reason] // nothing but documents is
}

// fewestSilent is how many tests in a row must have got no answer before the target is asked whether it is there.
const fewestSilent = 8

// feel takes what a test, or a case of it, has seen of the target. When too many in a row have seen nothing, the target is asked once more,
// for what the preflight asked; without an answer to that it is gone, and no further test is played.
func (s *site) feel(ctx context.Context, c *contact) {
	if ctx.Err() != nil || s.pulse.silentTests(c) < s.patience {
		return
	}
	if !s.pulse.asks() {
		return
	}
	q := s.plainGet(join(s.place.api, "tasks"), "instance")
	x := s.send(ctx, q)
	served := false
	if !whole(x) {
		served = whole(s.send(ctx, s.plainGet(join(s.place.base, ".well-known/agent-card.json"), "instance")))
	}
	s.pulse.mu.Lock()
	defer s.pulse.mu.Unlock()
	s.pulse.asking = false
	if whole(x) || x.Ours || ctx.Err() != nil {
		s.pulse.silent = 0
		return
	}
	then := fmt.Sprintf("%d tests in a row got no answer, and then GET %s: %s", s.pulse.silent, q.URL, x.Problem)
	if served {
		cause := "the target answers nothing but its documents: " + then
		s.pulse.mute.Store(&report.Reason{Code: "blocked", Detail: cause, Cause: cause})
		return
	}
	cause := "the target stopped answering: " + then
	s.pulse.gone.Store(&report.Reason{Code: "blocked", Detail: cause, Cause: cause})
}

// mute is why a request to the target need not be sent: it would wait in vain. It is nil as long as there is hope.
func (s *site) mute(address string) *report.Reason {
	if reason := s.pulse.mute.Load(); reason != nil && s.isTarget(address) && !isDocument(address) {
		return reason
	}
	return nil
}

// silentTests counts the test, or the case, and says how many in a row got no answer.
func (p *pulse) silentTests(c *contact) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c.answered.Load():
		p.silent = 0
	case c.unanswered.Load():
		p.silent++
	}
	return p.silent
}

// asks says whether the caller is the one to ask the target.
func (p *pulse) asks() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asking || p.gone.Load() != nil || p.mute.Load() != nil {
		return false
	}
	p.asking = true
	return true
}

// whole says whether an answer came to its end, or to ours. A body that drips until the time is over is no answer.
func whole(x *exchange) bool { return x.Status != 0 && !x.Late }
