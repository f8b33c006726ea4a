// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"maps"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

// greetingFaults are about what clients that speak the binary subprotocol are told in JSON, most of them in the greeting.
var greetingFaults = map[string]func(*Behaviour){
	"binary-clients-are-greeted-second": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			if d.frame.op != opHello || !c.binary {
				return []delivery{d}
			}
			return []delivery{{frame: reply("pong", "", map[string]any{"client_ts": now(), "server_ts": now()})}, d}
		})
	},
	"binary-clients-are-greeted-without-a-number": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			if d.frame.op == opHello && c.binary {
				d.frame.numbered = false
			}
			return []delivery{d}
		})
	},
	"binary-clients-are-greeted-by-another-version": greetsBinary(func(payload map[string]any) { payload["binding_version"] = "2.0.0" }),
	"binary-clients-are-told-the-operations-in-a-text": greetsBinary(func(payload map[string]any) {
		payload["supported_operations"] = "SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask"
	}),
	"binary-clients-are-greeted-to-another-session": greetsBinary(func(payload map[string]any) {
		payload["session"].(map[string]any)["session_id"] = newUUIDv7()
	}),
	"binary-clients-are-told-the-head-as-a-text": greetsBinary(func(payload map[string]any) {
		payload["session"].(map[string]any)["current_sequence"] = "12"
	}),
	"binary-clients-activate-the-terminal-twice": greetsBinary(func(payload map[string]any) {
		payload["activated_extensions"] = []any{ExtensionURI, ExtensionURI}
	}),
	"binary-clients-are-told-of-no-backend": greetsBinary(func(payload map[string]any) {
		payload["session_host"].(map[string]any)["supported_backends"] = []any{}
	}),
	"binary-clients-are-greeted-twice": func(b *Behaviour) {
		was := b.reading.activate
		b.reading.activate = func(c *connection, r *request) {
			was(c, r)
			if !c.begun && len(r.extensions) > 0 && c.binary {
				c.session.mu.Lock()
				defer c.session.mu.Unlock()
				c.say(c.session.hello(c))
			}
		}
	},
	"roles-of-binary-clients-have-a-text-for-a-flag":     tellsBinary(kindRole, func(payload map[string]any) { payload["downgraded"] = "false" }),
	"roles-of-binary-clients-have-a-number-for-a-reason": tellsBinary(kindRole, func(payload map[string]any) { payload["reason"] = 1 }),
	"output-replayed-to-binary-clients-lacks-the-stream": tellsBinary(kindOutput, func(payload map[string]any) { delete(payload, "stream") }),
	"keyframes-of-binary-clients-have-another-format":    tellsBinary(kindKeyframe, func(payload map[string]any) { payload["snapshot_format"] = "vt100" }),
	"rosters-of-binary-clients-list-somebody-twice": tellsBinary(kindMembership, func(payload map[string]any) {
		if observers, is := payload["observers"].([]any); is && len(observers) > 0 {
			payload["observers"] = append(observers[:len(observers):len(observers)], observers[0])
		}
	}),
	"binary-clients-get-sizes-late": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			switch {
			case !c.binary || !d.frame.stream():
			case c.held != nil:
				held := *c.held
				c.held = nil
				return []delivery{d, held}
			case d.frame.kind == kindResize && !d.replayed:
				c.held = &d
				return nil
			}
			return []delivery{d}
		})
	},
	"binary-clients-are-told-bye": farewells(func(c *connection, reason string) {
		if c.binary {
			reason = "bye"
		}
		c.say(goodbyeFrame(reason))
		c.end(closeNormal, "")
	}),
	"binary-clients-are-told-details-in-a-list": farewells(func(c *connection, reason string) {
		f := goodbyeFrame(reason)
		if c.binary {
			f.payload["detail"] = []any{"the client has left"}
		}
		c.say(f)
		c.end(closeNormal, "")
	}),
	"binary-clients-hear-more-after-the-goodbye": farewells(func(c *connection, reason string) {
		c.say(goodbyeFrame(reason))
		if c.binary {
			c.say(reply("pong", newUUIDv7(), map[string]any{"client_ts": now(), "server_ts": now()}))
		}
		c.end(closeNormal, "")
	}),
	"binary-clients-that-leave-are-cut-off": func(b *Behaviour) {
		was := b.outgoing.line
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			if code, _ := websocket.ReadClose(d.closePayload()); code == closeNormal && c.binary {
				c.conn.Close()
				return nil
			}
			return was(c, d)
		}
	},
	"long-binary-output-is-of-another-stream": func(b *Behaviour) {
		was := b.outgoing.pw1o
		b.outgoing.pw1o = func(c *connection, f *frame) []byte {
			frame := was(c, f)
			if len(f.data) > 200 {
				frame[12] = 2
			}
			return frame
		}
	},
	"long-binary-output-loses-its-end": func(b *Behaviour) {
		was := b.outgoing.pw1o
		b.outgoing.pw1o = func(c *connection, f *frame) []byte {
			frame := was(c, f)
			return frame[:min(len(frame), 2048)]
		}
	},
	"who-comes-second-is-told-it-is-binary": func(b *Behaviour) {
		b.hello.edit(func(c *connection, payload map[string]any) {
			if len(c.session.connections) > 0 {
				payload["payload_mode"].(map[string]any)["binary"] = true
			}
		})
	},

	"replays-end-with-a-greeting": func(b *Behaviour) {
		was := b.join.replay
		b.join.replay = func(j *joining) {
			if was(j); j.replays {
				j.c.say(j.session.hello(j.c))
			}
		}
	},
}

// greetsBinary changes the greeting of clients that speak the binary subprotocol.
func greetsBinary(change func(payload map[string]any)) func(*Behaviour) {
	return func(b *Behaviour) {
		b.hello.edit(func(c *connection, payload map[string]any) {
			if c.binary {
				change(payload)
			}
		})
	}
}

// tellsBinary changes the payload of the terminal's frames of a kind, as clients that speak the binary subprotocol get it in JSON.
func tellsBinary(kind string, change func(payload map[string]any)) func(*Behaviour) {
	return func(b *Behaviour) {
		b.outgoing.edit(func(c *connection, f *frame, env map[string]any) {
			if payload, is := env["payload"].(map[string]any); is && f.kind == kind && c.binary {
				payload = maps.Clone(payload)
				change(payload)
				env["payload"] = payload
			}
		})
	}
}
