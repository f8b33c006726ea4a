// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

// rareRequestFaults keep the contract for what most clients do; they break it for sizes at another bound, for a second session, for those who do
// not wait for an answer, and for binary clients that do something else than usual.
var rareRequestFaults = map[string]func(*Behaviour){
	"joins-may-have-any-number-of-rows": func(b *Behaviour) {
		b.editRequest("pty.join_session", func(payload map[string]any) {
			if rows, is := number(payload["rows"]); is && rows > maxCells {
				payload["rows"] = json.Number(strconv.Itoa(maxCells))
			}
		})
	},
	"resizes-may-have-any-number-of-cols": func(b *Behaviour) {
		b.editRequest("pty.session_resize", func(payload map[string]any) {
			if cols, is := number(payload["cols"]); is && cols > maxCells {
				payload["cols"] = json.Number(strconv.Itoa(maxCells))
			}
		})
	},
	"embedded-tokens-give-every-right": func(b *Behaviour) {
		real := b.upgrade.identify
		b.upgrade.identify = func(u *upgrade) *Refusal {
			refused := real(u)
			if refused == nil && u.r.Header.Get("Authorization") == "" && u.who.Scope == ScopeObserve {
				u.who.Scope = ScopeControl
			}
			return refused
		}
	},
	"binary-clients-are-not-told-of-unknown-tasks":    untoldInBinary(codeTaskNotFound),
	"malformed-text-of-binary-clients-is-passed-over": untoldInBinary(codeInvalidRequest),
	"throttled-reads-are-dropped": func(b *Behaviour) {
		var reads sync.Map // ids of requests
		coerce, line := b.reading.coerce, b.outgoing.line
		b.reading.coerce = func(envelope map[string]any) {
			if id, is := envelope["id"].(string); is && envelope["op"] == "GetTask" {
				reads.Store(id, true)
			}
			coerce(envelope)
		}
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			if d.frame != nil && d.frame.op == opError && d.frame.payload["code"] == codeRateLimited {
				if _, read := reads.Load(d.frame.id); read {
					return nil
				}
			}
			return line(c, d)
		}
	},
	"pings-of-binary-clients-get-an-empty-pong": func(b *Behaviour) {
		real := b.outgoing.line
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			if c.binary && d.control != nil && d.control.Opcode == ws.OpPong {
				d.control = &websocket.Message{Opcode: ws.OpPong}
			}
			return real(c, d)
		}
	},
	"parameters-of-binary-clients-are-not-kept": func(b *Behaviour) {
		real := b.reading.params
		b.reading.params = func(c *connection, r *request) {
			if !c.binary {
				real(c, r)
			}
		}
	},
	"vacant-places-go-to-binary-clients": func(b *Behaviour) {
		was := b.roles.onJoin
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			if c.binary && s.touched && s.closed == nil && s.members.controllers() == 0 && s.b.roles.mayControl(c) {
				return true, ""
			}
			return was(s, c, controller)
		}
	},
	"sessions-begin-with-the-last-other-size": func(b *Behaviour) {
		var last atomic.Pointer[[2]int]
		real := b.join.geometry
		b.join.geometry = func(j *joining) (int, int) {
			if size := last.Load(); size != nil && j.cols == 0 && j.rows == 0 {
				return size[0], size[1]
			}
			cols, rows := real(j)
			if cols != j.session.cols || rows != j.session.rows {
				last.Store(&[2]int{cols, rows})
			}
			return cols, rows
		}
	},
	"embedded-tokens-open-every-session": func(b *Behaviour) {
		authorize := b.upgrade.authorize
		b.upgrade.authorize = func(u *upgrade) *Refusal {
			if slices.ContainsFunc(u.offered, func(s string) bool { return strings.HasPrefix(s, embeddedPrefix) }) {
				return nil
			}
			return authorize(u)
		}
	},
	"slow-errors-have-the-id-of-the-newest-request": func(b *Behaviour) {
		var newest sync.Map // ids, by connection
		params := b.reading.params
		b.reading.params = func(c *connection, r *request) {
			params(c, r)
			newest.Store(c, r.id)
		}
		for _, name := range []string{"GetTask", "CancelTask"} {
			b.setOperation(name, func(op operation) operation {
				run := op.run
				op.run = func(c *connection, r *request) *frameError {
					err := run(c, r)
					if err == nil {
						return nil
					}
					time.AfterFunc(50*time.Millisecond, func() {
						id, _ := newest.Load(c)
						c.refuse(id.(string), err)
					})
					return &frameError{silent: true}
				}
				return op
			})
		}
	},
	"unknown-operations-of-binary-clients-are-ignored": func(b *Behaviour) {
		real := b.tasks.unknown
		b.tasks.unknown = func(c *connection, r *request) *frameError {
			if c.binary {
				return &frameError{silent: true}
			}
			return real(c, r)
		}
	},
	"subscriptions-of-binary-clients-replay-nothing": func(b *Behaviour) {
		b.tasks.subscribe = func(c *connection, r *request, id string) bool {
			if c.binary {
				without := *r
				without.replayFrom = nil
				r = &without
			}
			return c.session.subscribe(c, r, id)
		}
	},
	"binary-input-is-put-into-utf-8": func(b *Behaviour) {
		real := b.reading.binary
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			input, err := real(c, frame)
			return bytes.ToValidUTF8(input, []byte("\uFFFD")), err
		}
	},
}

// untoldInBinary never sends an Error of a code to binary clients.
func untoldInBinary(code string) func(*Behaviour) {
	return func(b *Behaviour) {
		real := b.outgoing.line
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			if c.binary && d.frame != nil && d.frame.op == opError && d.frame.payload["code"] == code {
				return nil
			}
			return real(c, d)
		}
	}
}
