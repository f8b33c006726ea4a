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
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

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
	"page-sizes-of-binary-clients-may-be-texts": func(b *Behaviour) {
		b.setOperation("ListTasks", func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				if text, is := r.payload["page_size"].(string); is && c.binary {
					r.payload["page_size"] = json.Number(text)
				}
				return run(c, r)
			}
			return op
		})
	},
	"malformed-requests-are-refused-twice": func(b *Behaviour) {
		real := b.outgoing.line
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			sent := real(c, d)
			if d.frame != nil && d.frame.op == opError && d.frame.payload["code"] == codeInvalidRequest && d.frame.id != "" {
				sent = append(sent, sent...)
			}
			return sent
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

// notANumber is one in the place of a value.
var notANumber = regexp.MustCompile(`([:\[,]\s*)-?(?:NaN|Infinity)`)
