// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"sync/atomic"
)

// A contact is whether the target answered what one test, or one case of it, asked. That its documents are served says nothing of the
// rest: they may come from a cache, or from a proxy before an executor that hangs.
type contact struct{ answered, unanswered atomic.Bool }

// note notes that a request to the target was answered, or was not.
func (c *contact) note(address string, answered bool) {
	switch {
	case !answered:
		c.unanswered.Store(true)
	case !isDocument(address):
		c.answered.Store(true)
	}
}
