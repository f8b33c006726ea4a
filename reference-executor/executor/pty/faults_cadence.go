// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"sync"
	"time"
)

// cadenceFaults are about how often Keyframes come while output flows.
var cadenceFaults = map[string]func(*Behaviour){
	"cadence-frames-off-for-controllers": cadenceUntold(func(c *connection) bool { return c.controller }),
	"cadence-seconds-off-for-observers":  cadenceUntold(func(c *connection) bool { return !c.controller }),
	"cadence-frames-late": func(b *Behaviour) {
		var outputs sync.Map // of a session, since its last Keyframe
		was := b.terminal.cadence
		b.terminal.cadence = func(s *session) bool {
			n, _ := outputs.LoadOrStore(s, new(int))
			since := n.(*int)
			s.cadence.outputs = -1
			if *since++; was(s) || *since*10 >= s.hub.limits.keyframeFrames*11 {
				*since = 0
				return true
			}
			return false
		}
	},
	"cadence-seconds-late": func(b *Behaviour) {
		var due sync.Map // when a session's next Keyframe comes
		was := b.terminal.cadence
		b.terminal.cadence = func(s *session) bool {
			now := time.Now()
			every := time.Duration(s.hub.limits.keyframeSeconds) * time.Second * 16 / 10
			at, _ := due.LoadOrStore(s, now.Add(every))
			s.cadence.keyframeAt = now
			if was(s) || now.After(at.(time.Time)) {
				due.Store(s, now.Add(every))
				return true
			}
			return false
		}
	},
}

// cadenceUntold keeps the Keyframes that are for everyone from some.
func cadenceUntold(whom func(c *connection) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.kind != kindKeyframe || f.cause != causeCadence {
				return all
			}
			return except(all, whom)
		})
	}
}
