// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/tmaxmax/go-sse"
)

// streamFaults are what can be wrong with streams.
var streamFaults = joined(streamItemFaults, streamCourseFaults, subscriptionFaults)

// joined is one table of several, in which no name may stand twice.
func joined(tables ...map[string]func(*behaviour)) map[string]func(*behaviour) {
	all := map[string]func(*behaviour){}
	for _, table := range tables {
		for name, fault := range table {
			if all[name] != nil {
				panic("bug: there are two faults called " + name)
			}
			all[name] = fault
		}
	}
	return all
}

// streamItemFaults are what can be wrong with the items of streams, and with how they are written.
var streamItemFaults = map[string]func(*behaviour){
	"stream-is-a-list": func(b *behaviour) {
		overREST := func(c *call) bool { return c.binding == BindingREST }
		b.stream.header = func(c *call, h http.Header) {
			conformantStream.header(c, h)
			if overREST(c) {
				h.Set("Content-Type", mediaJSON)
			}
		}
		b.stream.frame = func(st *eventStream, v any) []byte {
			if !overREST(st.c) {
				return conformantStream.frame(st, v)
			}
			st.sent++
			return append([]byte{"[,"[min(st.sent-1, 1)]}, st.c.s.lawful.Encode(v)...)
		}
		b.stream.closes = func(st *eventStream) {
			if overREST(st.c) {
				st.write([]byte("]"))
			}
		}
	},
	"stream-is-called-plain-text": func(b *behaviour) {
		b.stream.header = func(c *call, h http.Header) {
			conformantStream.header(c, h)
			h.Set("Content-Type", "text/plain; charset=utf-8")
		}
	},
	"stream-without-data-fields": func(b *behaviour) {
		b.stream.frame = func(st *eventStream, v any) []byte { return append(st.c.s.lawful.Encode(v), "\n\n"...) }
	},
	"events-are-followed-by-empty-ones": func(b *behaviour) {
		b.stream.frame = func(st *eventStream, v any) []byte {
			if st.c.binding != BindingREST {
				return conformantStream.frame(st, v)
			}
			st.crlf = false
			event := conformantStream.frame(st, v)
			return append(event, "data: \n\n"...)
		}
	},
	"stream-events-are-lists": func(b *behaviour) {
		b.stream.envelope = func(st *eventStream, item object) any { return []any{conformantStream.envelope(st, item)} }
	},
	"stream-ends-within-an-event": func(b *behaviour) {
		b.stream.frame = func(st *eventStream, v any) []byte {
			event := conformantStream.frame(st, v)
			whole := bytes.TrimSuffix(bytes.TrimSuffix(event, []byte("\n")), []byte("\r"))
			text := bytes.Join([][]byte{st.pending, whole}, nil)
			st.pending = event[len(whole):]
			return text
		}
	},
	"long-events-are-wrapped": func(b *behaviour) {
		b.stream.frame = func(st *eventStream, v any) []byte {
			var m sse.Message
			text := string(st.c.s.lawful.Encode(v))
			for len(text) > 4096 {
				m.AppendData(text[:4096])
				text = text[4096:]
			}
			m.AppendData(text)
			return st.style(&m)
		}
	},
	"streams-cut-characters-in-two": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			text, is := "", false
			if len(ev.chunk.parts) > 0 {
				text, is = ev.chunk.parts[0]["text"].(string)
			}
			at := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
			if !is || at < 0 {
				return []event{ev}
			}
			first, second := ev, ev
			first.chunk.parts, first.last = []object{{"text": strings.ToValidUTF8(text[:at+1], "\uFFFD")}}, false
			second.chunk.parts, second.more = []object{{"text": strings.ToValidUTF8(text[at+1:], "\uFFFD")}}, true
			return []event{first, second}
		}
	},
	"stream-without-wrapper": func(b *behaviour) {
		b.output.wrapper = func(_ *call, _ string, v object) object {
			if update, ok := v["statusUpdate"].(object); ok {
				return update
			}
			return v
		}
	},
	"stream-starts-with-a-bare-task": func(b *behaviour) {
		b.stream.item = func(st *eventStream, ev event) object {
			v := conformantStream.item(st, ev)
			if t, ok := v["task"].(object); ok {
				return t
			}
			return v
		}
	},
	"stream-items-are-two-things": itemsWith("statusUpdate", func(_, v object) { v["message"] = object{} }),
	"stream-starts-with-an-update": func(b *behaviour) {
		b.stream.begins = func(_ *call, t task) []event { return []event{{kind: "statusUpdate", task: t}} }
	},
	"streams-in-a-named-context-start-with-an-update": func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			message, _ := c.params["message"].(object)
			if context, _ := message["contextId"].(string); context != "" && isOp(c, "SendStreamingMessage") {
				return []event{{kind: "statusUpdate", task: t}}
			}
			return conformantStream.begins(c, t)
		}
	},
	"streams-in-a-named-context-bring-a-message": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			message, _ := st.c.params["message"].(object)
			if context, _ := message["contextId"].(string); context == "" || ev.kind != "statusUpdate" || terminal(ev.task.state) {
				return []event{ev}
			}
			said := object{"messageId": uuid.NewString(), "role": "ROLE_AGENT", "parts": []any{object{"text": "It goes on."}}}
			return []event{ev, {kind: "message", message: said, task: ev.task}}
		}
	},
	"direct-answer-is-streamed-twice": func(b *behaviour) {
		b.stream.direct = func(_ *call, message object) []event {
			return []event{{kind: "message", message: message}, {kind: "message", message: message}}
		}
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) && (ev.kind != "message" || st.sent > 1)
		}
	},
	"direct-answer-keeps-its-stream-open": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			if ev.kind == "message" {
				select {
				case <-st.c.r.Context().Done():
				case <-st.c.s.stopping.Done():
				}
			}
			return conformantStream.ends(st, ev)
		}
	},
	"stream-brings-a-message-among-updates": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if ev.kind != "statusUpdate" || terminal(ev.task.state) {
				return []event{ev}
			}
			said := object{"messageId": uuid.NewString(), "role": "ROLE_AGENT", "parts": []any{object{"text": "It goes on."}}}
			return []event{ev, {kind: "message", message: said, task: ev.task}}
		}
	},
	"stream-repeats-the-task": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if terminal(ev.task.state) {
				return []event{ev}
			}
			return []event{ev, {kind: "task", task: ev.task}}
		}
	},
	"stream-brings-updates-of-another-task": itemsWith("statusUpdate", func(update, _ object) { update["taskId"] = uuid.NewString() }),
	"stream-updates-name-another-context":   itemsWith("statusUpdate", func(update, _ object) { update["contextId"] = uuid.NewString() }),
	"status-update-without-context":         itemsWith("statusUpdate", func(update, _ object) { delete(update, "contextId") }),
	"status-update-without-task":            itemsWith("statusUpdate", func(update, _ object) { delete(update, "taskId") }),
	"status-update-with-a-short-state": itemsWith("statusUpdate", func(update, _ object) {
		if status := update["status"].(object); status["state"] == working {
			status["state"] = "working"
		}
	}),
	"streamed-tasks-leave-contexts-out": itemsWith("task", func(task, _ object) { delete(task, "contextId") }),
	"streams-nest-data":                 streamedPart("data", func(part object) { part["data"] = object{"data": part["data"]} }),
	"streams-write-raw-as-base64url": streamedPart("raw", func(part object) {
		part["raw"] = base64.URLEncoding.EncodeToString(rawBytes(part))
	}),
	"streams-write-raw-as-latin-1": streamedPart("raw", rawAsLatin1),
	"chunk-without-artifact-id":    itemsWith("artifactUpdate", func(update, _ object) { delete(update["artifact"].(object), "artifactId") }),
	"chunk-without-parts":          itemsWith("artifactUpdate", func(update, _ object) { update["artifact"].(object)["parts"] = []any{} }),
	"chunk-without-context":        itemsWith("artifactUpdate", func(update, _ object) { delete(update, "contextId") }),
	"chunks-that-go-on-have-no-context": func(b *behaviour) {
		b.output.artifactUpdate = func(_ *call, ev event, v object) {
			if ev.more {
				delete(v, "contextId")
			}
		}
	},
	"chunk-flags-are-texts": itemsWith("artifactUpdate", func(update, _ object) {
		for _, name := range []string{"append", "lastChunk"} {
			if update[name] == true {
				update[name] = "true"
			}
		}
	}),
	"first-chunk-is-appended": itemsWith("artifactUpdate", func(update, _ object) { update["append"] = true }),
	"first-chunk-of-long-work-is-appended": itemsWith("artifactUpdate", func(update, _ object) {
		if of, is := update["artifact"].(object); is && of["name"] == "log" { // its other chunks have no name
			update["append"] = true
		}
	}),
	"every-chunk-is-the-last":  itemsWith("artifactUpdate", func(update, _ object) { update["lastChunk"] = true }),
	"last-chunk-is-not-marked": itemsWith("artifactUpdate", func(update, _ object) { delete(update, "lastChunk") }),
	"only-the-last-chunk-is-stored": func(b *behaviour) {
		b.agent.stores = func(t *task, a artifact, _ bool) { storeChunk(t, a, false) }
	},
	"streamed-artifacts-are-not-stored": func(b *behaviour) {
		b.agent.stores = func(t *task, a artifact, more bool) {
			if t.scenario != "artifact-chunked" {
				storeChunk(t, a, more)
			}
		}
	},
	"subscriptions-show-no-artifacts-so-far": func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			if isOp(c, "SubscribeToTask") {
				t.artifacts = nil
			}
			return conformantStream.begins(c, t)
		}
	},
	"subscriptions-bring-chunks-of-another-artifact": itemsOfSubscriptions("artifactUpdate", func(update object) {
		update["artifact"].(object)["artifactId"] = "another"
	}),
	"quiet-streams-carry-empty-items": func(b *behaviour) {
		b.stream.next = func(st *eventStream, w *watcher, ctx context.Context) (event, bool) {
			for {
				quiet, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
				ev, more := w.next(quiet)
				late := quiet.Err() != nil
				cancel()
				if more || !late || ctx.Err() != nil {
					return ev, more
				}
				v := st.c.s.b.stream.envelope(st, object{})
				if st.message != nil {
					continue
				}
				st.c.s.b.stream.write(st, st.frame(v))
			}
		}
	},
	"subscriptions-miss-what-comes-just-behind-them": func(b *behaviour) {
		b.stream.tells = func(_ *task, ev event, w *watcher, _ int) bool {
			return !w.subscribes || terminal(ev.task.state) || time.Since(w.began) > 100*time.Millisecond
		}
	},
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

// itemsWith is a fault that changes the stream items of one kind: what they hold, and the wrapper.
func itemsWith(kind string, change func(inner, wrapper object)) func(*behaviour) {
	return func(b *behaviour) {
		b.stream.item = func(st *eventStream, ev event) object {
			v := conformantStream.item(st, ev)
			inner, ok := v[kind].(object)
			if !ok && ev.kind == kind { // another fault has taken the wrapper away, or has renamed it
				inner, ok = v, true
				for _, only := range v {
					if of, is := only.(object); is && len(v) == 1 {
						inner = of
					}
				}
			}
			if ok {
				change(inner, v)
			}
			return v
		}
	}
}

// streamedPart changes the parts of artifacts with one kind of content, as updates in streams bring them.
func streamedPart(content string, change func(part object)) func(*behaviour) {
	return itemsWith("artifactUpdate", func(update, _ object) {
		parts, _ := update["artifact"].(object)["parts"].([]any)
		for _, part := range parts {
			if part, is := part.(object); is && part[content] != nil {
				change(part)
			}
		}
	})
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
