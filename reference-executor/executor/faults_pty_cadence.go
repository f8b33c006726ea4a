// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"sync"
	"time"
)

// cadenceFaults are about how often Keyframes come while output flows.
var cadenceFaults = map[string]func(*behaviour){
	"cadence-frames-off-for-controllers": cadenceUntold(func(c *ptyConnection) bool { return c.controller }),
	"cadence-seconds-off-for-observers":  cadenceUntold(func(c *ptyConnection) bool { return !c.controller }),
	"cadence-frames-late": func(b *behaviour) {
		var outputs sync.Map // of a session, since its last Keyframe
		was := b.pty.terminal.cadence
		b.pty.terminal.cadence = func(s *ptySession) bool {
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
	"cadence-seconds-late": func(b *behaviour) {
		var due sync.Map // when a session's next Keyframe comes
		was := b.pty.terminal.cadence
		b.pty.terminal.cadence = func(s *ptySession) bool {
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
func cadenceUntold(whom func(c *ptyConnection) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.stream.reach(func(_ *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind != kindKeyframe || f.cause != causeCadence {
				return all
			}
			return except(all, whom)
		})
	}
}
