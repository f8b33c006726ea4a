// SPDX-License-Identifier: Apache-2.0

package fleet

import "net/http"

var messageFaults = map[string]func(*behaviour){
	"envelopes-only": speakEnvelopes,
	"answers-with-both": func(b *behaviour) {
		b.messages.wrapped = func(_ *call, task object) any {
			return object{"task": task, "message": object{
				"messageId": messageID(), "role": "ROLE_AGENT", "parts": []any{object{"text": "echo"}},
			}}
		}
	},
	"message-answers-in-an-envelope": func(b *behaviour) {
		b.messages.wrapped = func(_ *call, task object) any {
			return object{"jsonrpc": "2.0", "id": nil, "result": object{"task": task}}
		}
	},
	"parse-error-is-500":     toBadJSON(http.StatusInternalServerError),
	"parse-error-is-200":     toBadJSON(http.StatusOK),
	"no-message-stream":      without("POST " + streamPath),
	"message-stream-is-json": func(b *behaviour) { b.messages.stream = sendREST },
}

// toBadJSON answers a body that is not JSON with another status.
func toBadJSON(status int) func(*behaviour) {
	return func(b *behaviour) {
		b.messages.refused = func(c *call, f *failure) answer {
			if f.kind == malformed {
				return c.text(status, f.message)
			}
			return c.refuse(f)
		}
	}
}

var taskFaults = map[string]func(*behaviour){
	"states-in-small-letters": func(b *behaviour) {
		b.tasks.state = func(*call, string) any { return "completed" }
	},
	"roles-in-small-letters": func(b *behaviour) { b.tasks.role = func(*call) any { return "agent" } },
	"snapshot-stays-empty":   func(b *behaviour) { b.tasks.stored = func(*call) []*task { return nil } },
	"one-task-store": func(b *behaviour) {
		b.tasks.stored = func(c *call) (all []*task) {
			for _, a := range c.s.members {
				all = append(all, a.all()...)
			}
			return all
		}
	},
	"state-as-number": onEntries(func(_ *task, v object) { v["state"] = 3 }),
	"last-event-without-zone": onEntries(func(t *task, v object) {
		v["last_event_at"] = t.at.Format("2006-01-02 15:04:05")
	}),
	"snapshot-without-ids": onEntries(func(t *task, v object) {
		delete(v, "id")
		v["task_id"] = t.id
	}),
}

// onEntries changes the tasks of a snapshot.
func onEntries(change func(t *task, v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.entry = func(_ *call, t *task, v object) { change(t, v) }
	}
}
