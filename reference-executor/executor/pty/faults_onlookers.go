// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"encoding/base64"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
)

// onlookerFaults break frames that only some clients get: observers, binary clients, those who come later; or only now and
// then one.
var onlookerFaults = map[string]func(*Behaviour){
	"observers-get-two-objects-in-a-frame": func(b *Behaviour) {
		was := b.outgoing.text
		b.outgoing.text = func(c *connection, env map[string]any) []byte {
			text := was(c, env)
			if payload, _ := env["payload"].(map[string]any); payload["kind"] == kindOutput && c.onlooks() {
				return append(text, text...)
			}
			return text
		}
	},
	"ids-of-observers-are-uuid4": forOnlookers(func(f *frame, env map[string]any) {
		if f.id == "" {
			env["id"] = uuid.NewString()
		}
	}),
	"replayed-frames-lose-their-ts": func(b *Behaviour) {
		b.outgoing.replayed(func(_ *connection, _ *frame, env map[string]any) { delete(env, "ts") })
	},
	"replayed-frames-are-named-by-their-number": func(b *Behaviour) {
		b.outgoing.replayed(func(_ *connection, f *frame, env map[string]any) {
			env["id"] = "replay-" + strconv.FormatUint(f.sequence, 10)
		})
	},
	"replays-are-dated-anew": func(b *Behaviour) {
		b.outgoing.replayed(func(_ *connection, _ *frame, env map[string]any) {
			env["ts"] = time.Now().UTC().Format(time.RFC3339Nano)
		})
	},
	"greetings-are-of-tomorrow": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.op == opHello {
				env["ts"] = time.Now().UTC().Add(24 * time.Hour).Format(time.RFC3339Nano)
			}
		})
	},
	"role-frames-take-the-id-of-the-join": func(b *Behaviour) {
		params := b.reading.params
		b.reading.params = func(c *connection, r *request) {
			params(c, r)
			if r.op == "pty.join_session" {
				c.streamID = r.id
			}
		}
		b.outgoing.edit(func(c *connection, f *frame, env map[string]any) {
			if f.kind == kindRole {
				env["id"] = c.streamID
			}
		})
	},
	"outputs-of-observers-are-null": forOnlookers(func(f *frame, env map[string]any) {
		if f.kind == kindOutput {
			env["payload"] = nil
		}
	}),
	"resizes-of-observers-have-a-text-as-number": forOnlookers(func(f *frame, env map[string]any) {
		if f.kind == kindResize {
			env["sequence"] = strconv.FormatUint(f.sequence, 10)
		}
	}),
	"every-ninth-frame-has-a-checksum": func(b *Behaviour) {
		ninth := everyOf(9)
		b.outgoing.edit(func(c *connection, _ *frame, env map[string]any) {
			if ninth(c) {
				env["crc"] = 7
			}
		})
	},
	"binary-clients-get-one-id": func(b *Behaviour) {
		b.outgoing.edit(func(c *connection, f *frame, env map[string]any) {
			if f.op == opTerminal && c.binary {
				env["id"] = c.streamID
			}
		})
	},
	"errors-of-observers-without-message": errorsOfOnlookers(func(payload map[string]any) { delete(payload, "message") }),
	"errors-of-observers-have-no-a2a-error": errorsOfOnlookers(func(payload map[string]any) {
		payload["a2a_error"] = map[string]any{}
	}),
	"errors-of-observers-name-another": errorsOfOnlookers(func(payload map[string]any) {
		payload["a2a_error"] = map[string]any{"type": "TaskNotFound", "code": -32001, "message": "no"}
	}),
	"replayed-rosters-have-null-labels": func(b *Behaviour) {
		b.outgoing.replayed(func(_ *connection, f *frame, env map[string]any) {
			if f.kind != kindMembership {
				return
			}
			payload := maps.Clone(env["payload"].(map[string]any))
			payload["observers"] = []any{map[string]any{"client_id": "somebody", "label": nil}}
			env["payload"] = payload
		})
	},
	"replays-to-binary-clients-trim-output": func(b *Behaviour) {
		b.outgoing.replayed(func(c *connection, f *frame, env map[string]any) {
			if f.kind == kindOutput && c.binary {
				payload := maps.Clone(env["payload"].(map[string]any))
				payload["data"] = base64.StdEncoding.EncodeToString(bytes.TrimSpace(f.data))
				env["payload"] = payload
			}
		})
	},
	"replays-are-put-into-utf-8": func(b *Behaviour) {
		b.replay.copied = func(f *frame) *frame {
			if f.kind != kindOutput {
				return f
			}
			text := *f
			text.data = bytes.ToValidUTF8(f.data, []byte("\uFFFD"))
			return &text
		}
	},
}

// onlooks says whether the client has joined as an observer.
func (c *connection) onlooks() bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.joined && !c.controller
}

// joins says whether the client has joined.
func (c *connection) joins() bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.joined
}

func forOnlookers(change func(f *frame, env map[string]any)) func(*Behaviour) {
	return func(b *Behaviour) {
		b.outgoing.edit(func(c *connection, f *frame, env map[string]any) {
			if c.onlooks() {
				change(f, env)
			}
		})
	}
}

// forLatecomers changes what those are sent who came to a session where somebody was before.
func forLatecomers(change func(f *frame, env map[string]any)) func(*Behaviour) {
	return func(b *Behaviour) {
		var latecomers sync.Map // connections
		b.hello.edit(func(c *connection, _ map[string]any) {
			if len(c.session.connections) > 0 {
				latecomers.Store(c, true)
			}
		})
		b.outgoing.edit(func(c *connection, f *frame, env map[string]any) {
			if _, is := latecomers.Load(c); is {
				change(f, env)
			}
		})
	}
}

// errorsOfOnlookers changes the payload of an Error that answers an observer.
func errorsOfOnlookers(change func(payload map[string]any)) func(*Behaviour) {
	return forOnlookers(func(f *frame, env map[string]any) {
		if payload, is := env["payload"].(map[string]any); is && f.op == opError {
			payload = maps.Clone(payload)
			change(payload)
			env["payload"] = payload
		}
	})
}

// replayed changes what is sent again.
func (b *outgoingBehaviour) replayed(change func(c *connection, f *frame, env map[string]any)) {
	was := b.envelope
	b.envelope = func(c *connection, d delivery, env map[string]any) {
		was(c, d, env)
		if d.replayed {
			change(c, d.frame, env)
		}
	}
}

// everyOf says of a connection, each time it is asked, whether this is its n-th, 2n-th ... time.
func everyOf(n int) func(*connection) bool {
	var mu sync.Mutex
	times := map[*connection]int{}
	return func(c *connection) bool {
		mu.Lock()
		defer mu.Unlock()
		times[c]++
		return times[c]%n == 0
	}
}
