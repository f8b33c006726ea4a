// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf16"

	"github.com/google/uuid"
)

// objectLiberties are about the objects of the data model, and the JSON that they are written in.
var objectLiberties = map[string]func(*behaviour){
	// 5.7: members that a reader does not know are ignored. Earlier drafts had an index, later ones have a generation.
	"objects-have-members-of-their-vendor": func(b *behaviour) {
		b.output.task = func(_ *call, _ task, v object) { vendored(v) }
		b.output.status = func(_ *call, _ task, v object) { vendored(v) }
		b.output.message = func(_ *call, v object) {
			vendored(v)
			if v["role"] == "ROLE_AGENT" {
				eachPart(v, vendored)
			}
		}
		b.output.artifact = func(_ *call, v object) { vendored(v); eachPart(v, vendored) }
		b.output.statusUpdate = func(_ *call, _ event, v object) { vendored(v) }
		b.output.artifactUpdate = func(_ *call, _ event, v object) { vendored(v); v["index"] = 0 }
		b.output.wrapper = func(_ *call, _ string, v object) object { vendored(v); return v }
		b.output.list = func(_ *call, v object) { vendored(v) }
		b.output.config = func(_ *call, v object) object { vendored(v); return v }
		b.errors.envelope = func(c *call, f *failure, e object) any {
			vendored(e)
			return conformantErrors.envelope(c, f, e)
		}
	},

	// 3.2.5: metadata is any object, so that its members mean nothing to the protocol whatever they are called.
	"metadata-is-named-like-the-protocol": func(b *behaviour) {
		b.output.task = func(_ *call, _ task, v object) { describe(v) }
		b.output.message = func(_ *call, v object) {
			if v["role"] == "ROLE_AGENT" {
				describe(v)
				eachPart(v, describe)
			}
		}
		b.output.artifact = func(_ *call, v object) { describe(v); eachPart(v, describe) }
		b.output.statusUpdate = func(_ *call, _ event, v object) { describe(v) }
		b.output.artifactUpdate = func(_ *call, _ event, v object) { describe(v) }
	},

	// 4.1.6: data is any JSON value. No sentence limits how many artifacts a result has.
	"results-bring-data-that-looks-like-a-task": func(b *behaviour) {
		b.agent.result = func(w *worker, a artifact) {
			conformantAgent.result(w, a)
			w.deliver(artifact{id: uuid.NewString(), name: "trace", parts: []object{{"data": object{
				"kind": "task", "context_id": "c", "status": object{"state": 2, "timestamp": "just now"}, "history": nil, "final": true,
				"parts": []any{object{"kind": "text", "text": "a", "url": "b"}}, "role": "user", "artifacts": []any{}, "metadata": 7,
			}}}}, false, false)
		}
	},

	// ProtoJSON lets a writer show members that have their default value, which mean what their absence means.
	"defaults-are-written-out": func(b *behaviour) {
		b.output.task = func(_ *call, _ task, v object) { unlessSet(v, "metadata", object{}) }
		b.output.message = func(_ *call, v object) {
			unlessSet(v, "metadata", object{})
			unlessSet(v, "extensions", []any{})
			unlessSet(v, "referenceTaskIds", []any{})
		}
		b.output.artifact = func(_ *call, v object) {
			unlessSet(v, "name", "")
			unlessSet(v, "description", "")
			unlessSet(v, "metadata", object{})
			unlessSet(v, "extensions", []any{})
		}
		b.output.statusUpdate = func(_ *call, _ event, v object) { unlessSet(v, "metadata", object{}) }
		b.output.artifactUpdate = func(_ *call, _ event, v object) {
			unlessSet(v, "append", false)
			unlessSet(v, "lastChunk", false)
		}
		b.output.configs = func(_ *call, v object) any { unlessSet(v, "nextPageToken", ""); return v }
	},

	// 5.6.1 recommends milliseconds, and a Timestamp has up to nine digits; of zeros at the end ProtoJSON keeps some or none.
	"timestamps-have-nanoseconds": func(b *behaviour) {
		b.tasks.clock = clockOf(time.Nanosecond, 0)
		b.output.stamp = func(at time.Time) any { return at.Format(time.RFC3339Nano) }
	},
	"timestamps-have-nine-digits": func(b *behaviour) {
		b.output.stamp = func(at time.Time) any { return at.Format("2006-01-02T15:04:05.000000000Z07:00") }
	},

	// 5.6.1: precision is recommended only. 3.1.4 says nothing of tasks with one and the same time.
	"timestamps-are-whole-seconds": func(b *behaviour) {
		b.tasks.clock = clockOf(time.Second, 0)
		b.output.stamp = func(at time.Time) any { return at.Format(time.RFC3339) }
	},

	// The same, of what a task begins with alone: two of its times may lie a second apart when next to none has passed.
	"beginnings-are-of-whole-seconds": func(b *behaviour) {
		b.tasks.clock = func(t *task) time.Time {
			if t.changed.IsZero() {
				return time.Now().UTC().Add(-600 * time.Millisecond).Truncate(time.Second)
			}
			return conformantTasks.clock(t)
		}
		b.agent.starts = func(s *Server, t *task, text string) {
			if t.scenario != "completed" {
				conformantAgent.starts(s, t, text)
				return
			}
			s.begin(t, text, func(w *worker, _ string) {
				w.enter(working, "")
				w.result("result", object{"text": "All of it is done."})
				w.enter(completed, "")
			})
		}
	},

	// No sentence has the clock of the server be that of the client.
	"the-clock-runs-ahead":      clockWrongBy(100 * time.Minute),
	"the-clock-is-years-behind": clockWrongBy(-9 * 365 * 24 * time.Hour),

	// RFC 8259, 7: any character may be escaped; 2: white space may follow the value.
	"json-is-escaped-and-ends-in-a-newline": func(b *behaviour) {
		b.http.header = func(_ *Server, _ *http.Request, a answer) answer {
			if a.header.Get("Content-Encoding") == "" && strings.Contains(a.header.Get("Content-Type"), "json") && len(a.body) > 0 {
				a.body = append(escaped(a.body), '\n')
			}
			return a
		}
		b.card.zips = func(_ *call, body []byte) []byte { return escaped(body) }
		b.stream.frame = func(st *eventStream, v any) []byte { return escaped(conformantStream.frame(st, v)) }
		b.push.body = func(c *call, p *pushConfig, ev event) any {
			return json.RawMessage(escaped(c.s.lawful.Encode(conformantPush.body(c, p, ev))))
		}
	},

	// 3.4.2 and the proto file have ids be strings, of whatever form; an artifactId is unique in its task, and a configuration
	// is addressed by its task and its id.
	"ids-are-counted": func(b *behaviour) {
		var tasks, contexts, messages atomic.Int64
		b.tasks.id = func(*call, object) string { return strconv.FormatInt(tasks.Add(1), 10) }
		b.tasks.context = func(c *call, message object) string {
			if _, given := message["contextId"].(string); given {
				return conformantTasks.context(c, message)
			}
			return strconv.FormatInt(contexts.Add(1), 10)
		}
		b.tasks.message = func() string { return strconv.FormatInt(messages.Add(1), 10) }
		b.agent.artifact = func() string { return "0" }
		b.push.id = func() string { return "" }
		last := map[string]int{} // by task; the lock is held
		b.push.adds = func(list []*pushConfig, p *pushConfig) []*pushConfig {
			if p.id == "" {
				last[p.task]++
				p.id = strconv.Itoa(last[p.task])
			}
			return conformantPush.adds(list, p)
		}
	},
	"ids-are-long": func(b *behaviour) {
		long := func(kind string) string { return strings.Repeat(kind+"-", 30) + uuid.NewString() }
		b.tasks.id = func(*call, object) string { return long("task") }
		b.tasks.context = func(c *call, message object) string {
			if _, given := message["contextId"].(string); given {
				return conformantTasks.context(c, message)
			}
			return long("context")
		}
		b.tasks.message = func() string { return long("message") }
		b.agent.artifact = func() string { return long("artifact") }
		b.push.id = func() string { return long("config") }
	},

	// 3.4.1 says of a contextId that the agent makes only that it is told.
	"a-context-has-the-id-of-its-task": func(b *behaviour) {
		var ids sync.Map // by call
		b.tasks.id = func(c *call, _ object) string {
			id := uuid.NewString()
			ids.Store(c, id)
			return id
		}
		b.tasks.context = func(c *call, message object) string {
			id, made := ids.LoadAndDelete(c)
			if _, given := message["contextId"].(string); given || !made {
				return conformantTasks.context(c, message)
			}
			return id.(string)
		}
	},
}

// vendored adds members that the protocol does not have.
func vendored(v object) {
	v["x-vendor"] = object{"trace_id": "4bf92f3577b34da6", "kind": "note", "empty": nil, "seen": []any{}}
	v["generation"] = 3
	v["shard"] = nil
}

// describe adds metadata whose members are called like those of the protocol, and are none.
func describe(v object) {
	metadata, _ := v["metadata"].(object)
	if metadata == nil {
		metadata = object{}
	}
	for name, value := range (object{
		"kind": "text", "type": "text", "final": true, "state": 3, "role": "user", "timestamp": "yesterday", "context_id": "c", "contextId": "",
		"parts": []any{object{"kind": "text"}}, "artifacts": nil, "extensions": "none", "status": object{"state": "done"}, "metadata": []any{},
		"data": object{"data": object{}}, "raw": 1.5, "file": object{"uri": "x"}, "error": object{"code": 5},
	}) {
		metadata[name] = value
	}
	v["metadata"] = metadata
}

// eachPart does something to the parts of a message or an artifact.
func eachPart(v object, do func(part object)) {
	parts, _ := v["parts"].([]any)
	for _, part := range parts {
		if part, ok := part.(object); ok {
			do(part)
		}
	}
}

func unlessSet(v object, name string, value any) {
	if _, set := v[name]; !set {
		v[name] = value
	}
}

// clockOf is a clock of some precision that goes wrong by some time. No change is before the last one.
func clockOf(precision, wrong time.Duration) func(*task) time.Time {
	return func(t *task) time.Time {
		now := time.Now().UTC().Add(wrong).Truncate(precision)
		if now.Before(t.changed) {
			return t.changed
		}
		return now
	}
}

// clockWrongBy has the clock of the machine go wrong, which the header Date shows as well.
func clockWrongBy(wrong time.Duration) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.clock = clockOf(time.Millisecond, wrong)
		b.http.header = func(_ *Server, _ *http.Request, a answer) answer {
			a.header.Set("Date", time.Now().UTC().Add(wrong).Format(http.TimeFormat))
			return a
		}
	}
}

// escaped is JSON with everything outside ASCII escaped, and solidi too.
func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text)*5/4)
	for _, r := range string(text) {
		switch {
		case r == '/':
			out = append(out, `\/`...)
		case r < 0x7f:
			out = append(out, byte(r))
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				digits := strconv.FormatUint(uint64(unit), 16)
				out = slices.Concat(out, []byte(`\u`), []byte("0000"[len(digits):]), []byte(digits))
			}
		}
	}
	return out
}
