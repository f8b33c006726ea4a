// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"context"
	"fmt"
	"sync"
	"time"
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

// Cancelled notes that the configuration of a receiver was deleted, so that nothing is owed to it.
func (l *Listener) Cancelled(path string) {
	l.traffic.mu.Lock()
	defer l.traffic.mu.Unlock()
	delete(l.traffic.owed, path)
	l.traffic.tell()
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

// Settle waits until the deliveries are over that the run has caused, and returns what is to be said of them in its report. held is
// how long a wait lasts in this run.
func (l *Listener) Settle(ctx context.Context, held func(time.Duration) time.Duration) (warnings []string) {
	if !l.opened() {
		return nil
	}
	if refused := l.Refused(); refused != "" {
		warnings = append(warnings, refused)
	}
	least := func(d time.Duration) time.Duration { return max(quietTime, held(d)) }
	if why := l.traffic.settle(ctx, quietTime, least(owedTime), least(busyTime)); why != "" {
		warnings = append(warnings, why+": another run against the same target may meet them")
	}
	return warnings
}

// Refused is what was refused, in a sentence; empty: nothing was.
func (l *Listener) Refused() string { return l.intake.summary() }
