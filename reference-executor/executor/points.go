// SPDX-License-Identifier: Apache-2.0

package executor

import "github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"

// Edited names the points of behaviour that a fault changes ("tasks.cancel", "pty.join.role"), sorted. whole is true when
// it changes something that decides without being asked, a number or a switch, so that nobody can watch its use; and for
// a fault that does not exist.
func Edited(name string) (changed []string, whole bool) {
	apply := fault(name)
	if apply == nil {
		return nil, true
	}
	was, is := conformant(), conformant()
	apply(is)
	return points.Edited(was, is)
}
