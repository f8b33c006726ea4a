// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
)

// streamCornerFaults keep the specification in the usual stream, and break it in another: of another task, another client, or later.
var streamCornerFaults = map[string]func(*behaviour){
	"streams-tell-of-all-tasks-of-their-context": func(b *behaviour) {
		var server atomic.Pointer[Server]
		b.stream.begins = func(c *call, t task) []event {
			server.Store(c.s)
			return conformantStream.begins(c, t)
		}
		b.stream.tells = func(t *task, ev event, w *watcher, n int) bool {
			if s := server.Load(); s != nil && n == 0 {
				for id, other := range s.tasks {
					for _, listener := range other.watchers {
						if id != t.id && other.context == t.context && listener.streams {
							listener.put(ev)
						}
					}
				}
			}
			return conformantStream.tells(t, ev, w, n)
		}
	},
	"subscriptions-to-what-wants-a-credential-end": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) || subscribes(st.c) && ev.task.state == authRequired
		}
	},
	"streams-of-long-work-are-called-plain-text": func(b *behaviour) {
		b.stream.header = func(c *call, h http.Header) {
			conformantStream.header(c, h)
			if message, is := c.params["message"].(object); is && strings.Contains(fmt.Sprint(message["parts"]), "long") {
				h.Set("Content-Type", "text/plain; charset=utf-8")
			}
		}
	},
	"subscriptions-bring-two-things-at-once": func(b *behaviour) {
		b.stream.item = func(st *eventStream, ev event) object {
			v := conformantStream.item(st, ev)
			if _, is := v["statusUpdate"]; is && isOp(st.c, "SubscribeToTask") {
				v["message"] = object{}
			}
			return v
		}
	},
	"subscriptions-bring-lists": func(b *behaviour) {
		b.stream.envelope = func(st *eventStream, item object) any {
			v := conformantStream.envelope(st, item)
			if st.c.binding == BindingREST && isOp(st.c, "SubscribeToTask") && item["task"] == nil {
				return []any{v}
			}
			return v
		}
	},
	"subscriptions-bring-updates-of-another-context": itemsOfSubscriptions("statusUpdate", func(update object) { update["contextId"] = "another" }),
	"subscriptions-bring-updates-without-context":    itemsOfSubscriptions("statusUpdate", func(update object) { delete(update, "contextId") }),
	"subscriptions-bring-chunks-without-context":     itemsOfSubscriptions("artifactUpdate", func(update object) { delete(update, "contextId") }),
	"events-are-split-at-line-separators": func(b *behaviour) {
		b.stream.write = func(st *eventStream, text []byte) {
			for _, separator := range []string{`\u2028`, `\u2029`, "\u2028", "\u2029", "\u0085"} {
				text = bytes.ReplaceAll(text, []byte(separator), []byte("\ndata: "))
			}
			conformantStream.write(st, text)
		}
	},
	"subscriptions-with-a-last-event-id-show-no-task": func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			if subscribes(c) && c.r.Header.Get("Last-Event-ID") != "" {
				return nil
			}
			return conformantStream.begins(c, t)
		}
	},
	"subscriptions-repeat-the-chunk-they-show": func(b *behaviour) {
		last := map[string]artifact{} // the newest chunk, by task; the lock is held
		b.agent.stores = func(t *task, a artifact, more bool) {
			last[t.id] = a
			storeChunk(t, a, more)
		}
		b.stream.begins = func(c *call, t task) []event {
			events := conformantStream.begins(c, t)
			if subscribes(c) && len(t.artifacts) > 0 {
				events = append(events, event{kind: "artifactUpdate", task: t, chunk: last[t.id], more: true})
			}
			return events
		}
	},
}

// itemsOfSubscriptions changes the updates of a kind in streams that somebody subscribed to.
func itemsOfSubscriptions(kind string, change func(update object)) func(*behaviour) {
	return func(b *behaviour) {
		b.stream.item = func(st *eventStream, ev event) object {
			v := conformantStream.item(st, ev)
			if update, is := v[kind].(object); is && isOp(st.c, "SubscribeToTask") {
				change(update)
			}
			return v
		}
	}
}
