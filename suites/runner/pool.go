// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"golang.org/x/time/rate"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/weight"
)

// A Pool is what runs have together that one program plays side by side: a limit of their requests, and a bound of what they hold of
// their targets. A target that answers slowly, or that floods, takes nothing that the others need: who waits for an answer waits for no
// turn to send, and a part of the memory is each run's own. Only answers of more than a MiB, or of very many values, are looked at one
// row after the other, as in a single run: taken apart, they are what a run needs most of its memory for.
type Pool struct {
	held  *budget.Budget
	turns weight.Turns
	rate  *rate.Limiter
}

// ownOfTarget is what a run of a pool holds of its target without asking anybody, in bytes: twice what a run of the bundled reference
// servers holds.
const ownOfTarget = 8 << 20

// NewPool makes a pool whose runs send at most so many requests per second together; 0: as many as each may.
func NewPool(perSecond float64) *Pool {
	p := &Pool{held: budget.Of(maxOfTarget), turns: weight.NewTurns()}
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

// heavy are the turns of rows that look at heavy answers, each of which is many times its length while somebody does.
func (p *Pool) heavy() weight.Turns {
	if p == nil {
		return weight.NewTurns()
	}
	return p.turns
}

// limiter is what every request to any of the targets waits for; nil: nothing.
func (p *Pool) limiter() *rate.Limiter {
	if p == nil {
		return nil
	}
	return p.rate
}
