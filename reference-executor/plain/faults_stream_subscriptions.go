// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
)

// subscriptionFaults are what can be wrong with subscriptions, and with several streams of one task.
var subscriptionFaults = map[string]func(*behaviour){
	"subscribe-at-another-path": func(b *behaviour) {
		b.rest.find = func(c *call, segments []string) (routed, bool) {
			last := segments[len(segments)-1]
			switch {
			case strings.HasSuffix(last, ":subscribe"):
				return routed{}, false
			case last == "subscribe" && len(segments) > 1:
				at := len(segments) - 2
				return conformantREST.find(c, append(slices.Clone(segments[:at]), segments[at]+":subscribe"))
			}
			return conformantREST.find(c, segments)
		}
	},
	"subscription-starts-with-the-next-update": subscriptionsBegin(func(task) []event { return nil }),
	"subscription-starts-with-the-first-state": subscriptionsBegin(func(t task) []event {
		t.state = submitted
		return []event{{kind: "task", task: t}}
	}),
	"subscriptions-show-parts-twice": subscriptionsBegin(func(t task) []event {
		t.artifacts = slices.Clone(t.artifacts)
		for i, a := range t.artifacts {
			t.artifacts[i].parts = slices.Concat(a.parts, a.parts)
		}
		return []event{{kind: "task", task: t}}
	}),
	"subscription-starts-with-another-task": subscriptionsBegin(func(t task) []event {
		t.id = uuid.NewString()
		return []event{{kind: "task", task: t}}
	}),
	"subscription-ends-behind-its-first-item": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool { return conformantStream.ends(st, ev) || subscribes(st.c) }
	},
	"subscription-stays-open-after-the-end": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool { return conformantStream.ends(st, ev) && !subscribes(st.c) }
	},
	"second-subscriptions-stay-open-after-the-end": func(b *behaviour) {
		var first sync.Map // by task
		b.stream.ends = func(st *eventStream, ev event) bool {
			if !subscribes(st.c) {
				return conformantStream.ends(st, ev)
			}
			of, _ := first.LoadOrStore(ev.task.id, st)
			return of == st && conformantStream.ends(st, ev)
		}
	},
	"third-subscriptions-stay-open": func(b *behaviour) {
		var count, begun sync.Map // of subscriptions by task; by call, which of its task it is
		b.stream.begins = func(c *call, t task) []event {
			if subscribes(c) {
				n, _ := count.LoadOrStore(t.id, new(atomic.Int32))
				begun.Store(c, n.(*atomic.Int32).Add(1))
			}
			return conformantStream.begins(c, t)
		}
		b.stream.ends = func(st *eventStream, ev event) bool {
			n, _ := begun.Load(st.c)
			return n != int32(3) && conformantStream.ends(st, ev)
		}
	},
	"second-subscriptions-end-behind-their-first-item": func(b *behaviour) {
		var first sync.Map // by task
		b.stream.ends = func(st *eventStream, ev event) bool {
			if !subscribes(st.c) {
				return conformantStream.ends(st, ev)
			}
			of, _ := first.LoadOrStore(ev.task.id, st)
			return of != st || conformantStream.ends(st, ev)
		}
	},
	"second-subscriptions-as-plain-text": func(b *behaviour) {
		var first sync.Map // by path
		b.stream.header = func(c *call, h http.Header) {
			conformantStream.header(c, h)
			if _, there := first.LoadOrStore(c.r.URL.Path, true); there && subscribes(c) && strings.Contains(c.r.URL.Path, ":") {
				h.Set("Content-Type", "text/plain; charset=utf-8")
			}
		}
	},
	"ended-tasks-are-replayed": func(b *behaviour) { b.stream.opens = func(*call, *task) *failure { return nil } },
	"ended-tasks-cannot-be-found": func(b *behaviour) {
		b.stream.opens = func(c *call, t *task) *failure {
			if terminal(t.state) {
				return c.s.b.tasks.missing(c, t.id)
			}
			return nil
		}
	},
	"subscriptions-are-told-of-no-artifacts": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			if subscribes(st.c) && ev.kind == "artifactUpdate" {
				return nil
			}
			return []event{ev}
		}
	},
	"failed-tasks-are-replayed": opensAt(failed, func(*call, *task) *failure { return nil }),
	"canceled-tasks-cannot-be-found-by-subscriptions": opensAt(canceled, func(c *call, t *task) *failure {
		return c.s.b.tasks.missing(c, t.id)
	}),
	"tasks-that-want-a-credential-cannot-be-subscribed": opensAt(authRequired, func(c *call, t *task) *failure {
		return c.s.b.tasks.missing(c, t.id)
	}),
	"subscription-to-nothing-is-empty": func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			if subscribes(c) && f.kind == taskNotFound {
				return emptyStream(c, nil)
			}
			return conformantStream.refused(c, f)
		}
	},
	"idle-tasks-cannot-be-subscribed": func(b *behaviour) {
		b.stream.opens = func(c *call, t *task) *failure {
			if interrupted(t.state) {
				return c.s.b.tasks.missing(c, t.id)
			}
			return conformantStream.opens(c, t)
		}
	},
	"subscriptions-repeat-the-task": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			if !subscribes(st.c) || ev.kind == "task" || terminal(ev.task.state) || st.sent == 0 { // what comes first is not repeated
				return []event{ev}
			}
			return []event{{kind: "task", task: ev.task}, ev}
		}
	},
	"idle-subscriptions-stay-silent": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			if subscribes(st.c) && len(ev.task.history) > 2 {
				return nil
			}
			return []event{ev}
		}
	},
	"events-go-to-one-stream-in-turn": func(b *behaviour) {
		turns := map[string]int{} // by task; events are told with the lock held
		b.stream.tells = func(t *task, ev event, _ *watcher, n int) bool {
			if terminal(ev.task.state) || len(t.watchers) == 1 {
				return true
			}
			if n == 0 {
				turns[t.id]++
			}
			return turns[t.id]%len(t.watchers) == n
		}
	},
	"later-streams-are-told-nothing": func(b *behaviour) {
		b.stream.tells = func(_ *task, ev event, w *watcher, n int) bool {
			if n > 1 && terminal(ev.task.state) {
				w.end()
			}
			return n < 2
		}
	},
	"streams-end-together": func(b *behaviour) {
		b.stream.lost = func(c *call, t task) {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			if stored := c.s.tasks[t.id]; stored != nil {
				for _, w := range stored.watchers {
					w.end()
				}
			}
		}
	},
	"lost-streams-silence-the-others": func(b *behaviour) {
		lost := map[string]bool{} // by task, guarded by the lock
		b.stream.lost = func(c *call, t task) {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			lost[t.id] = true
		}
		b.stream.tells = func(t *task, ev event, _ *watcher, n int) bool {
			return n == 0 || !lost[t.id] || terminal(ev.task.state)
		}
	},
	"lost-streams-cost-the-others-a-chunk": func(b *behaviour) {
		due := map[string]bool{} // by task, guarded by the lock: the next chunk is told to nobody
		b.stream.lost = func(c *call, t task) {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			due[t.id] = true
		}
		b.stream.tells = func(t *task, ev event, _ *watcher, n int) bool {
			if !due[t.id] || ev.kind != "artifactUpdate" {
				return true
			}
			due[t.id] = n < len(t.watchers)-1
			return false
		}
	},
	"lost-streams-cancel-their-task": func(b *behaviour) {
		b.stream.lost = func(c *call, t task) {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			if stored := c.s.tasks[t.id]; stored != nil && !terminal(stored.state) {
				c.s.b.tasks.cancel(c, stored)
			}
		}
	},
	"canceled-streams-stay-open": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) && ev.task.state != canceled
		}
	},
	"canceled-subscriptions-stay-open": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) && !(ev.task.state == canceled && subscribes(st.c))
		}
	},
	"canceled-subscriptions-end-untold": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			if subscribes(st.c) && ev.task.state == canceled {
				return nil
			}
			return []event{ev}
		}
	},
	"third-subscriptions-miss-their-first-chunk": func(b *behaviour) {
		var missed sync.Map // by watcher
		b.stream.tells = func(_ *task, ev event, w *watcher, n int) bool {
			if !w.subscribes || n < 2 || ev.kind != "artifactUpdate" {
				return true
			}
			_, already := missed.LoadOrStore(w, true)
			return already
		}
	},
	"streams-are-not-told-of-cancels": func(b *behaviour) {
		b.stream.tells = func(_ *task, ev event, _ *watcher, _ int) bool { return ev.task.state != canceled }
	},
	"subscriptions-bring-steps-behind-their-chunks": func(b *behaviour) {
		var waiting sync.Map // a step, by its stream
		b.stream.passes = func(st *eventStream, ev event) []event {
			switch held, waits := waiting.LoadAndDelete(st); {
			case waits && ev.kind == "artifactUpdate":
				return []event{ev, held.(event)}
			case waits:
				return []event{held.(event), ev}
			case subscribes(st.c) && ev.kind == "statusUpdate" && ev.task.state == working:
				waiting.Store(st, ev)
				return nil
			}
			return []event{ev}
		}
	},
	"second-subscriptions-start-with-the-next-update": secondSubscriptions(func(task) []event { return nil }),
	"second-subscriptions-start-with-another-task": secondSubscriptions(func(t task) []event {
		t.id = uuid.NewString()
		return []event{{kind: "task", task: t}}
	}),
	"subscriptions-find-tasks-by-their-context": foundBy("SubscribeToTask", inContext),
	"subscriptions-with-a-last-event-id-show-no-task": func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			if subscribes(c) && c.r.Header.Get("Last-Event-ID") != "" {
				return nil
			}
			return conformantStream.begins(c, t)
		}
	},
	"subscriptions-end-early-once-one-was-left": func(b *behaviour) {
		var left, begun sync.Map // by task; streams that were there before
		b.stream.lost = func(c *call, t task) {
			if subscribes(c) {
				left.Store(t.id, true)
			}
		}
		b.stream.ends = func(st *eventStream, ev event) bool {
			if !subscribes(st.c) {
				return conformantStream.ends(st, ev)
			}
			_, late := left.Load(ev.task.id)
			first, _ := begun.LoadOrStore(st, late)
			return first == true || conformantStream.ends(st, ev)
		}
	},
	"left-subscriptions-keep-their-place": func(b *behaviour) {
		taken := map[string]int{} // by task; the lock of the server is held
		b.stream.opens = func(c *call, t *task) *failure {
			if f := conformantStream.opens(c, t); f != nil {
				return f
			}
			if taken[t.id]++; taken[t.id] > 4 {
				return fail(unsupportedOperation, "the task has as many subscriptions as it can have").about(t.id)
			}
			return nil
		}
	},
}

func subscribes(c *call) bool { return c.op.name == "SubscribeToTask" }

// subscriptionsBegin is a fault of how subscriptions begin.
func subscriptionsBegin(with func(t task) []event) func(*behaviour) {
	return func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			if subscribes(c) {
				return with(t)
			}
			return conformantStream.begins(c, t)
		}
	}
}

// opensAt changes what a subscription to a task in one state is told.
func opensAt(state string, opens func(c *call, t *task) *failure) func(*behaviour) {
	return func(b *behaviour) {
		b.stream.opens = func(c *call, t *task) *failure {
			if t.state == state {
				return opens(c, t)
			}
			return conformantStream.opens(c, t)
		}
	}
}

// secondSubscriptions changes what a subscription begins with, but the first one of each task.
func secondSubscriptions(begins func(t task) []event) func(*behaviour) {
	return func(b *behaviour) {
		known := map[string]bool{}
		b.stream.begins = func(c *call, t task) []event { // the lock is held by those who subscribe
			if !subscribes(c) || !known[t.id] {
				if subscribes(c) {
					known[t.id] = true
				}
				return conformantStream.begins(c, t)
			}
			return begins(t)
		}
	}
}
