// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

// Liberties are the named edits of a behaviour that keep the contract.
var Liberties = merged(connectionLiberties, frameLiberties, joinLiberties, repaintLiberties, boundTaskLiberties)

// connectionLiberties are about the upgrade, WebSocket and the limits.
var connectionLiberties = map[string]func(*Behaviour){
	// Notation of the catalogs: the HTTP answer within 5 s, the greeting within 2 s of it.
	"attaching-takes-a-second": func(b *Behaviour) {
		b.upgrade.admit = func(*upgrade) *Refusal {
			time.Sleep(400 * time.Millisecond)
			return nil
		}
		b.wire.begins = func(*connection) { time.Sleep(700 * time.Millisecond) }
	},
	// RFC 6455, 4.2.2: Upgrade and Connection are compared without case, and Connection is a list; other headers are free.
	"upgrades-come-through-a-proxy": func(b *Behaviour) {
		header := b.upgrade.header
		b.upgrade.header = func(u *upgrade, lines []string) []string {
			lines = slices.Clone(lines)
			for i, line := range lines {
				switch line {
				case "Upgrade: websocket":
					lines[i] = "upgrade:WebSocket"
				case "Connection: Upgrade":
					lines[i] = "CONNECTION: keep-alive , upgrade"
				}
			}
			return header(u, append(lines, "Server: nginx", "Via: 1.1 edge", "Set-Cookie: lb=3; Path=/", "Date: "+time.Now().UTC().Format(http.TimeFormat)))
		}
	},
	// RFC 6455, 5.4: a message may come in fragments, cut anywhere, with control frames between them.
	"messages-come-in-fragments": func(b *Behaviour) {
		b.wire.write = func(w io.Writer, m websocket.Message) error {
			if m.Opcode.IsControl() || len(m.Payload) < 3 {
				return websocket.Write(w, m)
			}
			third := len(m.Payload) / 3
			pieces := [][]byte{m.Payload[:third], nil, m.Payload[third : 2*third], m.Payload[2*third:]}
			for i, piece := range pieces {
				h := ws.Header{Fin: i == len(pieces)-1, OpCode: m.Opcode, Length: int64(len(piece))}
				if i > 0 {
					h.OpCode = ws.OpContinuation
				}
				if i == 2 {
					if err := websocket.Write(w, websocket.Message{Opcode: ws.OpPing, Payload: []byte("between")}); err != nil {
						return err
					}
				}
				if err := ws.WriteHeader(w, h); err != nil {
					return err
				}
				if _, err := w.Write(piece); err != nil {
					return err
				}
			}
			return nil
		}
	},
	// RFC 6455, 5.5.2 and 5.5.3: pings at any time, with data; pongs that nobody asked for.
	"pings-come-all-the-time": func(b *Behaviour) {
		b.wire.pingEvery = func(*Hub) time.Duration { return 40 * time.Millisecond }
		line := b.outgoing.line
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			pong := delivery{control: &websocket.Message{Opcode: ws.OpPong, Payload: []byte("here")}}
			return append([]delivery{pong}, line(c, d)...)
		}
	},
	// PTY-113: 1000, or no code.
	"closes-are-answered-without-a-code": func(b *Behaviour) { b.wire.goodbye = func([]byte) []byte { return nil } },
	// A52: the limit is free.
	"messages-are-at-most-64-kib": func(b *Behaviour) { b.wire.most = func() int64 { return 64 << 10 } },
	// A32: either of two offered subprotocols.
	"json-is-preferred": func(b *Behaviour) {
		b.upgrade.choose = func(u *upgrade) *Refusal {
			p := chooseSubprotocol(u)
			if p == nil && u.chosen == subprotocolBinary && slices.Contains(u.offered, subprotocolJSON) {
				u.chosen = subprotocolJSON
			}
			return p
		}
	},
	// The wire reference, 1: "Bodies of refusals are free"; 400, 405 or 426 for what is no handshake.
	"refused-upgrades-answer-a-page": func(b *Behaviour) {
		b.upgrade.refused = func(_ *upgrade, p *Refusal) Answer {
			return Answer{Serve: func(w http.ResponseWriter) {
				maps.Copy(w.Header(), p.Header)
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(p.Status)
				_, _ = io.WriteString(w, "<h1>"+http.StatusText(p.Status)+"</h1>")
			}}
		}
	},
	// The wire reference, 7.8: the params are free.
	"terminals-have-two-controllers": func(b *Behaviour) {
		limit(b, func(l *limits) { l.controllers = max(l.controllers, 2) })
	},
	// The wire reference, 7.8: the params are free.
	"terminals-have-five-observers": func(b *Behaviour) { limit(b, func(l *limits) { l.observers = 5 }) },
	// The wire reference, 7.8: the params are free.
	"terminals-are-80x24-and-often-repainted": func(b *Behaviour) {
		limit(b, func(l *limits) { l.cols, l.rows, l.keyframeFrames, l.keyframeSeconds = 80, 24, 6, 1 })
	},
}

func limit(b *Behaviour, change func(*limits)) {
	was := b.limits
	b.limits = func(l limits) limits {
		l = was(l)
		change(&l)
		return l
	}
}

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

// joinLiberties are about joins, roles and the roster.
var joinLiberties = map[string]func(*Behaviour){
	// Notation of the catalogs: a join is collected for up to 3 s.
	"joins-take-a-second": func(b *Behaviour) {
		b.setOperation("pty.join_session", func(o operation) operation {
			run := o.run
			o.run = func(c *connection, r *request) *frameError {
				time.Sleep(700 * time.Millisecond)
				return run(c, r)
			}
			return o
		})
	},
	// A17: after the Keyframe on a reconnect.
	"the-roster-comes-last-on-a-return": func(b *Behaviour) {
		announce, repaint := b.join.announce, b.join.repaint
		b.join.announce = func(j *joining) {
			if !j.replays {
				announce(j)
			}
		}
		b.join.repaint = func(j *joining) {
			repaint(j)
			if j.replays {
				announce(j)
			}
		}
	},
	// A18: a further Keyframe before the replay is accepted.
	"a-keyframe-comes-before-the-replay": func(b *Behaviour) {
		replay := b.join.replay
		b.join.replay = func(j *joining) {
			if j.replays && !j.lost {
				j.session.keyframe(j.c, causeJoin)
			}
			replay(j)
		}
	},
	// PTX-018: a Resize before the Keyframe of the first join is fine.
	"a-first-join-tells-the-size": func(b *Behaviour) {
		announce := b.join.announce
		b.join.announce = func(j *joining) {
			announce(j)
			if s := j.session; j.c.controller && len(s.members) == 1 && s.closed == nil {
				s.applySize(j.c, s.cols, s.rows, true)
			}
		}
	},
	// PTX-015: a label that was not given is absent, null or empty; no sentence orders the roster.
	"rosters-are-in-another-order": func(b *Behaviour) {
		b.roles.member = func(c *connection, entry map[string]any) {
			if c.label == "" {
				entry["label"] = ""
			}
		}
		b.stream.roster = func(_ *connection, v map[string]any) {
			for _, name := range []string{"controllers", "observers"} {
				list, _ := v[name].([]any)
				slices.Reverse(list)
			}
		}
	},
	// No sentence: a roster may be told again, it is complete each time.
	"rosters-are-told-twice": func(b *Behaviour) {
		announce := b.join.announce
		b.join.announce = func(j *joining) {
			announce(j)
			announce(j)
		}
	},
	// PTX-022: PERMISSION_DENIED is accepted.
	"roles-beyond-capacity-are-denied": func(b *Behaviour) {
		onRequest := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := onRequest(s, c, controller)
			if err == nil && controller && !granted {
				err = denied("the session has its controllers")
			}
			return granted, err
		}
	},
	// A58: RoleAssigned again, or an Error.
	"second-joins-are-assigned-again": func(b *Behaviour) {
		b.roles.again = func(s *session, c *connection, _ *joining) *frameError {
			s.emit(s.roleFrame(c, false, ""))
			return nil
		}
	},
	// PTX-008: downgraded and reason are optional.
	"roles-tell-why": func(b *Behaviour) {
		b.roles.assigned = func(v map[string]any) {
			if v["reason"] == nil {
				v["reason"] = strings.Repeat("é", 256)
			}
			if v["downgraded"] == false {
				delete(v, "downgraded")
			}
		}
	},
	// The wire reference, 3.2: detail may stand in a goodbye; RFC 6455, 5.5.1: a close may have a reason.
	"goodbyes-say-more": func(b *Behaviour) {
		b.ending.goodbye = func(c *connection, reason string) {
			f := goodbyeFrame(reason)
			f.payload["detail"] = "see you"
			c.say(f)
			c.end(closeNormal, "über")
		}
		b.ending.closed = func(v map[string]any) { v["detail"] = strings.Repeat("x", 1024) }
	},
}

// repaintLiberties are about output, sizes and Keyframes.
var repaintLiberties = map[string]func(*Behaviour){
	// The wire reference, 4.2: output may be cut anywhere.
	"output-comes-byte-by-byte": func(b *Behaviour) {
		chunk := b.terminal.chunk
		b.terminal.chunk = func(h *Hub) int {
			if h.lawful.Below(3) > 0 {
				return 1 + h.lawful.Below(2)
			}
			return chunk(h)
		}
	},
	// A45: the interval is an upper bound.
	"keyframes-come-often": func(b *Behaviour) {
		cadence := b.terminal.cadence
		b.terminal.cadence = func(s *session) bool { return cadence(s) || s.cadence.outputs >= 3 }
	},
	// A46: requested ones may go to all.
	"requested-keyframes-go-to-all": func(b *Behaviour) {
		b.terminal.answers = func(s *session, c *connection) {
			if wait := time.Until(c.keyframes.last.Add(time.Second)); wait > 0 || s.armed[faultSnapshot] {
				answerKeyframe(s, c)
				return
			}
			c.keyframes.last = time.Now()
			s.keyframe(nil, causeRequest)
		}
	},
	// A44: later than 1 s warns.
	"requested-keyframes-take-their-time": func(b *Behaviour) {
		answers := b.terminal.answers
		b.terminal.answers = func(s *session, c *connection) {
			s.hub.run(func() {
				s.hub.pause(600 * time.Millisecond)
				s.mu.Lock()
				defer s.mu.Unlock()
				if c.joined && !s.stopped {
					answers(s, c)
				}
			})
		}
	},
	// A19: up to the own number.
	"anchors-are-their-own-number": func(b *Behaviour) {
		b.terminal.keyframe = func(s *session, v map[string]any) { v["anchor_sequence"] = s.head + 1 }
	},
	// No sentence: a size that is in force already is no news.
	"resizing-to-the-same-size-is-no-news": func(b *Behaviour) {
		b.terminal.tells = func(s *session, cols, rows int) bool { return cols != s.cols || rows != s.rows }
	},
	// A19: the format of snapshots is opaque.
	"snapshots-hold-more": func(b *Behaviour) {
		snapshot := b.terminal.snapshot
		b.terminal.snapshot = func(s *session) []byte {
			return slices.Concat(bytes.Repeat([]byte("\x00scrollback\x1b[0m"), 400), snapshot(s))
		}
	},
	// A20: the words of section 9 are in the union.
	"sessions-close-with-another-reason": func(b *Behaviour) {
		b.ending.closed = func(v map[string]any) {
			if v["reason"] == "normal" {
				v["reason"] = "command_result"
			}
		}
	},
}

// boundTaskLiberties are about tasks over the binding.
var boundTaskLiberties = map[string]func(*Behaviour){
	// A22: all three spellings.
	"states-are-in-upper-case": func(b *Behaviour) {
		spellStates(b, func(state string) string { return strings.ToUpper(strings.ReplaceAll(state, "-", "_")) })
	},
	// A22: all three spellings.
	"states-are-those-of-a2a-1.0": func(b *Behaviour) {
		spellStates(b, func(state string) string { return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_")) })
	},
	// A26: one task a session.
	"a-session-has-one-task": func(b *Behaviour) {
		var mu sync.Mutex
		current := map[*session]string{}
		send := b.tasks.send
		b.tasks.send = func(c *connection, message map[string]any, r *request) (Task, *Refusal) {
			mu.Lock()
			defer mu.Unlock()
			_, named := message["taskId"]
			_, context := message["contextId"]
			if id := current[c.session]; id != "" && !named && !context {
				if t, known := c.b.tasks.get(c, id); known && !t.Over {
					message = maps.Clone(message)
					message["taskId"] = id
				}
			}
			t, p := send(c, message, r)
			if p == nil && !named && !context {
				current[c.session] = t.ID
			}
			return t, p
		}
	},
	// A27: further recipients, but none that has unsubscribed.
	"updates-go-to-everyone": func(b *Behaviour) {
		var mu sync.Mutex
		left := map[*connection]map[string]bool{}
		unsub := b.tasks.unsub
		b.tasks.unsub = func(c *connection, r *request, id string) {
			mu.Lock()
			if left[c] == nil {
				left[c] = map[string]bool{}
			}
			left[c][id] = true
			mu.Unlock()
			unsub(c, r, id)
		}
		receives := b.tasks.receives
		b.tasks.receives = func(c *connection, f *frame) bool {
			mu.Lock()
			defer mu.Unlock()
			return receives(c, f) || !left[c][f.task]
		}
	},
	// A48: anywhere in the frame.
	"service-parameters-stand-in-the-metadata": func(b *Behaviour) {
		editEnvelopes(b, func(_ *connection, d delivery, env map[string]any) {
			params, given := env["service_parameters"]
			if !given || d.frame.op != opUpdate {
				return
			}
			delete(env, "service_parameters")
			payload := maps.Clone(env["payload"].(map[string]any))
			task := maps.Clone(payload["task"].(map[string]any))
			metadata, _ := task["metadata"].(map[string]any)
			if metadata = maps.Clone(metadata); metadata == nil {
				metadata = map[string]any{}
			}
			metadata["service_parameters"] = params
			task["metadata"], payload["task"] = metadata, task
			env["payload"] = payload
		})
	},
	// PTY-075, PTY-076: null, empty or absent.
	"last-pages-have-an-empty-token": func(b *Behaviour) {
		editEnvelopes(b, func(c *connection, d delivery, env map[string]any) {
			payload := env["payload"].(map[string]any)
			if next, given := payload["next_page_token"]; d.frame.op == "ListTasks.Response" && given && next == nil {
				payload = maps.Clone(payload)
				if payload["next_page_token"] = ""; c.hub.lawful.Below(2) == 0 {
					delete(payload, "next_page_token")
				}
				env["payload"] = payload
			}
		})
	},
	// PTY-082: a second Unsubscribe may give an Error.
	"a-second-unsubscribe-is-refused": func(b *Behaviour) {
		unsub := b.tasks.unsub
		b.tasks.unsub = func(c *connection, r *request, id string) {
			c.session.mu.Lock()
			subscribed := !c.subscribed[id].IsZero()
			c.session.mu.Unlock()
			if !subscribed {
				c.refuse(r.id, noTask())
				return
			}
			unsub(c, r, id)
		}
	},
	// A28: UNSUPPORTED_OPERATION.
	"ended-tasks-cannot-be-subscribed": func(b *Behaviour) {
		b.setOperation("SubscribeToTask", func(o operation) operation {
			run := o.run
			o.run = func(c *connection, r *request) *frameError {
				if id, ok := r.payload["task_id"].(string); ok && r.replayFrom == nil {
					if t, known := c.b.tasks.get(c, id); known && t.Over {
						return unsupported("the task has ended")
					}
				}
				return run(c, r)
			}
			return o
		})
	},
	// A24: kind and final are older members.
	"updates-have-older-members": func(b *Behaviour) {
		payload := b.tasks.payload
		b.tasks.payload = func(v map[string]any) {
			payload(v)
			delta := v["delta"].(map[string]any)
			delta["kind"], delta["final"] = "status-update", false
		}
	},
}

// spellStates spells the states of tasks in replies and updates.
func spellStates(b *Behaviour, spell func(string) string) {
	respell := func(v map[string]any) map[string]any {
		v = maps.Clone(v)
		status := maps.Clone(v["status"].(map[string]any))
		state, _ := status["state"].(string)
		status["state"], v["status"] = spell(state), status
		return v
	}
	shown, payload := b.tasks.shown, b.tasks.payload
	b.tasks.shown = func(c *connection, op string, t Task, rendered map[string]any) map[string]any {
		return respell(shown(c, op, t, rendered))
	}
	b.tasks.payload = func(v map[string]any) {
		payload(v)
		for _, name := range []string{"task", "delta"} {
			if part, is := v[name].(map[string]any); is {
				v[name] = respell(part)
			}
		}
	}
}
