// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/undo"
)

// afterEnd is how long a run may go on undoing what its tests have done when its time is up (--max-time): all of it together.
const afterEnd = time.Second

// undoing is what something is undone with, within a limit: an interrupted run cleans up as well, one whose time is up does
// so for a moment.
func (r *run) undoing(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), r.lastly(limit))
}

// lastly is a limit, cut to what is left of the run and the moment after it.
func (r *run) lastly(limit time.Duration) time.Duration {
	if r.ends.IsZero() {
		return limit
	}
	return min(limit, max(0, time.Until(r.ends)+afterEnd))
}

// undoBounds are those of what a row undoes.
func (r *run) undoBounds(ctx context.Context) undo.Bounds {
	return undo.Bounds{
		Undoing: func(limit time.Duration) (context.Context, context.CancelFunc) { return r.undoing(ctx, limit) },
		Limit:   r.scaled,
		Starts:  r.starts,
		Far:     r.slots.Far,
		Wait:    func(d time.Duration) time.Duration { return scale(d, r.options.TimeFactor*r.options.HoldFactor) },
	}
}
