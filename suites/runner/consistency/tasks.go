// SPDX-License-Identifier: Apache-2.0

package consistency

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// one is the task that was asked for by its id.
func (b *Book) one(a *Answer, task map[string]any) {
	at := a.At
	if inside, is := task["task"].(map[string]any); is { // that it is wrapped is one requirement
		at, task = at+"/task", inside
	}
	if asked, is := text(member(a.Params, "id")), text(task["id"]); asked != "" && is != "" && is != asked {
		b.slip("another-task", a, at+"/id", is, asked)
		return
	}
	if a.Operation == "GetTask" {
		b.history(a, at, task, member(a.Params, "historyLength"))
	}
	b.task(view{task, at, a})
}

// item is a StreamResponse.
func (b *Book) item(a *Answer, item map[string]any) {
	if a.Operation == "" {
		b.delivered(a, item)
	}
	if a.Operation == "SendStreamingMessage" {
		b.replied(a, item)
	}
	for _, kind := range []string{"statusUpdate", "task"} {
		if told, is := item[kind].(map[string]any); is && hasEnded(told) && a.Stream != nil {
			b.ends[a.Stream] = true
		}
	}
	if task, is := item["task"].(map[string]any); is {
		asked := text(member(a.Params, "id"))
		if id := text(task["id"]); a.Operation == "SubscribeToTask" && asked != "" && id != "" && id != asked {
			b.slip("another-task", a, a.At+"/task/id", id, asked)
			return
		}
		b.task(view{task, a.At + "/task", a})
	}
	for _, kind := range []string{"statusUpdate", "artifactUpdate"} {
		update, is := item[kind].(map[string]any)
		t := b.tasks[text(member(update, "taskId"))]
		if !is || t == nil || t.made > 1 || a.Operation != "" { // a stream is held against its own first item
			continue
		}
		if context := text(update["contextId"]); context != "" && t.context != "" && context != t.context {
			b.slip("context", a, a.At+"/"+kind+"/contextId", context, t.context)
		}
	}
	if update, is := item["artifactUpdate"].(map[string]any); is {
		b.update(a, update)
	}
}

// task holds a task against what is known of it.
func (b *Book) task(v view) {
	t := b.known(v.task)
	if t == nil || t.made > 1 {
		return
	}
	switch context := text(v.task["contextId"]); {
	case t.context == "":
		if v.in.Operation != "ListTasks" { // lists are held against the others
			t.context = context
		}
	case isUnset(member(v.task, "contextId")) && v.in.Operation != "" && !assertions.IsMissing(member(v.task, "status")):
		b.slip("context-lost", v.in, v.at+"/contextId", member(v.task, "contextId"), t.context)
	case context != "" && context != t.context:
		b.slip("context", v.in, v.at+"/contextId", context, t.context)
	}
	if rests(v.task) {
		b.messages(v, t)
	}
	b.readAfterDelivery(v, t)
	if !hasEnded(v.task) {
		if v.in.Item {
			b.waits(v)
		}
		b.woken(v, t)
		b.unended(v, t)
		return
	}
	if t.since.IsZero() || v.in.Known.Before(t.since) {
		t.since = v.in.Known
	}
	switch {
	case t.ended != nil:
		b.changed(v, t.ended)
	case v.in.Operation == "GetTask":
		t.ended = &v
		b.retold(&v, t)
		b.readAfterList(&v, t)
	case v.in.Operation == "SendMessage" && t.told == nil:
		t.told = &v
	case v.in.Operation == "ListTasks":
		b.relisted(v, t)
	}
}

// retold holds what the answer to a message has told of the end of a task against the first read that shows it.
func (b *Book) retold(read *view, t *known) {
	told := t.told
	if t.told = nil; told != nil {
		b.sameAsTold(told, read)
		b.carried(told, read)
	}
}

// relisted holds the same against a list that shows it before any read does; of artifacts a list need not have any, but two lists
// that have some have the same.
func (b *Book) relisted(v view, t *known) {
	if t.told != nil && !b.sameAsTold(t.told, &v) {
		t.told = nil
	}
	switch {
	case t.listed != nil:
		b.sameArtifacts(v, t.listed)
	case len(artifactsOf(v.task)) > 0:
		t.listed = &v
	}
}

// readAfterList holds what a list has shown of a task that had ended against the first read of it.
func (b *Book) readAfterList(read *view, t *known) {
	if t.listed != nil {
		b.sameArtifacts(*t.listed, read)
	}
	t.listed = nil
}

// sameAsTold says whether a read shows the status that was told, and writes down where it does not. A canceled task that
// shows another state is looked at by those who cancel.
func (b *Book) sameAsTold(told, read *view) bool {
	same, said, is := true, told.task["status"], read.task["status"]
	if state := member(said, "state"); state == "TASK_STATE_CANCELED" && state != member(is, "state") {
		return false
	}
	for _, name := range []string{"state", "timestamp", "message"} {
		if !sameEnd(name, member(said, name), member(is, name)) {
			b.slip("ended-status", told.in, told.at+"/status/"+name, member(said, name), member(is, name))
			same = false
		}
	}
	return same
}

// carried holds the artifacts that the answer to a message has shown of a task that has ended against those that are kept:
// the same ids have the same parts, and where the task is completed and was waited for, they are all there.
func (b *Book) carried(told, read *view) {
	kept, shown := artifactsOf(read.task), artifactsOf(told.task)
	for id, artifact := range shown {
		was, there := kept[id]
		switch {
		case !there:
			b.slip("told-artifacts", told.in, told.at+artifact.at, artifact.value, "no such artifact")
		case !sameParts(member(artifact.value, "parts"), member(was.value, "parts")):
			b.slip("told-artifacts", told.in, told.at+artifact.at+"/parts", member(artifact.value, "parts"), member(was.value, "parts"))
		}
	}
	waited := !isTrue(member(member(told.in.Params, "configuration"), "returnImmediately"))
	if waited && len(shown) < len(kept) && member(told.task["status"], "state") == "TASK_STATE_COMPLETED" {
		b.slip("told-artifacts", told.in, told.at+"/artifacts", member(told.task, "artifacts"), read.task["artifacts"])
	}
}

// endsTell is how far apart the times of one end are that tell something: what is stored may be coarser than what is in memory.
const endsTell = time.Second

// sameEnd compares a member of what two answers say of one end. Times and messages may be left out of one of them, and of
// a message it is its parts that count, where it is the same one.
func sameEnd(name string, a, b any) bool {
	switch name {
	case "timestamp":
		first, has := instant(a)
		second, too := instant(b)
		return !has || !too || first.Sub(second).Abs() < endsTell
	case "message":
		id := text(member(a, "messageId"))
		return id == "" || id != text(member(b, "messageId")) || assertions.SameProtoJSON(member(a, "parts"), member(b, "parts")) == nil
	}
	return text(a) == text(b)
}

// unended holds a read that shows a task at work against the answer to a message that had shown its end well before. What
// was canceled is looked at by those who cancel.
func (b *Book) unended(v view, t *known) {
	reads := v.in.Operation == "GetTask" || v.in.Operation == "ListTasks"
	if !reads || t.told == nil || v.in.Asked.Sub(t.told.in.Known) < b.Settles || !isState(text(member(v.task["status"], "state"))) {
		return
	}
	if said := member(t.told.task["status"], "state"); said != "TASK_STATE_CANCELED" {
		b.slip("ended-status", t.told.in, t.told.at+"/status/state", said, member(v.task["status"], "state"))
	}
	t.told = nil
}

// woken holds a listed task that is shown at work against its end, which GetTask had shown before. What GetTask itself says
// later is looked at by those who ask it again, and what was canceled by those who cancel.
func (b *Book) woken(v view, t *known) {
	if v.in.Operation != "ListTasks" || t.ended == nil || v.in.Asked.Sub(t.ended.in.Known) < b.Settles || !isState(text(member(v.task["status"], "state"))) {
		return
	}
	if end := t.ended.task["status"]; member(end, "state") != "TASK_STATE_CANCELED" {
		b.slip("ended-status", v.in, v.at+"/status", member(v.task, "status"), end)
	}
}

// changed holds a task that has ended against an answer to GetTask that showed it so, the first one: reads show its
// status and its artifacts, a list those where they are asked for, and other answers at least no other parts of the same
// artifacts.
func (b *Book) changed(v view, first *view) {
	if goesOn(v.task["status"], first.task["status"]) {
		return
	}
	reads := v.in.Operation == "GetTask" || v.in.Operation == "ListTasks"
	if reads {
		if !sameStatus(v.task["status"], first.task["status"]) {
			b.slip("ended-status", v.in, v.at+"/status", member(v.task, "status"), first.task["status"])
		}
	}
	b.sameArtifacts(v, first)
}

// goesOn says whether a task that was canceled has another state now, which is looked at by those who cancel.
func goesOn(is, was any) bool {
	const canceled = "TASK_STATE_CANCELED"
	state := text(member(is, "state"))
	return member(was, "state") == canceled && isState(state) && state != canceled
}

// sameArtifacts holds the artifacts of a task that has ended against those that it was read with.
func (b *Book) sameArtifacts(v view, first *view) {
	kept, shown := artifactsOf(first.task), artifactsOf(v.task)
	for id, artifact := range shown {
		was, there := kept[id]
		switch {
		case !there:
			b.slip("ended-artifacts", v.in, v.at+artifact.at, artifact.value, "no such artifact")
		case !sameParts(member(artifact.value, "parts"), member(was.value, "parts")):
			b.slip("ended-artifacts", v.in, v.at+artifact.at+"/parts", member(artifact.value, "parts"), member(was.value, "parts"))
		}
	}
	if (v.in.Operation == "GetTask" || v.in.Operation == "ListTasks" && len(shown) > 0) && len(shown) < len(kept) {
		b.slip("ended-artifacts", v.in, v.at+"/artifacts", member(v.task, "artifacts"), first.task["artifacts"])
	}
}

// membersOf03 are those of a part in 0.3 that 1.0 does not have: which answer shows them is for A2A-MIG-006 and A2A-MIG-007, and changes no task.
var membersOf03 = []string{"kind", "file", "fileWithBytes", "fileWithUri", "bytes", "uri", "mimeType", "name"}

// sameParts says whether two lists of parts are the same by 1.0.
func sameParts(a, b any) bool {
	return assertions.SameProtoJSON(without03(a), without03(b)) == nil
}

// without03 are parts without the members of 0.3; of one that has nothing else, it is the part itself.
func without03(parts any) any {
	list, is := parts.([]any)
	if !is {
		return parts
	}
	all := make([]any, len(list))
	for i, part := range list {
		all[i] = part
		if members, is := part.(map[string]any); is {
			left := maps.Clone(members)
			maps.DeleteFunc(left, func(name string, _ any) bool { return slices.Contains(membersOf03, name) })
			if len(left) > 0 {
				all[i] = left
			}
		}
	}
	return all
}

// isUnset says whether a text is left out, null or empty.
func isUnset(v any) bool { return assertions.IsMissing(v) || v == nil || v == "" }

// sameStatus compares two statuses; what is said with them may be left out of one, and so may their time (A2A-REST-080).
func sameStatus(a, b any) bool {
	for _, name := range []string{"state", "timestamp", "message"} {
		first, second := member(a, name), member(b, name)
		if (name == "message" || name == "timestamp") && (assertions.IsMissing(first) || assertions.IsMissing(second)) {
			continue
		}
		if assertions.SameProtoJSON(map[string]any{name: first}, map[string]any{name: second}) != nil {
			return false
		}
	}
	return true
}

// messages holds what the agent says in the history of a task at rest against what it said there under the same id in an
// earlier answer; what the client has said is held against what was sent. An id that a history has twice tells nothing.
func (b *Book) messages(v view, t *known) {
	history, _ := v.task["history"].([]any)
	times := map[string]int{}
	for _, message := range history {
		times[text(member(message, "messageId"))]++
	}
	for i, message := range history {
		id := text(member(message, "messageId"))
		if id == "" || times[id] > 1 || text(member(message, "role")) != "ROLE_AGENT" {
			continue
		}
		parts := member(message, "parts")
		was, there := t.said[id]
		switch {
		case !there && len(t.said) < maxSaid:
			t.said[id] = parts
		case there && assertions.SameProtoJSON(parts, was) != nil:
			b.slip("agent-message", v.in, fmt.Sprintf("%s/history/%d/parts", v.at, i), parts, was)
		}
	}
}

// placed is a value, and where it stands below its task.
type placed struct {
	value any
	at    string
}

// artifactsOf are the artifacts of a task by their ids.
func artifactsOf(task map[string]any) map[string]placed {
	artifacts := map[string]placed{}
	list, _ := task["artifacts"].([]any)
	for i, artifact := range list {
		if id := text(member(artifact, "artifactId")); id != "" {
			artifacts[id] = placed{artifact, fmt.Sprintf("/artifacts/%d", i)}
		}
	}
	return artifacts
}
