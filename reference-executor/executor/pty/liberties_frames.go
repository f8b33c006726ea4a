// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// frameLiberties are about the form of frames.
var frameLiberties = map[string]func(*Behaviour){
	// PTY-034: op may be namespaced; the wire reference, 3: extensions have namespaces of their own.
	"servers-send-notices": func(b *Behaviour) {
		line := b.outgoing.line
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			all := line(c, d)
			if d.frame == nil || d.frame.op == opGoodbye || c.binary && d.frame.kind == kindOutput && c.hub.lawful.Below(4) > 0 {
				return all
			}
			return append(all, delivery{frame: &frame{op: "sandbox.notice", ts: now(), payload: map[string]any{"kind": "load", "data": 3}}})
		}
	},
	// A02: on replies a sequence is an integer from 0 on.
	"replies-have-a-sequence": func(b *Behaviour) {
		editEnvelopes(b, func(_ *connection, d delivery, env map[string]any) {
			if !d.frame.stream() && d.frame.op != opHello && !strings.Contains(d.frame.op, ".notice") {
				env["sequence"] = 0
			}
		})
	},
	// The wire reference, 2: UUIDv7 in either case.
	"ids-are-in-upper-case": func(b *Behaviour) {
		newID := b.outgoing.newID
		b.outgoing.newID = func() string { return strings.ToUpper(newID()) }
	},
	// PTY-036: RFC 3339 with an explicit offset or Z.
	"stamps-have-an-offset": func(b *Behaviour) {
		editEnvelopes(b, func(_ *connection, _ delivery, env map[string]any) {
			if at, err := time.Parse(time.RFC3339Nano, env["ts"].(string)); err == nil {
				env["ts"] = at.In(time.FixedZone("", 5*3600+45*60)).Format("2006-01-02T15:04:05.000000000Z07:00")
			}
		})
	},
	// PTY-036: RFC 3339, in which T and Z may be lower case (5.6).
	"stamps-are-in-lower-case": func(b *Behaviour) {
		editEnvelopes(b, func(_ *connection, _ delivery, env map[string]any) { env["ts"] = strings.ToLower(env["ts"].(string)) })
	},
	// A08, A09: activated_extensions may be absent, and other members are additions.
	"greetings-say-more": func(b *Behaviour) {
		payload := b.hello.payload
		b.hello.payload = func(c *connection, v map[string]any) {
			payload(c, v)
			delete(v, "activated_extensions")
			v["server_info"] = map[string]any{"name": "sandbox", "version": "9"}
			v["session"].(map[string]any)["instance_id"], v["limits"] = c.session.instance.ID(), nil
		}
	},
	// A13: the counterpart in any of the spellings, next to whatever else.
	"a2a-errors-are-reasons": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, v map[string]any) {
			reasons := map[string]string{
				codeTaskNotFound: "TASK_NOT_FOUND", codeTaskNotCancelable: "TASK_NOT_CANCELABLE", codeInvalidRequest: "INVALID_ARGUMENT",
				codeUnsupported: "UNIMPLEMENTED", codeBackend: "UNSUPPORTED_OPERATION", codeClass: "UNSUPPORTED_OPERATION", codeUnauthenticated: "UNAUTHENTICATED",
				codePermissionDenied: "PERMISSION_DENIED", codeRateLimited: "RESOURCE_EXHAUSTED", codeInternal: "INTERNAL",
			}
			reason, known := reasons[v["code"].(string)]
			v["a2a_error"] = map[string]any{"status": reason, "details": []any{map[string]any{"reason": reason, "domain": "a2a-protocol.org", "metadata": map[string]any{}}}}
			if !known {
				v["a2a_error"] = nil
			}
		}
	},
	// A13: the number of JSON-RPC, where there is one.
	"a2a-errors-are-numbers": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, v map[string]any) {
			if known := counterparts[v["code"].(string)]; known.number != 0 {
				v["a2a_error"] = map[string]any{"code": known.number, "data": map[string]any{"hint": "see the log"}}
			}
		}
	},
	// A35: a malformed frame may end the connection with 4400, without an Error.
	"malformed-frames-end-the-connection": func(b *Behaviour) {
		b.errors.ends = func(_ *connection, e *frameError) bool {
			return e.unread && !strings.HasPrefix(e.message, "this connection has")
		}
	},
	// PTX-008: 1 to 128 characters.
	"client-ids-are-long": func(b *Behaviour) {
		long := func(c *connection) string { return strings.Repeat("ü", 127-len(c.clientID)) + " " + c.clientID }
		b.roles.clientID = long
		b.roles.member = func(c *connection, entry map[string]any) { entry["client_id"] = long(c) }
	},
	// PTX-008: 1 to 128 characters, and PTX-010: unique per connection; the clients of a session are counted.
	"client-ids-are-numbers": func(b *Behaviour) {
		var counted sync.Map
		number := func(c *connection) string {
			known, _ := counted.LoadOrStore(c.session, &sync.Map{})
			ids := known.(*sync.Map)
			if id, known := ids.Load(c.clientID); known {
				return id.(string)
			}
			size := 1
			ids.Range(func(any, any) bool { size++; return true })
			ids.Store(c.clientID, strconv.Itoa(size))
			return strconv.Itoa(size)
		}
		b.roles.clientID = number
		b.roles.member = func(c *connection, entry map[string]any) { entry["client_id"] = number(c) }
	},
	// A52: no limit is stated; what is too much at once is refused. A line of a terminal holds 4095 bytes.
	"long-inputs-are-refused": func(b *Behaviour) {
		b.setOperation("pty.session_input", func(o operation) operation {
			run, decode := o.run, b.terminal.decode
			o.run = func(c *connection, r *request) *frameError {
				v, given := r.payload["data"]
				if data, err := decode(v, given); err == nil && len(data) > 4095 {
					return badRequest("so much input does not fit into one line")
				}
				return run(c, r)
			}
			return o
		})
	},
	// PTY-042: replies come in any order.
	"replies-overtake-each-other": func(b *Behaviour) {
		for _, name := range []string{"ListTasks", "GetTask"} {
			b.setOperation(name, func(o operation) operation {
				run := o.run
				o.run = func(c *connection, r *request) *frameError {
					wait := c.hub.lawful.Between(0, 60*time.Millisecond)
					c.hub.run(func() {
						c.hub.pause(wait)
						if err := run(c, r); err != nil {
							c.refuse(r.id, err)
						}
					})
					return nil
				}
				return o
			})
		}
	},
}

func editEnvelopes(b *Behaviour, edit func(c *connection, d delivery, env map[string]any)) {
	was := b.outgoing.envelope
	b.outgoing.envelope = func(c *connection, d delivery, env map[string]any) {
		was(c, d, env)
		edit(c, d, env)
	}
}
