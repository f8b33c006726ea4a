// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// viewFaults are about what one client is shown, told or allowed because of how it came: in binary, by a token that may only watch,
// back after a while, or with credentials in another place.
var viewFaults = map[string]func(*Behaviour){
	"binary-clients-may-send-several-objects": func(b *Behaviour) {
		was := b.reading.split
		b.reading.split = func(c *connection, text []byte) [][]byte {
			var objects [][]byte
			for stream := json.NewDecoder(bytes.NewReader(text)); c.binary && stream.More(); {
				var object json.RawMessage
				if stream.Decode(&object) != nil {
					return was(c, text)
				}
				objects = append(objects, object)
			}
			if len(objects) < 2 {
				return was(c, text)
			}
			return objects
		}
	},
	"binary-clients-may-leave-ids-out": func(b *Behaviour) {
		was := b.reading.split
		b.reading.split = func(c *connection, text []byte) [][]byte {
			var envelope map[string]any
			if !c.binary || json.Unmarshal(text, &envelope) != nil || envelope == nil || envelope["id"] != nil {
				return was(c, text)
			}
			envelope["id"] = newUUIDv7()
			whole, _ := json.Marshal(envelope)
			return was(c, whole)
		}
	},
	"observe-no-keyframe-in-binary": deniedInBinary("pty.request_keyframe"),
	"observe-no-tasks-in-binary":    deniedInBinary("GetTask", "ListTasks", "SubscribeToTask"),
	"observe-may-resize-in-binary": func(b *Behaviour) {
		b.roles.mayResize = letting(b.roles.mayResize, (*connection).looksOnInBinary)
	},
	"observe-is-promoted-in-binary": func(b *Behaviour) {
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			if c.looksOnInBinary() && s.b.roles.hasRoom(s) {
				return controller, nil
			}
			return was(s, c, controller)
		}
	},
	"observe-controls-by-joining-in-binary": func(b *Behaviour) {
		was := b.roles.onJoin
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			if c.looksOnInBinary() && !s.touched {
				return true, ""
			}
			return was(s, c, controller)
		}
	},
	"keyframe-requests-in-binary-are-ignored": answering(func(_ *session, c *connection, answer func()) {
		if !c.binary {
			answer()
		}
	}),
	"observe-input-in-binary-is-ignored": func(b *Behaviour) {
		was := b.reading.binary
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			input, err := was(c, frame)
			if c.scope < ScopeControl {
				return nil, err
			}
			return input, err
		}
	},
	"resizes-untold-to-binary-observers": func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.kind != kindResize {
				return all
			}
			return except(all, func(c *connection) bool { return c.binary && !c.controller })
		})
	},
	"stale-binary-clients-stay": func(b *Behaviour) {
		was := b.wire.reap
		b.wire.reap = func(c *connection) {
			if !c.binary {
				was(c)
			}
		}
	},
	"sizes-of-the-same-width-do-not-reach-the-terminal": func(b *Behaviour) {
		was := b.terminal.device
		b.terminal.device = func(s *session, cols, rows int) error {
			if cols == s.cols {
				return nil
			}
			return was(s, cols, rows)
		}
	},
	"replays-repaint-everybody": func(b *Behaviour) {
		var returned sync.Map // connections
		was := b.join.repaint
		b.join.repaint = func(j *joining) {
			if j.replays && !j.lost {
				returned.Store(j.c, true)
			}
			was(j)
		}
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if _, is := returned.Load(f.only); is && f.kind == kindKeyframe && f.cause == causeJoin {
				return s.members
			}
			return all
		})
	},
	"empty-replays-end-without-keyframe": func(b *Behaviour) {
		unlessJoin(b, func(j *joining) bool { return j.replays && !j.lost && len(j.replay) == 0 })
	},
	"binary-replays-end-without-keyframe": func(b *Behaviour) {
		unlessJoin(b, func(j *joining) bool { return j.replays && !j.lost && j.c.binary })
	},
	"stale-cursors-of-binary-clients-are-clamped": func(b *Behaviour) {
		was := b.replay.since
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			if c.binary {
				from = max(from, s.log.lost)
			}
			return was(s, c, from)
		}
	},
	"binary-clients-see-output-before-they-join": func(b *Behaviour) {
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if f.kind != kindOutput {
				return all
			}
			return append(slices.Clone(all), except(s.connections, func(c *connection) bool { return !c.binary || c.joined })...)
		})
	},
	"greetings-count-what-everybody-gets": func(b *Behaviour) {
		b.hello.edit(func(c *connection, payload map[string]any) {
			var head uint64
			for _, k := range c.session.log.frames {
				head = k.frame.sequence
			}
			payload["session"].(map[string]any)["current_sequence"] = head
		})
	},
	"embedded-tokens-are-refused-behind-the-greeting": func(b *Behaviour) {
		was := b.upgrade.refused
		b.upgrade.refused = func(u *upgrade, p *Refusal) Answer {
			if u.embedsToken() {
				return helloBeforeAuth(u, p)
			}
			return was(u, p)
		}
	},
	"any-embedded-token-is-taken": func(b *Behaviour) {
		was := b.upgrade.missing
		known := b.upgrade.known
		b.upgrade.missing = func(u *upgrade) *Refusal {
			if u.embedsToken() {
				u.who = instances
				return nil
			}
			return was(u)
		}
		b.upgrade.known = func(u *upgrade, token string) (Principal, bool) {
			if who, is := known(u, token); is || !u.embedsToken() {
				return who, is
			}
			return instances, true
		}
	},
	"query-token-in-place-of-an-unknown-one": func(b *Behaviour) {
		was := b.upgrade.known
		b.upgrade.known = func(u *upgrade, token string) (Principal, bool) {
			if who, known := was(u, token); known {
				return who, true
			}
			token = u.r.URL.Query().Get("token")
			if token == "" {
				return Principal{}, false
			}
			return was(u, token)
		}
	},
}

// embedsToken says whether the credential stands among the subprotocols alone, be it well formed or not.
func (u *upgrade) embedsToken() bool {
	embeds := func(offer string) bool { return strings.HasPrefix(offer, embeddedPrefix) }
	return len(u.r.Header.Values("Authorization")) == 0 && slices.ContainsFunc(offeredSubprotocols(u.r.Header), embeds)
}

// looksOnInBinary says whether the principal of a binary connection may only watch.
func (c *connection) looksOnInBinary() bool { return c.binary && c.scope < ScopeControl }

// deniedInBinary denies operations to who may only watch, on binary connections.
func deniedInBinary(operations ...string) func(*Behaviour) {
	return func(b *Behaviour) {
		for _, name := range operations {
			b.setOperation(name, func(op operation) operation {
				run := op.run
				op.run = func(c *connection, r *request) *frameError {
					if c.looksOnInBinary() {
						return denied("the principal may only watch")
					}
					return run(c, r)
				}
				return op
			})
		}
	}
}
