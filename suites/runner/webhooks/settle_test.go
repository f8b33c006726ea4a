// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"testing"
	"time"
)

// A run waits for what it has caused, says what it could not wait for, and waits for nothing else.
func TestDeliveriesAreWaitedFor(t *testing.T) {
	t.Parallel()
	const never = time.Hour
	for _, row := range []struct {
		name              string
		happens           func(d *deliveries)
		quiet, owed, busy time.Duration
		want              string
	}{
		{"nothing came", func(*deliveries) {}, 0, never, never, ""},
		{"it was taken", func(d *deliveries) { d.begin(); d.end("/a", 200) }, 0, never, never, ""},
		{"it was not taken, and then it was", func(d *deliveries) { d.begin(); d.end("/a", 500); d.begin(); d.end("/a", 204) }, 0, never, never, ""},
		{"it was not taken", func(d *deliveries) { d.begin(); d.end("/a", 500); d.begin(); d.end("/b", 0) }, 0, 0, never,
			"the last delivery to 2 of its webhooks was not taken, and may be tried again after the run"},
		{"it is not answered", func(d *deliveries) { d.begin() }, 0, 0, time.Millisecond, "deliveries to its webhooks went on when the run ended"},
		{"it is never quiet", func(d *deliveries) { d.begin(); d.end("/a", 200) }, never, 0, time.Millisecond, "deliveries to its webhooks went on when the run ended"},
	} {
		d := &deliveries{}
		row.happens(d)
		if got := d.settle(t.Context(), row.quiet, row.owed, row.busy); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// What is tried again while it is waited for ends the wait, and so does the deletion of its configuration.
func TestADeliveryThatIsTriedAgainEndsTheWait(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func(w *Listener){
		"tried again":      func(w *Listener) { w.traffic.begin(); w.traffic.end("/a", 200) },
		"no longer wanted": func(w *Listener) { w.Cancelled("/a") },
	} {
		w := &Listener{}
		w.traffic.begin()
		w.traffic.end("/a", 500)
		settled := make(chan string)
		go func() { settled <- w.traffic.settle(t.Context(), 0, time.Hour, time.Hour) }()
		then(w)
		if got := <-settled; got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
