// SPDX-License-Identifier: Apache-2.0

package pty

// rivalFaults break the contract for a client that wants the role that another has.
var rivalFaults = map[string]func(*Behaviour){
	"joins-that-are-downgraded-resize": func(b *Behaviour) {
		was := b.join.resizes
		b.join.resizes = func(s *session, j *joining) bool { return was(s, j) || j.downgraded }
	},
}
