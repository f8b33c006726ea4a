// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"
)

// streamLiberties are about event streams.
var streamLiberties = map[string]func(*behaviour){
	// Wire shapes, 6: lines end in LF, CRLF or CR.
	"lines-end-with-cr": func(b *behaviour) {
		changeText(b, func(_ *eventStream, text []byte) []byte {
			return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r"))
		})
	},
	// Wire shapes, 6: one optional BOM at the start.
	"streams-begin-with-a-bom": func(b *behaviour) {
		write := b.sse.write
		b.sse.write = func(s *eventStream, text []byte) {
			if s.emitted == 0 {
				text = append([]byte("\ufeff"), text...)
			}
			write(s, text)
		}
	},
	// Wire shapes, 6: a comment dispatches nothing; retry is digits; id without a value; an event without data is not dispatched.
	"streams-say-more-between-events": func(b *behaviour) {
		changeText(b, func(_ *eventStream, text []byte) []byte {
			return slices.Concat([]byte(": hello\n:\n::\nretry: 1500\n\nevent: ping\n\nevent\n\n"), text)
		})
	},
	// SSE-003: chunk borders may fall anywhere.
	"streams-come-in-small-pieces": func(b *behaviour) {
		b.sse.write = func(s *eventStream, text []byte) {
			for piece := range slices.Chunk(text, 11) {
				s.write(piece)
			}
		}
	},
	// SSE-020: ids need not be numbers.
	"events-have-uuids": func(b *behaviour) {
		b.sse.frame = func(s *eventStream, ev event) []byte {
			s.numbers = false
			return append([]byte("id: "+newID()+"\n"), s.frame(ev)...)
		}
	},
	// SSE-020: ids are optional on each event; an event without one has that of the event before (WHATWG HTML).
	"the-first-event-alone-has-an-id": func(b *behaviour) {
		frame := b.sse.frame
		b.sse.frame = func(s *eventStream, ev event) []byte {
			s.numbers = s.last == 0
			return frame(s, ev)
		}
	},
	// SSE-010: an identical final Task may follow the terminal update.
	"the-end-is-told-twice": func(b *behaviour) {
		updates := b.sse.updates
		b.sse.updates = func(s *eventStream, before, now task) []event {
			events := updates(s, before, now)
			if now.terminal() {
				events = append(events, s.snapshot(now))
			}
			return events
		}
	},
	// No sentence: an update may say what the snapshot has said.
	"snapshots-are-followed-by-their-status": func(b *behaviour) {
		snapshot := b.sse.snapshot
		b.sse.snapshot = func(s *eventStream, t task) []event {
			events := snapshot(s, t)
			if !t.terminal() {
				events = append(events, s.update("status", t, map[string]any{"status": t.status()}))
			}
			return events
		}
	},
	// AMB-28: messages and artifacts are known kinds of events.
	"agents-chat-on-streams": func(b *behaviour) {
		updates := b.sse.updates
		b.sse.updates = func(s *eventStream, before, now task) []event {
			m := map[string]any{"kind": "message", "role": "agent", "messageId": newID(), "taskId": now.ID, "contextId": now.ContextID, "parts": []any{map[string]any{"kind": "text", "text": "grüße\n\ndata: 1"}}}
			chat := event{name: "message", data: m, task: now}
			if s.form == formWrapped {
				chat.data = map[string]any{"message": m}
			}
			if now.Tenant != "" {
				m["metadata"] = map[string]any{"tenant_id": now.Tenant}
			}
			return append([]event{chat}, updates(s, before, now)...)
		}
	},
	// RFC 9110, 8.3.1: a parameter may be quoted, values of charset are case-insensitive; RFC 9111, 5.2: so are directives.
	"stream-headers-are-spelled-otherwise": func(b *behaviour) {
		header := b.sse.header
		b.sse.header = func(h http.Header) {
			header(h)
			h.Set("Content-Type", `Text/Event-Stream; Charset="UTF-8"`)
			h.Set("Cache-Control", "No-Transform, No-Cache")
		}
	},
	// SSE-009: within 5 s; each subscription of an executor that polls has its own pace.
	"each-stream-has-its-own-pace": func(b *behaviour) {
		updates := b.sse.updates
		b.sse.updates = func(s *eventStream, before, now task) []event {
			time.Sleep(s.c.e.lawful.Between(0, 900*time.Millisecond))
			return updates(s, before, now)
		}
	},
	// SSE-011, TASK-029: a stream may end at an interrupted state.
	"streams-end-when-the-client-is-asked": func(b *behaviour) {
		ends := b.sse.ends
		b.sse.ends = func(s *eventStream, t task) bool { return ends(s, t) || interrupted(t.State) }
	},
	// AMB-11: an ended task may refuse subscriptions.
	"ended-tasks-cannot-be-followed": func(b *behaviour) {
		b.sse.opens = func(_ *call, t task) *problem {
			if t.terminal() {
				return refuse(http.StatusBadRequest, "UNSUPPORTED_OPERATION", "the task has ended")
			}
			return nil
		}
	},
	// SSE-008: the first event is complete within 5 s.
	"snapshots-take-a-second": func(b *behaviour) {
		snapshot := b.sse.snapshot
		b.sse.snapshot = func(s *eventStream, t task) []event {
			time.Sleep(800 * time.Millisecond)
			return snapshot(s, t)
		}
	},
}

// changeText changes what streams send, heartbeats too.
func changeText(b *behaviour, change func(s *eventStream, text []byte) []byte) {
	frame, heartbeat, followed := b.sse.frame, b.sse.heartbeat, b.admin.followed
	b.sse.frame = func(s *eventStream, ev event) []byte { return change(s, frame(s, ev)) }
	b.sse.heartbeat = func(s *eventStream) []byte { return change(s, heartbeat(s)) }
	b.admin.followed = func(s *eventStream, one entry, name string) []byte { return change(s, followed(s, one, name)) }
}

// pushLiberties are about push notification configs and deliveries.
var pushLiberties = map[string]func(*behaviour){
	// PUSH-013: within 10 s.
	"deliveries-wait-in-a-queue": func(b *behaviour) {
		b.push.inTurn = func(deliver func()) {
			time.Sleep(300 * time.Millisecond)
			deliver()
		}
	},
	// No sentence: a receiver may be told at once how things are.
	"a-new-config-is-told-the-state": func(b *behaviour) {
		replaces := b.push.replaces
		b.push.replaces = func(e *Executor, p pushConfig) error {
			e.agenda.after("", 30*time.Millisecond, func() {
				if in, found := e.instances.find(p.Instance); found {
					if t, found := in.getTask(p.Task); found && !t.terminal() && e.b.push.exists(e, p) {
						e.push.enqueue(p, e.b.push.body(t))
					}
				}
			})
			return replaces(e, p)
		}
	},
	// Wire shapes, 14: delivery is at least once.
	"deliveries-are-repeated": func(b *behaviour) {
		b.push.sent = func(p *pusher, config pushConfig, body []byte, tried int) {
			if tried == 1 {
				p.attempt(config, body, tried)
			}
		}
	},
	// PUSH-014, AMB-32: any form of wire shapes 1.5, any JSON media type; HTTP leaves chunks and further fields free.
	"deliveries-are-status-updates": func(b *behaviour) {
		b.push.body = func(t task) []byte {
			v := map[string]any{"taskId": t.ID, "contextId": t.ContextID, "status": t.status(), "final": t.terminal(), "metadata": t.metadata()}
			return append(t.in.e.lawful.Encode(map[string]any{"statusUpdate": v}), " \n"...)
		}
		header := b.push.header
		b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) {
			header(p, body, now, h)
			h.Set("Content-Type", "application/a2a+json; charset=utf-8")
			h.Set("Traceparent", "00-"+newTrace()+"-00f067aa0ba902b7-01")
			h.Set("X-Delivery", newID())
		}
		b.push.asks = func(r *http.Request) { r.ContentLength = -1 }
	},
	// AMB-32: a Task is one of the forms.
	"deliveries-are-tasks": func(b *behaviour) {
		b.push.body = func(t task) []byte { return t.in.e.lawful.Encode(t.render(-1)) }
	},
	// No sentence: A2A 13.2 has servers verify webhooks; an OPTIONS is the handshake of CloudEvents.
	"webhooks-are-asked-first": func(b *behaviour) {
		created := b.push.created
		b.push.created = func(c *call, p *pushConfig) {
			created(c, p)
			at := p.URL
			c.e.agenda.after("", time.Millisecond, func() {
				limit, cancel := context.WithTimeout(c.e.push.ctx, time.Second)
				defer cancel()
				request, err := http.NewRequestWithContext(limit, http.MethodOptions, at, nil)
				if err != nil {
					return
				}
				request.Header.Set("WebHook-Request-Origin", "sandbox.example")
				if response, err := c.e.push.client.Do(request); err == nil {
					response.Body.Close()
				}
			})
		}
	},
	// PUSH-003 to 006 name members, and leave the others free; PUSH-001: the id is a string that is not empty.
	"configs-look-otherwise": func(b *behaviour) {
		created, lists := b.push.created, b.push.lists
		b.push.created = func(c *call, p *pushConfig) {
			created(c, p)
			p.ID = "h" + p.ID[24:]
		}
		b.push.shows = func(p pushConfig, v map[string]any) {
			v["taskId"], v["name"], v["last_delivery_at"], v["token"], v["enabled"] = p.Task, nil, nil, nil, true
		}
		b.push.lists = func(e *Executor, task string) []pushConfig {
			list := lists(e, task)
			slices.Reverse(list)
			return list
		}
	},
	// AMB-32: a target may answer hmac with 4xx; wire shapes, 14: `authentication` is no member of the contract's configs.
	"webhooks-cannot-be-signed": func(b *behaviour) {
		auth := b.push.auth
		b.push.auth = func(p *pushConfig, body map[string]any) *problem {
			delete(body, "authentication")
			if given, ok := body["auth"].(map[string]any); ok && given["type"] == "hmac" {
				return refuse(http.StatusUnprocessableEntity, "push.invalid_auth", "auth.type is not none or bearer")
			}
			return auth(p, body)
		}
	},
	// PUSH-020: growing delays, which are free.
	"retries-come-sooner": func(b *behaviour) {
		pause := b.push.pause
		b.push.pause = func(first time.Duration, tried int) time.Duration {
			return pause(first/2, tried) + time.Duration(tried)*first/8
		}
	},
}
