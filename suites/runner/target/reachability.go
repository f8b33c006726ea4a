// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// isDocument says whether an address is that of a card or a key set.
func isDocument(address string) bool { return strings.Contains(address, "/.well-known/") }

// Reachability notices that the target is gone: a run in which every request waits in vain would take hours and say nothing.
type Reachability struct {
	mu     sync.Mutex
	silent int // tests, or cases of them, in a row that got no answer at all, or none but documents
	asking bool
	heard  bool                          // something else than a document has been answered in this run
	Gone   atomic.Pointer[report.Reason] // nothing is answered any more
	mute   atomic.Pointer[report.Reason] // nothing but documents is
}

// fewestSilent is how many tests in a row must have got no answer before the target is asked whether it is there.
const fewestSilent = 8

// CheckReachable takes what a test, or a case of it, has seen of the target. When too many in a row have seen nothing, the target is asked once more,
// for what the preflight asked; without an answer to that it is gone, and no further test is played.
func (t *Target) CheckReachable(ctx context.Context, c *Contact) {
	if ctx.Err() != nil || t.Reachability.silentTests(c) < t.patience {
		return
	}
	if !t.Reachability.asks() {
		return
	}
	q := t.PlainGet(Join(t.Place.API, "tasks"), "instance")
	x := t.Send(ctx, q)
	served := false
	if !Whole(x) {
		served = Whole(t.Send(ctx, t.PlainGet(Join(t.Place.Base, ".well-known/agent-card.json"), "instance")))
	}
	t.Reachability.mu.Lock()
	defer t.Reachability.mu.Unlock()
	t.Reachability.asking = false
	if Whole(x) || x.Ours || ctx.Err() != nil {
		t.Reachability.silent = 0
		return
	}
	then := fmt.Sprintf("%d tests in a row got no answer, and then GET %s: %s", t.Reachability.silent, q.URL, x.Problem)
	if served {
		cause := "the target answers nothing but its documents: " + then
		t.Reachability.mute.Store(&report.Reason{Code: "blocked", Detail: cause, Cause: cause})
		return
	}
	cause := "the target stopped answering: " + then
	t.Reachability.Gone.Store(&report.Reason{Code: "blocked", Detail: cause, Cause: cause})
}

// Mute is why a request to the target need not be sent: it would wait in vain. It is nil as long as there is hope.
func (t *Target) Mute(address string) *report.Reason {
	if reason := t.Reachability.mute.Load(); reason != nil && t.IsTarget(address) && !isDocument(address) {
		return reason
	}
	return nil
}

// NothingHeard is why nothing can be said of the target: it has answered nothing but documents in the whole run. It is nil if it
// has answered more, or has not been found to answer nothing else.
func (p *Reachability) NothingHeard() *report.Reason {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.heard {
		return nil
	}
	return p.mute.Load()
}

// silentTests counts the test, or the case, and says how many in a row got no answer.
func (p *Reachability) silentTests(c *Contact) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c.answered.Load():
		p.silent, p.heard = 0, true
	case c.unanswered.Load():
		p.silent++
	}
	return p.silent
}

// asks says whether the caller is the one to ask the target.
func (p *Reachability) asks() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asking || p.Gone.Load() != nil || p.mute.Load() != nil {
		return false
	}
	p.asking = true
	return true
}

// Whole says whether an answer came to its end, or to ours. A body that drips until the time is over is no answer.
func Whole(x *Exchange) bool { return x.Status != 0 && !x.Late }

// A Contact is whether the target answered what one test, or one case of it, asked. That its documents are served says nothing of the
// rest: they may come from a cache, or from a proxy before an executor that hangs.
type Contact struct {
	of                   *Target
	test                 string
	answered, unanswered atomic.Bool
	bound                atomic.Bool // to whether the target is there: it had a connection or a stream open, or one ended without an answer
}

// NewContact is the contact of a test with a target, or of a case of it, before it has asked anything.
func NewContact(t *Target, test string) *Contact { return &Contact{of: t, test: test} }

// Note notes what became of a request to the target: that it was answered, or why not.
func (c *Contact) Note(q *Request, answered bool, problem string) {
	switch {
	case !answered:
		c.unanswered.Store(true)
	case !isDocument(q.URL):
		c.answered.Store(true)
	}
	if Origin(q.URL) != Origin(c.of.Place.Base) {
		return
	}
	if answered && (q.Upgrades || q.Streamed) || wire.IsCut(problem) || problem == wire.ConnectionRefused {
		c.bound.Store(true)
	}
	c.of.Absences.note(c.test, q, answered, problem)
}

// Silent says that something was asked, and that nothing but documents was answered.
func (c *Contact) Silent() bool { return c.unanswered.Load() && !c.answered.Load() }

// Doubtful says whether what the test saw may come of a target that went away meanwhile.
func (c *Contact) Doubtful() bool { return c.bound.Load() }
