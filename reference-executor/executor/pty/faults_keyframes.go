// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"fmt"
	"maps"
	"sync"
	"time"
)

// snapshotFaults are about what Keyframes hold and how they are asked for.
var snapshotFaults = map[string]func(*Behaviour){
	"keyframe-floods-end-all-keyframes": func(b *Behaviour) {
		var flooded sync.Map // connections
		answering(func(_ *session, c *connection, answer func()) {
			if _, is := flooded.Load(c); is {
				return
			}
			if c.keyframes.timer != nil {
				flooded.Store(c, true)
				return
			}
			answer()
		})(b)
	},
	"requested-keyframes-count-for-everyone": answering(func(s *session, _ *connection, answer func()) {
		answer()
		s.cadence.keyframeAt, s.cadence.outputs = time.Now(), 0
	}),
	"keyframes-of-observers-as-text": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			if d.frame.kind == kindKeyframe && !c.controller {
				other := *d.frame
				other.payload = maps.Clone(other.payload)
				other.payload["snapshot"] = "an empty screen!"
				d.frame = &other
			}
			return []delivery{d}
		})
	},
	"anchors-for-observers-are-one-behind": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			anchor, is := d.frame.payload["anchor_sequence"].(uint64)
			if d.frame.kind == kindKeyframe && d.frame.cause == causeRequest && is && anchor > 0 && !c.controller {
				other := *d.frame
				other.payload = maps.Clone(other.payload)
				other.payload["anchor_sequence"] = anchor - 1
				d.frame = &other
			}
			return []delivery{d}
		})
	},
	"anchors-as-text": keyframePayload(func(payload map[string]any) {
		payload["anchor_sequence"] = fmt.Sprint(payload["anchor_sequence"])
	}),
	"keyframe-sizes-as-text": keyframePayload(func(payload map[string]any) {
		payload["snapshot_cols"] = fmt.Sprint(payload["snapshot_cols"])
	}),
	"keyframes-with-a-cursor": keyframePayload(func(payload map[string]any) { payload["cursor"] = []any{1, 1} }),
	"keyframe-without-rows":   keyframePayload(func(payload map[string]any) { delete(payload, "snapshot_rows") }),
	"anchor-ahead": func(b *Behaviour) {
		b.terminal.keyframe = func(s *session, payload map[string]any) { payload["anchor_sequence"] = s.head + 2 }
	},
	"anchors-at-themselves": func(b *Behaviour) {
		b.terminal.keyframe = func(s *session, payload map[string]any) { payload["anchor_sequence"] = s.head + 1 }
	},
	"keyframe-observers-only": answering(func(_ *session, c *connection, answer func()) {
		if !c.controller {
			answer()
		}
	}),
	"keyframe-controllers-only-to-all": answering(func(s *session, c *connection, _ func()) {
		if c.controller {
			s.keyframe(nil, causeCadence)
		}
	}),
	"keyframes-late": answering(func(s *session, _ *connection, answer func()) {
		s.hub.run(func() {
			if s.hub.pause(later) {
				s.mu.Lock()
				defer s.mu.Unlock()
				answer()
			}
		})
	}),
	"keyframes-unavailable": answering(func(s *session, c *connection, _ func()) { s.b.terminal.failed(s, c, codeNoKeyframe) }),
	"keyframe-floods-ignored": answering(func(s *session, c *connection, answer func()) {
		k := &c.keyframes
		switch {
		case k.timer != nil:
			k.stop()
			k.last = time.Now()
		case time.Since(k.last) > time.Second:
			k.timer = time.AfterFunc(100*time.Millisecond, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				if k.timer != nil && c.joined {
					k.timer = nil
					answer()
				}
			})
		}
	}),

	"anchors-are-of-output-only": func(b *Behaviour) {
		b.terminal.keyframe = func(s *session, payload map[string]any) {
			payload["anchor_sequence"] = uint64(0)
			for _, k := range s.log.frames {
				if k.frame.kind == kindOutput {
					payload["anchor_sequence"] = k.frame.sequence
				}
			}
		}
	},
	"second-replays-without-keyframe": func(b *Behaviour) {
		var replayed sync.Map
		was := b.join.repaint
		b.join.repaint = func(j *joining) {
			if j.replays && !j.lost {
				if _, again := replayed.LoadOrStore(j.session, true); again {
					return
				}
			}
			was(j)
		}
	},
}

func keyframePayload(change func(payload map[string]any)) func(*Behaviour) {
	return func(b *Behaviour) {
		b.terminal.keyframe = func(_ *session, payload map[string]any) { change(payload) }
	}
}

// answering changes what pty.request_keyframe does.
func answering(change func(s *session, c *connection, answer func())) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.terminal.answers
		b.terminal.answers = func(s *session, c *connection) { change(s, c, func() { was(s, c) }) }
	}
}

// cadenceFaults are about how often Keyframes come while output flows.
var cadenceFaults = map[string]func(*Behaviour){
	"cadence-frames-off-for-controllers": cadenceUntold(func(c *connection) bool { return c.controller }),
	"cadence-off-for-binary-clients":     cadenceUntold(func(c *connection) bool { return c.binary }),
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
	"anchors-of-the-cadence-are-those-of-the-last-keyframe": func(b *Behaviour) {
		var last, due sync.Map // by session
		cadence, keyframe := b.terminal.cadence, b.terminal.keyframe
		b.terminal.cadence = func(s *session) bool {
			is := cadence(s)
			if is {
				due.Store(s, true)
			}
			return is
		}
		b.terminal.keyframe = func(s *session, payload map[string]any) {
			keyframe(s, payload)
			was, before := last.Swap(s, payload["anchor_sequence"])
			if _, is := due.LoadAndDelete(s); is && before {
				payload["anchor_sequence"] = was
			}
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
