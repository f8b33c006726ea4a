// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"
	"github.com/google/uuid"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

// edit adds to what is done to every envelope that is sent.
func (b *outgoingBehaviour) edit(change func(c *connection, f *frame, env map[string]any)) {
	was := b.envelope
	b.envelope = func(c *connection, d delivery, env map[string]any) {
		was(c, d, env)
		change(c, d.frame, env)
	}
}

// queue changes what is put in line for a frame.
func (b *outgoingBehaviour) queue(change func(c *connection, d delivery) []delivery) {
	was := b.line
	b.line = func(c *connection, d delivery) []delivery {
		if d.frame == nil {
			return was(c, d)
		}
		return change(c, d)
	}
}

// envelopeFaults are about the envelopes of the server.
var envelopeFaults = map[string]func(*Behaviour){
	"duplicate-json-member": func(b *Behaviour) {
		was := b.outgoing.text
		b.outgoing.text = func(c *connection, env map[string]any) []byte {
			text := was(c, env)
			if env["op"] != opHello {
				return text
			}
			return append([]byte(`{"op":"binding_hello",`), text[1:]...)
		}
	},
	"op-unregistered": func(b *Behaviour) {
		b.outgoing.queue(func(_ *connection, d delivery) []delivery {
			if d.frame.op != opHello {
				return []delivery{d}
			}
			return []delivery{d, {frame: reply("server info", "", map[string]any{})}}
		})
	},
	"id-uuid4": func(b *Behaviour) { b.outgoing.newID = uuid.NewString },
	"ts-missing-on-replies": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.id != "" {
				delete(env, "ts")
			}
		})
	},
	"payload-array": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.op == "Unsubscribe.Response" {
				env["payload"] = []any{}
			}
		})
	},
	"sequence-missing-on-keyframe": func(b *Behaviour) {
		b.stream.numbered = func(f *frame) bool { return f.kind != kindKeyframe }
	},
	"envelope-extra": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) { env["seq"] = f.sequence })
	},
	"lists-name-a-position": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.op == "ListTasks.Response" {
				env["replay_from"] = 0
			}
		})
	},
	"reply-id-upper-cased": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.id != "" {
				env["id"] = strings.ToUpper(f.id)
			}
		})
	},
	"constant-stream-id": func(b *Behaviour) {
		b.outgoing.edit(func(c *connection, f *frame, env map[string]any) {
			if f.op == opTerminal {
				env["id"] = c.streamID
			}
		})
	},
	"duplicate-reply": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			if d.frame.id == "" {
				return []delivery{d}
			}
			if c.replies++; c.replies%5 == 0 {
				return []delivery{d, d}
			}
			return []delivery{d}
		})
	},
}

// readingFaults are about what clients send.
var readingFaults = map[string]func(*Behaviour){
	"nan-in-frames-is-json": func(b *Behaviour) {
		split := b.reading.split
		b.reading.split = func(c *connection, text []byte) [][]byte {
			if lenient := notANumber.ReplaceAll(text, []byte("${1}null")); !json.Valid(text) && json.Valid(lenient) {
				return [][]byte{lenient}
			}
			return split(c, text)
		}
	},
	"foreign-session-ignored-by-streams": foreignSessionIgnoredBy("SendStreamingMessage"),
	"foreign-session-ignored-by-joins":   foreignSessionIgnoredBy("pty.join_session"),
	"foreign-session-ignored-by-leaves":  foreignSessionIgnoredBy("pty.leave_session"),
	"sessions-that-are-not-there-are-no-foreign-ones": func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			if other, is := r.payload["session_id"].(string); is && c.hub.everywhere(other) == nil {
				return nil
			}
			return was(c, r)
		}
	},
	"cancels-for-another-session-are-refused-and-done": func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			err := was(c, r)
			if id, is := r.payload["task_id"].(string); is && err != nil && r.op == "CancelTask" {
				_, _ = c.b.tasks.cancel(c, id)
			}
			return err
		}
	},
	"refused-input-is-refused-twice": func(b *Behaviour) {
		b.setOperation("pty.session_input", func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				err := run(c, r)
				if err != nil && err.code == codePermissionDenied {
					c.refuse(r.id, err)
				}
				return err
			}
			return op
		})
	},
	"page-sizes-may-be-texts": func(b *Behaviour) {
		b.setOperation("ListTasks", func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				if text, is := r.payload["page_size"].(string); is {
					r.payload["page_size"] = json.Number(text)
				}
				return run(c, r)
			}
			return op
		})
	},
	"messages-may-be-texts": func(b *Behaviour) {
		b.setOperation("SendMessage", func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				if text, is := r.payload["message"].(string); is {
					r.payload["message"] = map[string]any{
						"messageId": newUUIDv7(), "role": "user", "parts": []any{map[string]any{"kind": "text", "text": text}},
					}
				}
				return run(c, r)
			}
			return op
		})
	},
	"foreign-session-ignored-by-roles":     foreignSessionIgnoredBy("pty.request_role"),
	"foreign-session-ignored-by-keyframes": foreignSessionIgnoredBy("pty.request_keyframe"),
	"batch-accepted": func(b *Behaviour) {
		b.reading.split = func(_ *connection, text []byte) [][]byte {
			var batch []json.RawMessage
			if json.Unmarshal(text, &batch) != nil || len(batch) == 0 {
				return [][]byte{text}
			}
			var items [][]byte
			for _, item := range batch {
				items = append(items, item)
			}
			return items
		}
	},
	"jsonl-accepted": func(b *Behaviour) {
		b.reading.split = func(_ *connection, text []byte) [][]byte {
			lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
			for _, line := range lines {
				if !json.Valid(line) {
					return [][]byte{text}
				}
			}
			return lines
		}
	},
	"missing-task-id-not-found": func(b *Behaviour) {
		b.tasks.noTask = func(_ *connection, r *request, err *frameError) *frameError {
			if _, given := r.payload["task_id"]; r.op == "GetTask" && !given {
				return noTask()
			}
			return err
		}
	},
	"coerce-types": func(b *Behaviour) { b.reading.coerce = coerce },
	"extensions-that-are-no-texts-are-skipped": func(b *Behaviour) {
		b.reading.coerce = func(env map[string]any) {
			if list, is := env["extensions"].([]any); is {
				env["extensions"] = slices.DeleteFunc(list, func(item any) bool { _, text := item.(string); return !text })
			}
		}
	},
	"ts-not-required": func(b *Behaviour) { b.reading.needs = func(member string) bool { return member != "ts" } },
	"client-sequence-adopted": func(b *Behaviour) {
		b.reading.sequence = func(c *connection, r *request) {
			if r.sequence == nil {
				return
			}
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			c.session.head = max(c.session.head, *r.sequence)
		}
	},
	"utf8-replaced": func(b *Behaviour) {
		b.wire.text = func(text []byte) ([]byte, *websocket.Violation) {
			return bytes.ToValidUTF8(text, []byte(string(utf8.RuneError))), nil
		}
	},
	"fragments-as-frames": func(b *Behaviour) {
		was := b.wire.header
		b.wire.whole = func(ws.Header) bool { return true }
		b.wire.header = func(h ws.Header, _ bool) *websocket.Violation {
			if h.OpCode == ws.OpContinuation {
				h.OpCode = ws.OpText
			}
			return was(h, false)
		}
	},
	"requests-end-the-connection": func(b *Behaviour) {
		b.reading.params = func(c *connection, _ *request) { c.end(closeNormal, "") }
	},
	"oversize-kills-session": oversizeEndsSession(func(*connection) bool { return true }),
	"unmasked-accepted": func(b *Behaviour) {
		was := b.wire.header
		b.wire.header = func(h ws.Header, inMessage bool) *websocket.Violation {
			h.Masked = true
			return was(h, inMessage)
		}
	},
	"binary-on-json": func(b *Behaviour) {
		b.reading.binary = func(_ *connection, frame []byte) ([]byte, *frameError) {
			if len(frame) < 4 || string(frame[:4]) != "PW1I" {
				return nil, badRequest("the binary frame does not begin with PW1I")
			}
			return frame[4:], nil
		}
	},
	"activation-per-frame": func(b *Behaviour) {
		b.reading.activate = func(c *connection, r *request) {
			c.activated = false
			for _, uri := range r.extensions {
				c.activated = c.activated || uri == ExtensionURI
			}
		}
	},
	"foreign-session-ignored": func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			if !strings.HasPrefix(r.op, "pty.") {
				return nil
			}
			return was(c, r)
		}
	},
	"foreign-session-routed": func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			other, _ := r.payload["session_id"].(string)
			s := c.hub.everywhere(other)
			if r.op != "pty.session_input" || s == nil || s == c.session {
				return was(c, r)
			}
			data, err := decodeInput(r.payload["data"], true)
			if err != nil {
				return err
			}
			s.force(data)
			return &frameError{silent: true}
		}
	},
}

// coerce turns values of the wrong type into something of the right one.
func coerce(env map[string]any) {
	for _, name := range []string{"op", "id", "ts"} {
		if v, given := env[name]; given {
			if _, ok := v.(string); !ok {
				env[name] = fmt.Sprint(v)
			}
		}
	}
	if id, ok := env["id"].(string); ok && !uuidV7.MatchString(id) {
		env["id"] = newUUIDv7()
	}
	for _, name := range []string{"payload", "service_parameters"} {
		if v, given := env[name]; given {
			if _, ok := v.(map[string]any); !ok {
				env[name] = map[string]any{}
			}
		}
	}
	switch v := env["extensions"].(type) {
	case string:
		env["extensions"] = []any{"urn:" + v}
	}
	switch v := env["replay_from"].(type) {
	case string:
		env["replay_from"] = json.Number(v)
	case json.Number:
		env["replay_from"] = json.Number(strings.TrimPrefix(string(v), "-"))
	}
	if payload, ok := env["payload"].(map[string]any); ok {
		if v, given := payload["task_id"]; given {
			payload["task_id"] = fmt.Sprint(v)
		}
	}
}

// edit adds to what is done to the payload of the greeting.
func (b *helloBehaviour) edit(change func(c *connection, payload map[string]any)) {
	was := b.payload
	b.payload = func(c *connection, payload map[string]any) {
		was(c, payload)
		change(c, payload)
	}
}

// helloFaults are about the greeting.
var helloFaults = map[string]func(*Behaviour){
	"hello-second": func(b *Behaviour) {
		b.outgoing.queue(func(_ *connection, d delivery) []delivery {
			if d.frame.op != opHello {
				return []delivery{d}
			}
			return []delivery{{frame: reply("pong", "", map[string]any{"client_ts": now(), "server_ts": now()})}, d}
		})
	},
	"hello-repeated": func(b *Behaviour) {
		was := b.reading.activate
		b.reading.activate = func(c *connection, r *request) {
			was(c, r)
			if !c.begun && len(r.extensions) > 0 {
				c.session.mu.Lock()
				defer c.session.mu.Unlock()
				c.say(c.session.hello(c))
			}
		}
	},
	"hello-without-sequence": func(b *Behaviour) { b.hello.sequenced = false },
	"wrong-binding-uri": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) { payload["binding_uri"] = BindingURI + "/" })
	},
	"op-not-advertised": func(b *Behaviour) {
		b.hello.edit(func(c *connection, payload map[string]any) {
			var names []any
			for _, name := range c.hub.supported() {
				if name != "SubscribeToTask" {
					names = append(names, name)
				}
			}
			payload["supported_operations"] = names
		})
	},
	"advertised-not-implemented": func(b *Behaviour) {
		b.setOperation("ListTasks", func(op operation) operation {
			op.run = func(*connection, *request) *frameError { return unsupported("tasks are not listed") }
			return op
		})
	},
	"session-id-blank": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) {
			payload["session"].(map[string]any)["session_id"] = ""
		})
	},
	"current-sequence-zero": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) {
			payload["session"].(map[string]any)["current_sequence"] = 0
		})
	},
	"activates-unknown": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) {
			payload["activated_extensions"] = []any{ExtensionURI, "https://unknown.example/extensions/other/v1"}
		})
	},
	"default-backend-unsupported": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) {
			payload["session_host"].(map[string]any)["default_backend"] = "tmux"
		})
	},
	"payload-mode-wrong": func(b *Behaviour) {
		b.hello.edit(func(_ *connection, payload map[string]any) {
			payload["payload_mode"].(map[string]any)["binary"] = false
		})
	},
	"errors-of-binary-frames-repeat-the-last-id": func(b *Behaviour) {
		var last sync.Map // by connection
		activate, binary := b.reading.activate, b.reading.binary
		b.reading.activate = func(c *connection, r *request) {
			last.Store(c, strings.Clone(r.id))
			activate(c, r)
		}
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			input, err := binary(c, frame)
			if id, known := last.Load(c); err != nil && known {
				c.refuse(id.(string), err)
				return nil, &frameError{silent: true}
			}
			return input, err
		}
	},
	"first-input-of-a-frame-is-taken": func(b *Behaviour) {
		was := b.reading.split
		b.reading.split = func(c *connection, text []byte) [][]byte {
			var first json.RawMessage
			if json.NewDecoder(bytes.NewReader(text)).Decode(&first) == nil && bytes.Contains(first, []byte(`"pty.session_input"`)) {
				return [][]byte{first}
			}
			return was(c, text)
		}
	},
	"foreign-session-ignored-by-messages":      foreignSessionIgnoredBy("SendMessage"),
	"foreign-session-ignored-by-subscriptions": foreignSessionIgnoredBy("SubscribeToTask"),
	"foreign-session-ignored-by-sizes":         foreignSessionIgnoredBy("pty.session_resize"),
	"pings-at-once-are-answered-once": func(b *Behaviour) {
		const within, dropped = 100 * time.Millisecond, "dropped"
		var mu sync.Mutex
		came := map[*connection]time.Time{}
		unknown := b.tasks.unknown
		b.reading.sequence = func(c *connection, r *request) {
			if r.op != "ping" {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if time.Since(came[c]) < within {
				r.op = dropped
			}
			came[c] = time.Now()
		}
		b.tasks.unknown = func(c *connection, r *request) *frameError {
			if r.op == dropped {
				return nil
			}
			return unknown(c, r)
		}
	},
	"seventeenth-read-at-once-is-dropped": func(b *Behaviour) {
		const most, within, dropped = 16, time.Second, "dropped"
		var mu sync.Mutex
		came := map[*connection][]time.Time{}
		unknown := b.tasks.unknown
		b.reading.sequence = func(c *connection, r *request) {
			if r.op != "GetTask" {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			at := time.Now()
			for len(came[c]) > 0 && at.Sub(came[c][0]) > within {
				came[c] = came[c][1:]
			}
			if len(came[c]) >= most {
				r.op = dropped
				return
			}
			came[c] = append(came[c], at)
		}
		b.tasks.unknown = func(c *connection, r *request) *frameError {
			if r.op == dropped {
				return nil
			}
			return unknown(c, r)
		}
	},
	"binary-clients-are-not-told-of-unknown-tasks": untoldInBinary(codeTaskNotFound),
	"cancels-are-answered-twice": func(b *Behaviour) {
		b.outgoing.queue(func(_ *connection, d delivery) []delivery {
			if d.frame.op == "CancelTask.Response" {
				return []delivery{d, d}
			}
			return []delivery{d}
		})
	},
	"resizes-of-observers-are-empty": forOnlookers(func(f *frame, env map[string]any) {
		if f.kind == kindResize {
			clear(env)
		}
	}),
	"foreign-session-ignored-by-cancels": foreignSessionIgnoredBy("CancelTask"),
	"foreign-session-ignored-by-reads":   foreignSessionIgnoredBy("GetTask"),
	"activates-whatever-is-asked-for":    activates(func(asked []string) []string { return slices.Compact(slices.Sorted(slices.Values(asked))) }),
	"activates-as-often-as-asked-for": activates(func(asked []string) []string {
		return slices.DeleteFunc(slices.Clone(asked), func(uri string) bool { return uri != ExtensionURI })
	}),
}

// oversizeEndsSession closes every connection of a session when a frame of one of these clients is too large.
func oversizeEndsSession(of func(*connection) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		b.wire.tooBig = func(c *connection) {
			if !of(c) {
				return
			}
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			for _, other := range c.session.connections {
				other.conn.Close()
			}
		}
	}
}

// foreignSessionIgnoredBy does not look at which session the payload of one operation names.
func foreignSessionIgnoredBy(op string) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			if r.op == op {
				return nil
			}
			return was(c, r)
		}
	}
}

// activates chooses what the greeting lists as activated, of what the upgrade has asked for.
func activates(of func(asked []string) []string) func(*Behaviour) {
	return func(b *Behaviour) {
		b.hello.edit(func(c *connection, payload map[string]any) {
			all := []any{}
			for _, uri := range of(c.asked) {
				all = append(all, uri)
			}
			payload["activated_extensions"] = all
		})
	}
}

// notANumber is one in the place of a value.
var notANumber = regexp.MustCompile(`([:\[,]\s*)-?(?:NaN|Infinity)`)
