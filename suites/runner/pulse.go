// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A contact is whether the target answered what one test asked of it.
type contact struct{ answered, unanswered atomic.Bool }

// answer notes that a request to the target was answered, or was not.
func (c *contact) answer(answered bool) {
	if answered {
		c.answered.Store(true)
	} else {
		c.unanswered.Store(true)
	}
}

// A pulse notices that the target is gone: a run in which every request waits in vain would take hours and say nothing.
type pulse struct {
	mu     sync.Mutex
	silent int // tests in a row that got no answer at all
	asking bool
	gone   atomic.Pointer[report.Reason]
}

// fewestSilent is how many tests in a row must have got no answer before the target is asked whether it is there.
const fewestSilent = 8

// feel takes what a test has seen of the target. When too many in a row have seen nothing, the target is asked once more,
// for what the preflight asked; without an answer to that it is gone, and no further test is played.
func (r *run) feel(ctx context.Context, c *contact) {
	if ctx.Err() != nil || r.pulse.silentTests(c) < max(fewestSilent, 2*r.options.Jobs) {
		return
	}
	if !r.pulse.asks() {
		return
	}
	q := r.plainGet(join(r.place.api, "tasks"), "instance")
	x := r.client.do(ctx, q)
	r.pulse.mu.Lock()
	defer r.pulse.mu.Unlock()
	r.pulse.asking = false
	if whole(x) || x.ours || ctx.Err() != nil {
		r.pulse.silent = 0
		return
	}
	cause := fmt.Sprintf("the target stopped answering: %d tests in a row got no answer, and then GET %s: %s", r.pulse.silent, q.url, x.problem)
	r.pulse.gone.Store(&report.Reason{Code: "blocked", Detail: cause, Cause: cause})
}

// silentTests counts the test and says how many in a row got no answer.
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
	if p.asking || p.gone.Load() != nil {
		return false
	}
	p.asking = true
	return true
}

// whole says whether an answer came to its end, or to ours. A body that drips until the time is over is no answer.
func whole(x *exchange) bool { return x.status != 0 && !x.late }
