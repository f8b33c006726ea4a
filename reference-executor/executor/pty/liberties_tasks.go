// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"maps"
	"strings"
	"sync"
)

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
	// PTY-075: page_size asks for so many at most.
	"terminal-pages-are-small": func(b *Behaviour) {
		list := b.tasks.list
		b.tasks.list = func(c *connection, q Query) ([]Task, string, *Refusal) {
			q.Limit = min(q.Limit, 6)
			return list(c, q)
		}
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
