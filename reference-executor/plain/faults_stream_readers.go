// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"strings"
	"time"
)

// streamReaderFaults keep the specification for who reads the stream of a message to its end, and break it for other readers.
var streamReaderFaults = map[string]func(*behaviour){
	"streams-for-readers-of-json-are-called-json": func(b *behaviour) {
		b.stream.header = func(c *call, h http.Header) {
			conformantStream.header(c, h)
			if c.binding == BindingREST && strings.Contains(c.r.Header.Get("Accept"), mediaJSON) {
				h.Set("Content-Type", mediaJSON)
			}
		}
	},
	"subscriptions-arrive-at-their-end": func(b *behaviour) {
		b.stream.write = func(st *eventStream, text []byte) {
			if !subscribes(st.c) {
				conformantStream.write(st, text)
				return
			}
			st.pending = append(st.pending, text...)
		}
		b.stream.closes = func(st *eventStream) { conformantStream.write(st, st.pending) }
	},
	"streams-hold-back-all-but-their-first-item": func(b *behaviour) {
		b.stream.write = func(st *eventStream, text []byte) {
			if st.sent <= 1 {
				conformantStream.write(st, text)
				return
			}
			st.pending = append(st.pending, text...)
		}
		b.stream.closes = func(st *eventStream) { conformantStream.write(st, st.pending) }
	},
	"lost-streams-stop-the-work": func(b *behaviour) {
		b.stream.lost = func(c *call, t task) {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			if stored := c.s.tasks[t.id]; stored != nil && !terminal(stored.state) {
				stored.cancel()
			}
		}
	},
	"second-streams-are-told-of-steps-twice": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			if ev.kind == "statusUpdate" && subscribes(st.c) && !terminal(ev.task.state) {
				return []event{ev, ev}
			}
			return []event{ev}
		}
	},
	"subscriptions-hide-the-question": func(b *behaviour) {
		b.agent.share = func(s *Server, n int) time.Duration { // long enough to subscribe before the question
			if n == 1 {
				n = 12
			}
			return conformantAgent.share(s, n)
		}
		b.stream.passes = func(st *eventStream, ev event) []event {
			if subscribes(st.c) && ev.task.state == inputRequired {
				return nil
			}
			return []event{ev}
		}
	},
	"subscriptions-end-with-the-stream-of-the-message": func(b *behaviour) {
		b.stream.lost = func(c *call, t task) {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			if stored := c.s.tasks[t.id]; stored != nil && isOp(c, "SendStreamingMessage") {
				for _, w := range stored.watchers {
					w.end()
				}
			}
		}
	},
}
