// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"time"

	"github.com/tmaxmax/go-sse"
)

// streamCourseFaults are what can be wrong with the order of events, with when they are sent, and with how streams end.
var streamCourseFaults = map[string]func(*behaviour){
	"stream-stays-open-after-the-end": func(b *behaviour) { b.stream.ends = func(*eventStream, event) bool { return false } },
	"stream-ends-before-the-last-status": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if terminal(ev.task.state) {
				return nil
			}
			return []event{ev}
		}
	},
	"streams-of-failed-tasks-stay-open": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) && ev.task.state != failed
		}
	},
	"streams-hide-failures": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if ev.task.state == failed {
				return nil
			}
			return []event{ev}
		}
	},
	"stream-ends-while-the-task-works": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool { return conformantStream.ends(st, ev) || st.sent >= 3 }
	},
	"artifact-follows-the-end": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if ev.kind != "statusUpdate" || !terminal(ev.task.state) {
				return []event{ev}
			}
			late := artifact{id: "late", parts: []object{{"text": "That was forgotten."}}}
			return []event{ev, {kind: "artifactUpdate", chunk: late, task: ev.task}}
		}
	},
	"stream-tells-two-ends": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if !terminal(ev.task.state) {
				return []event{ev}
			}
			return []event{ev, ev}
		}
	},
	"streams-tell-a-step-twice": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if ev.kind == "statusUpdate" && textOf(ev.task.says) == "step 2" {
				return []event{ev, ev}
			}
			return []event{ev}
		}
	},
	"events-overtake-each-other": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			held := st.held
			switch {
			case st.sent == 1 && len(held) == 0 && ev.kind == "statusUpdate" && ev.task.state == working:
				st.held = []event{ev}
				return nil
			case len(held) > 0 && ev.kind == "statusUpdate" && ev.task.state == working:
				st.held = nil
				return []event{ev, held[0]}
			case len(held) > 0 && ev.kind == "statusUpdate":
				st.held = nil
				return []event{held[0], ev}
			}
			return []event{ev}
		}
	},
	"stream-goes-back-to-submitted": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if ev.kind != "statusUpdate" || ev.task.state != working {
				return []event{ev}
			}
			again := ev
			again.task.state = submitted
			return []event{ev, again}
		}
	},
	"messages-wake-what-has-ended": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if ev.kind != "statusUpdate" || ev.task.state != completed || ev.task.scenario != "long-running" || !answersTwo(ev.task) {
				return []event{ev}
			}
			again := ev
			again.task.state = working
			return []event{ev, again, ev}
		}
	},
	"what-is-said-meanwhile-is-begun-afterwards": func(b *behaviour) {
		b.tasks.joins = func(c *call, t *task, message object) bool {
			if !terminal(t.state) && t.scenario == "long-running" {
				t.scenario = begunAgain
				c.s.running.Go(func() { beginAgain(c.s, t) })
			}
			return conformantTasks.joins(c, t, message)
		}
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) && (ev.task.scenario != begunAgain || ev.task.state != completed || len(ev.task.artifacts) > 1)
		}
	},
	"stream-arrives-at-its-end": func(b *behaviour) {
		b.stream.write = func(st *eventStream, text []byte) { st.pending = append(st.pending, text...) }
		b.stream.closes = func(st *eventStream) { st.write(st.pending) }
	},
	"streams-return-immediately": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			configuration, _ := st.c.params["configuration"].(object)
			return conformantStream.ends(st, ev) || configuration["returnImmediately"] == true
		}
	},
	"stream-hides-the-question": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if ev.task.state == inputRequired {
				return nil
			}
			return []event{ev}
		}
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) || ev.kind == "statusUpdate" && ev.task.state == inputRequired
		}
	},
	"stream-ends-at-auth-required": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) || ev.task.state == authRequired
		}
	},
	"refused-stream-is-empty": func(b *behaviour) {
		b.stream.refused = func(c *call, _ *failure) answer { return emptyStream(c, nil) }
	},
	"refused-stream-is-an-event": func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			var m sse.Message
			m.AppendData(string(c.refuse(f).body))
			return emptyStream(c, c.newStream(nil).style(&m))
		}
	},
	"streams-go-on-with-ended-tasks": func(b *behaviour) {
		b.tasks.closed = func(c *call, t *task) *failure {
			if c.op.name == "SendStreamingMessage" {
				return nil
			}
			return conformantTasks.closed(c, t)
		}
	},
	"streams-in-a-named-context-stay-open": namedStreams(func(ev event) bool { return false }),
	"streams-in-a-named-context-end-while-the-task-works": namedStreams(func(ev event) bool {
		return ev.task.state == working || terminal(ev.task.state)
	}),
	"artifact-follows-the-end-of-subscriptions": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			if ev.kind != "statusUpdate" || !terminal(ev.task.state) || !subscribes(st.c) {
				return []event{ev}
			}
			return []event{ev, {kind: "artifactUpdate", chunk: artifact{id: "late", parts: []object{{"text": "That was forgotten."}}}, task: ev.task}}
		}
	},
	"continuing-streams-return-immediately": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			conf, _ := st.c.params["configuration"].(object)
			message, _ := st.c.params["message"].(object)
			return conf["returnImmediately"] == true && message["taskId"] != nil || conformantStream.ends(st, ev)
		}
	},
	"subscriptions-to-what-wants-a-credential-end": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) || subscribes(st.c) && ev.task.state == authRequired
		}
	},
	"streams-of-invalid-messages-are-empty": func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			if f.kind == invalidParams && isOp(c, "SendStreamingMessage") {
				return emptyStream(c, nil)
			}
			return c.refuse(f)
		}
	},
	"streams-return-immediately-without-artifacts": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			conf, _ := st.c.params["configuration"].(object)
			if conf["returnImmediately"] == true && ev.kind == "artifactUpdate" {
				return nil
			}
			return []event{ev}
		}
	},
	"times-in-subscriptions-go-back": func(b *behaviour) {
		b.stream.item = func(st *eventStream, ev event) object {
			if isOp(st.c, "SubscribeToTask") && ev.kind == "statusUpdate" && st.sent%2 == 0 {
				ev.task.changed = ev.task.changed.Add(-10 * time.Second)
			}
			return conformantStream.item(st, ev)
		}
	},
}

// begunAgain is the scenario of long work that begins anew when it has ended, because it was spoken to meanwhile.
const begunAgain = "long-running, and again"

// beginAgain waits for a task to be completed, and begins it anew when that could be read for a while.
func beginAgain(s *Server, t *task) {
	w := &worker{s: s, t: t, ctx: s.stopping}
	for {
		if !w.pause(1) {
			return
		}
		s.mu.Lock()
		state := t.state
		s.mu.Unlock()
		if terminal(state) {
			if state != completed || !w.pause(8) {
				return
			}
			break
		}
	}
	s.mu.Lock()
	s.enter(t, working, "")
	s.mu.Unlock()
	if w.pause(2) {
		w.result("again", object{"text": "What was said meanwhile is done as well."})
		w.enter(completed, "")
	}
}

// emptyStream is a stream of which nothing is to come, with what it holds.
func emptyStream(c *call, text []byte) answer {
	a := answer{status: http.StatusOK, header: http.Header{}, body: text}
	c.s.b.stream.header(c, a.header)
	return a
}

// answersTwo says whether a task was sent more than its first message.
func answersTwo(t task) bool {
	sent := 0
	for _, message := range t.history {
		if message["role"] == "ROLE_USER" {
			sent++
		}
	}
	return sent > 1
}

// namedStreams says when streams end whose message names a context.
func namedStreams(ends func(ev event) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			if message, is := st.c.params["message"].(object); is && message["contextId"] != nil && isOp(st.c, "SendStreamingMessage") {
				return ends(ev)
			}
			return conformantStream.ends(st, ev)
		}
	}
}
