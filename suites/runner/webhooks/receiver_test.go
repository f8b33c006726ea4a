// SPDX-License-Identifier: Apache-2.0

package webhooks

import "testing"

// A flood of long deliveries is answered, and kept as far as there is room.
func TestDeliveriesHaveSoMuchRoom(t *testing.T) {
	t.Parallel()
	r := &Receiver{}
	kept := 0
	for range 20 {
		if r.room(1 << 20) {
			kept++
		}
	}
	if kept != maxDelivered>>20 || !r.room(0) {
		t.Errorf("%d MiB are kept, want %d", kept, maxDelivered>>20)
	}
}
