// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// continuedStreamFaults keep the specification in the streams of a task that is begun, and break it in those of one that waits
// or that a message goes on with, and in those of a direct answer within a context.
var continuedStreamFaults = map[string]func(*behaviour){
	"continuing-streams-stay-open": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool { return conformantStream.ends(st, ev) && !continues(st.c) }
	},
	"continuing-streams-end-with-the-question": func(b *behaviour) {
		continuingStreams(func(t task) []event {
			t.state = inputRequired
			return []event{{kind: "task", task: t}}
		})(b)
		b.stream.ends = func(st *eventStream, ev event) bool { return conformantStream.ends(st, ev) || continues(st.c) }
	},
	"continuing-streams-append-to-nothing": func(b *behaviour) {
		b.stream.item = func(st *eventStream, ev event) object {
			v := conformantStream.item(st, ev)
			if update, is := v["artifactUpdate"].(object); is && continues(st.c) {
				update["append"] = true
			}
			return v
		}
	},
	"continuing-streams-go-back-to-submitted": continuingStreams(func(t task) []event {
		again := t
		again.state, again.says = submitted, nil
		return []event{{kind: "task", task: t}, {kind: "statusUpdate", task: again}}
	}),
	"continuing-streams-hide-the-next-question": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			if continues(st.c) && ev.task.state == inputRequired {
				return nil
			}
			return []event{ev}
		}
	},
	"streams-go-on-with-failed-tasks":   streamsTake(failed),
	"streams-go-on-with-rejected-tasks": streamsTake(rejected),
	"streams-go-on-with-canceled-tasks": streamsTake(canceled),
	"later-subscriptions-start-with-the-task-of-the-first": func(b *behaviour) {
		first := map[string]task{} // the lock is held by those who subscribe
		b.stream.begins = func(c *call, t task) []event {
			if !subscribes(c) {
				return conformantStream.begins(c, t)
			}
			if _, known := first[t.id]; !known {
				first[t.id] = t
			}
			return conformantStream.begins(c, first[t.id])
		}
	},
	"subscriptions-to-what-waits-end-with-the-answer": func(b *behaviour) {
		waited := beganWaiting(b)
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) || waited(st.c) && ev.kind == "statusUpdate" && ev.task.state == working
		}
	},
	"subscriptions-to-what-waits-silence-earlier-ones": func(b *behaviour) {
		var mu sync.Mutex
		waiting := map[*call]string{} // subscriptions that are open, with their task and binding
		b.stream.begins = func(c *call, t task) []event {
			if subscribes(c) && interrupted(t.state) {
				mu.Lock()
				defer mu.Unlock()
				waiting[c] = t.id + " " + c.binding
			}
			return conformantStream.begins(c, t)
		}
		b.stream.closes = func(st *eventStream) {
			mu.Lock()
			defer mu.Unlock()
			delete(waiting, st.c)
		}
		b.stream.tells = func(t *task, _ event, _ *watcher, n int) bool {
			mu.Lock()
			defer mu.Unlock()
			open := map[string]int{}
			for _, of := range waiting {
				if open[of]++; open[of] > 1 && n == 0 && strings.HasPrefix(of, t.id+" ") {
					return false
				}
			}
			return true
		}
	},
	"subscriptions-to-what-waits-stay-open-after-the-end": func(b *behaviour) {
		waited := beganWaiting(b)
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) && (!waited(st.c) || ev.task.state == canceled)
		}
	},
	"canceled-questions-keep-their-streams-open": func(b *behaviour) {
		waited := beganWaiting(b)
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) && (!waited(st.c) || ev.task.state != canceled)
		}
	},
	"canceled-questions-are-not-told-to-their-streams": func(b *behaviour) {
		waited := beganWaiting(b)
		b.stream.passes = func(st *eventStream, ev event) []event {
			if waited(st.c) && ev.task.state == canceled {
				return nil
			}
			return []event{ev}
		}
	},
	"subscriptions-end-within-an-event": func(b *behaviour) {
		b.stream.frame = func(st *eventStream, v any) []byte {
			event := conformantStream.frame(st, v)
			if !subscribes(st.c) {
				return event
			}
			whole := bytes.TrimSuffix(bytes.TrimSuffix(event, []byte("\n")), []byte("\r"))
			text := slices.Concat(st.pending, whole)
			st.pending = event[len(whole):]
			return text
		}
	},
	"direct-answers-in-a-named-context-are-streamed-twice": func(b *behaviour) {
		b.stream.direct = func(c *call, message object) []event {
			if namesContext(c) {
				return []event{{kind: "message", message: message}, {kind: "message", message: message}}
			}
			return conformantStream.direct(c, message)
		}
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) && (ev.kind != "message" || !namesContext(st.c) || st.sent > 1)
		}
	},
	"direct-answers-in-a-named-context-keep-their-stream-open": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			if ev.kind == "message" && namesContext(st.c) {
				select {
				case <-st.c.r.Context().Done():
				case <-st.c.s.stopping.Done():
				}
			}
			return conformantStream.ends(st, ev)
		}
	},
}

// continues says whether a stream is that of a message which names a task.
func continues(c *call) bool {
	message, _ := c.params["message"].(object)
	id, _ := message["taskId"].(string)
	return isOp(c, "SendStreamingMessage") && id != ""
}

func namesContext(c *call) bool {
	message, _ := c.params["message"].(object)
	id, _ := message["contextId"].(string)
	return isOp(c, "SendStreamingMessage") && id != ""
}

// streamsTake lets a message whose answer is a stream go on with a task that has ended in one state.
func streamsTake(state string) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.closed = func(c *call, t *task) *failure {
			if t.state == state && isOp(c, "SendStreamingMessage") {
				return nil
			}
			return conformantTasks.closed(c, t)
		}
	}
}

// beganWaiting tells which subscriptions were made while their task waited for somebody.
func beganWaiting(b *behaviour) func(c *call) bool {
	var waited sync.Map // by call
	b.stream.begins = func(c *call, t task) []event {
		if subscribes(c) && interrupted(t.state) {
			waited.Store(c, true)
		}
		return conformantStream.begins(c, t)
	}
	return func(c *call) bool {
		_, is := waited.Load(c)
		return is
	}
}
