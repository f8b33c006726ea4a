// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"golang.org/x/time/rate"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
)

// A Pool is what runs have together that one program plays side by side: a limit of their requests, and a bound of what they hold of
// their targets. A target that answers slowly, or that floods, takes nothing that the others need: who waits for an answer waits for no
// turn to send, and a part of the memory is each run's own.
type Pool struct {
	held *budget.Budget
	rate *rate.Limiter
}

// ownOfTarget is what a run of a pool holds of its target without asking anybody, in bytes: twice what a run of the bundled reference
// servers holds.
const ownOfTarget = 8 << 20

// NewPool makes a pool whose runs send at most so many requests per second together; 0: as many as each may.
func NewPool(perSecond float64) *Pool {
	p := &Pool{held: budget.Of(maxOfTarget)}
	if perSecond > 0 {
		p.rate = rate.NewLimiter(rate.Limit(perSecond), 1)
	}
	return p
}

// budget is that of one run.
func (p *Pool) budget() *budget.Budget {
	if p == nil {
		return budget.Of(maxOfTarget)
	}
	return p.held.Within(ownOfTarget, maxOfTarget)
}

// limiter is what every request to any of the targets waits for; nil: nothing.
func (p *Pool) limiter() *rate.Limiter {
	if p == nil {
		return nil
	}
	return p.rate
}
