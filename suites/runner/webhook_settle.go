// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A run ends when its deliveries are over: what an executor has still to deliver, or tries again, would hold up those of the
// next run.
const (
	quietTime = 300 * time.Millisecond // without a delivery, after which there are none
	owedTime  = 5 * time.Second        // for a delivery that was not taken to be tried again
	busyTime  = 10 * time.Second       // for deliveries that go on
)

// deliveries are what came to the webhooks of a run, as far as it tells whether more will come. The zero value is that of
// none.
type deliveries struct {
	mu      sync.Mutex
	open    int             // that have not been answered yet
	last    time.Time       // when the last one was
	owed    map[string]bool // by path: the last one was not taken, so that it may be tried again
	changed chan struct{}   // closed at the next change; nil: nobody waits
}

func (d *deliveries) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open++
	d.tell()
}

// end notes how a delivery was answered; 0: it was not.
func (d *deliveries) end(path string, status int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
	d.last = time.Now()
	if status >= 200 && status <= 299 {
		delete(d.owed, path)
	} else {
		if d.owed == nil {
			d.owed = map[string]bool{}
		}
		d.owed[path] = true
	}
	d.tell()
}

// cancelled notes that the configuration of a receiver was deleted, so that nothing is owed to it.
func (w *webhooks) cancelled(path string) {
	w.traffic.mu.Lock()
	defer w.traffic.mu.Unlock()
	delete(w.traffic.owed, path)
	w.traffic.tell()
}

// tell wakes who waits; the lock is held.
func (d *deliveries) tell() {
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// state is how many deliveries are open or owed, how long it has been quiet, and what is closed at the next change.
func (d *deliveries) state() (open, owed int, quiet time.Duration, changed <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	return d.open, len(d.owed), time.Since(d.last), d.changed
}

// settle waits until no delivery is under way or to be expected, and returns why it gave up; empty: it did not.
func (d *deliveries) settle(ctx context.Context, quiet, owed, busy time.Duration) string {
	began := time.Now()
	for {
		open, failed, calm, changed := d.state()
		waited := time.Since(began)
		var wait time.Duration
		switch {
		case open == 0 && failed == 0 && calm >= quiet:
			return ""
		case waited >= busy && (open > 0 || calm < quiet):
			return "deliveries to its webhooks went on when the run ended"
		case open == 0 && failed > 0 && waited >= owed && calm >= quiet:
			return fmt.Sprintf("the last delivery to %d of its webhooks was not taken, and may be tried again after the run", failed)
		case open > 0:
			wait = busy - waited
		case failed > 0:
			wait = max(quiet-calm, min(owed-waited, busy-waited))
		default:
			wait = min(quiet-calm, busy-waited)
		}
		timer := time.NewTimer(max(wait, time.Millisecond))
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ""
		}
		timer.Stop()
	}
}

// settleWebhooks waits until the deliveries are over that the run has caused, and says so where they are not.
func (r *run) settleWebhooks(ctx context.Context, out *report.Run) {
	if !r.hooks.opened() {
		return
	}
	held := func(d time.Duration) time.Duration {
		return max(quietTime, scale(d, r.options.TimeFactor*r.options.HoldFactor))
	}
	if refused := r.hooks.intake.told(); refused != "" {
		out.Warnings = append(out.Warnings, refused)
	}
	if why := r.hooks.traffic.settle(ctx, quietTime, held(owedTime), held(busyTime)); why != "" {
		out.Warnings = append(out.Warnings, why+": another run against the same target may meet them")
	}
}

// opened says whether there has been a listener at all.
func (w *webhooks) opened() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.server != nil
}
