// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"sync"
)

// streamClientFaults break what only some of those see who begin, follow or leave a stream, or who look at its task elsewhere.
var streamClientFaults = map[string]func(*behaviour){
	"continuing-streams-start-with-an-update": continuingStreams(func(t task) []event { return []event{{kind: "statusUpdate", task: t}} }),
	"continuing-streams-tell-the-question-again": continuingStreams(func(t task) []event {
		question := t
		question.state, question.changed, question.says = inputRequired, t.created, nil
		return []event{{kind: "task", task: t}, {kind: "statusUpdate", task: question}}
	}),
	"artifact-follows-a-cancel": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if ev.kind != "statusUpdate" || ev.task.state != canceled {
				return []event{ev}
			}
			late := artifact{id: "late", parts: []object{{"text": "That was forgotten."}}}
			return []event{ev, {kind: "artifactUpdate", chunk: late, task: ev.task}}
		}
	},
	"subscriptions-tell-the-kind-of-artifacts": func(b *behaviour) {
		b.output.artifactUpdate = func(c *call, _ event, v object) {
			if isOp(c, "SubscribeToTask") {
				v["kind"] = "artifact-update"
			}
		}
	},
	"lists-nest-the-texts-of-artifacts": func(b *behaviour) {
		b.output.artifact = func(c *call, v object) {
			parts, _ := v["parts"].([]any)
			for _, part := range parts {
				if text, is := part.(object)["text"]; is && isOp(c, "ListTasks") {
					part.(object)["text"] = object{"text": text}
				}
			}
		}
	},
	"streamed-tasks-are-not-listed": func(b *behaviour) {
		streamed := map[string]bool{} // by task; with the lock held
		b.tasks.id = func(c *call, message object) string {
			id := conformantTasks.id(c, message)
			streamed[id] = isOp(c, "SendStreamingMessage")
			return id
		}
		b.list.matches = func(c *call, q query, t *task) bool { return !streamed[t.id] && conformantList.matches(c, q, t) }
	},
	"rpc-refused-streams-have-status-400": func(b *behaviour) {
		b.rpc.status = func(c *call, f *failure) int {
			status := conformantRPC.status(c, f)
			if status == http.StatusOK && c.op != nil && c.op.needs == "streaming" {
				return http.StatusBadRequest
			}
			return status
		}
	},
	"chunks-are-not-stored-once-their-stream-was-left": func(b *behaviour) {
		var left sync.Map // by task
		b.stream.lost = func(c *call, t task) {
			if isOp(c, "SendStreamingMessage") {
				left.Store(t.id, true)
			}
		}
		b.agent.stores = func(t *task, a artifact, more bool) {
			if _, gone := left.Load(t.id); !gone || !more {
				storeChunk(t, a, more)
			}
		}
	},
	"chunks-are-stored-for-every-stream": func(b *behaviour) {
		b.agent.stores = func(t *task, a artifact, more bool) {
			storeChunk(t, a, more)
			streams := 0
			for _, w := range t.watchers {
				if w.streams {
					streams++
				}
			}
			for ; more && streams > 1; streams-- {
				storeChunk(t, a, more)
			}
		}
	},
	"canceled-tasks-are-replayed": opensAt(canceled, func(*call, *task) *failure { return nil }),
	"subscriptions-that-are-left-cancel-their-task": func(b *behaviour) {
		b.stream.lost = func(c *call, t task) {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			if stored := c.s.tasks[t.id]; isOp(c, "SubscribeToTask") && stored != nil && !terminal(stored.state) {
				c.s.b.tasks.cancel(c, stored)
			}
		}
	},
}

// continuingStreams changes what the streams of messages begin with that go on with a task.
func continuingStreams(begins func(t task) []event) func(*behaviour) {
	return func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			if message, _ := c.params["message"].(object); isOp(c, "SendStreamingMessage") && message["taskId"] != nil {
				return begins(t)
			}
			return conformantStream.begins(c, t)
		}
	}
}
