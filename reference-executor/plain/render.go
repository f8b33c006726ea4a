// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"slices"
	"time"
)

// outputBehaviour sees everything of the data model that the server says, after it was made and before it is encoded, from
// the inside out: parts before their message or artifact, the status before its task, all before the wrapper. What is
// handed over is the point's to change. c.op is nil for what is pushed, and c.binding then empty.
type outputBehaviour struct {
	part           func(c *call, v object)
	message        func(c *call, v object)
	artifact       func(c *call, v object)
	status         func(c *call, t task, v object)
	task           func(c *call, t task, v object)
	statusUpdate   func(c *call, ev event, v object)
	artifactUpdate func(c *call, ev event, v object)
	wrapper        func(c *call, what string, v object) object // SendMessageResponse or StreamResponse
	list           func(c *call, v object)                     // ListTasksResponse
	listed         func(c *call, t task, v object) object      // a task in it
	config         func(c *call, v object) object              // TaskPushNotificationConfig
	configs        func(c *call, v object) any                 // ListTaskPushNotificationConfigsResponse
	stamp          func(at time.Time) any
	state          func(c *call, t task) any
}

var conformantOutput = outputBehaviour{
	part:           func(*call, object) {},
	message:        func(*call, object) {},
	artifact:       func(*call, object) {},
	status:         func(*call, task, object) {},
	task:           func(*call, task, object) {},
	statusUpdate:   func(*call, event, object) {},
	artifactUpdate: func(*call, event, object) {},
	wrapper:        func(_ *call, _ string, v object) object { return v },
	list:           func(*call, object) {},
	listed:         func(_ *call, _ task, v object) object { return v },
	config:         func(_ *call, v object) object { return v },
	configs:        withoutEmptyLists,
	stamp:          func(at time.Time) any { return at.Format("2006-01-02T15:04:05.000Z07:00") },
	state:          func(_ *call, t task) any { return t.state },
}

// A rendering shows objects as the answers, events and deliveries of a call have them.
type rendering struct{ c *call }

func (c *call) render() rendering { return rendering{c} }

// task is a Task with at most limit messages of its history; negative: all.
func (r rendering) task(t task, limit int, artifacts bool) object {
	b := r.c.s.b
	v := object{"id": t.id, "contextId": t.context, "status": r.status(t)}
	if history := b.tasks.recent(r.c, t.history, limit); len(history) > 0 {
		list := make([]any, len(history))
		for i, message := range history {
			list[i] = r.message(message)
		}
		v["history"] = list
	}
	if artifacts && len(t.artifacts) > 0 {
		v["artifacts"] = r.artifacts(t.artifacts)
	}
	b.extensions.words(r.c, t, v)
	b.output.task(r.c, t, v)
	return v
}

func (r rendering) artifacts(list []artifact) []any {
	out := make([]any, len(list))
	for i, a := range list {
		out[i] = r.artifact(a)
	}
	return out
}

func (r rendering) status(t task) object {
	b := &r.c.s.b.output
	v := object{"state": b.state(r.c, t), "timestamp": b.stamp(t.changed)}
	if t.says != nil {
		v["message"] = r.message(t.says)
	}
	b.status(r.c, t, v)
	return v
}

func (r rendering) message(message object) object {
	v := clone(message).(object)
	r.parts(v)
	r.c.s.b.output.message(r.c, v)
	return v
}

func (r rendering) artifact(a artifact) object {
	parts := make([]any, len(a.parts))
	for i, part := range a.parts {
		parts[i] = clone(part)
	}
	v := object{"artifactId": a.id, "parts": parts}
	if a.name != "" {
		v["name"] = a.name
	}
	if a.description != "" {
		v["description"] = a.description
	}
	r.parts(v)
	r.c.s.b.output.artifact(r.c, v)
	return v
}

// parts shows the parts of a message or an artifact.
func (r rendering) parts(v object) {
	parts, _ := v["parts"].([]any)
	for _, part := range parts {
		if part, ok := part.(object); ok {
			r.c.s.b.output.part(r.c, part)
		}
	}
}

// event is an event as a StreamResponse.
func (r rendering) event(ev event) object {
	b := &r.c.s.b.output
	switch ev.kind {
	case "task":
		return r.wrapped("StreamResponse", "task", r.task(ev.task, -1, true))
	case "message":
		return r.wrapped("StreamResponse", "message", r.message(ev.message))
	}
	v := object{"taskId": ev.task.id, "contextId": ev.task.context}
	if ev.kind == "statusUpdate" {
		v["status"] = r.status(ev.task)
		b.statusUpdate(r.c, ev, v)
		return r.wrapped("StreamResponse", "statusUpdate", v)
	}
	v["artifact"] = r.artifact(ev.chunk)
	if ev.more {
		v["append"] = true
	}
	if ev.last {
		v["lastChunk"] = true
	}
	b.artifactUpdate(r.c, ev, v)
	return r.wrapped("StreamResponse", "artifactUpdate", v)
}

// wrapped puts an object under the member that tells what it is.
func (r rendering) wrapped(what, member string, v object) object {
	return r.c.s.b.output.wrapper(r.c, what, object{member: v})
}

// clone copies a JSON value.
func clone(v any) any {
	switch v := v.(type) {
	case object:
		out := make(object, len(v))
		for name, member := range v {
			out[name] = clone(member)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i := range out {
			out[i] = clone(out[i])
		}
		return out
	}
	return v
}

// withoutEmptyLists leaves a list of configurations out that has none, as ProtoJSON may; servers differ in it.
func withoutEmptyLists(c *call, v object) any {
	if list, _ := v["configs"].([]any); len(list) == 0 && c.s.config.Seed%3 == 0 {
		delete(v, "configs")
	}
	return v
}
