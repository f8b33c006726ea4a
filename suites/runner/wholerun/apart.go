// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// What stands inside of what is answered is taken out of it here: tasks, statuses, messages, artifacts and their parts.

// item is a StreamResponse: that of a stream, or the body of a delivery.
func (o *objects) item(seen map[string]any, at string, v any) {
	if _, is := v.(map[string]any); !is || readers.IsErrorItem(v) { // an error in the place of an item is none (AMB-33)
		return
	}
	o.add("items", seen, at, v)
	o.wrapped(seen, at, v)
	if update, is := readers.Member(v, "statusUpdate").(map[string]any); is {
		o.add("status_updates", seen, at+"/statusUpdate", update)
		o.status(seen, at+"/statusUpdate/status", update["status"])
	}
	if update, is := readers.Member(v, "artifactUpdate").(map[string]any); is {
		o.add("artifact_updates", seen, at+"/artifactUpdate", update)
		o.artifact(seen, at+"/artifactUpdate/artifact", update["artifact"])
		return
	}
	if name, update := artifactUpdateIn(v.(map[string]any)); update != nil { // that it stands elsewhere is one requirement
		o.artifact(seen, at+name+"/artifact", update["artifact"])
	}
}

// artifactUpdateIn is the update of an artifact that stands bare in the place of an item, or under the one name that the item has, and
// where it stands; nil: there is none.
func artifactUpdateIn(item map[string]any) (string, map[string]any) {
	if isArtifactUpdate(item) {
		return "", item
	}
	for name, v := range item {
		if update, is := v.(map[string]any); is && len(item) == 1 && isArtifactUpdate(update) {
			return "/" + name, update
		}
	}
	return "", nil
}

func isArtifactUpdate(members map[string]any) bool {
	_, ofTask := members["taskId"].(string)
	_, brings := members["artifact"].(map[string]any)
	return ofTask && brings
}

// wrapped is what task and message hold, or a bare task.
func (o *objects) wrapped(seen map[string]any, at string, v any) {
	members, _ := v.(map[string]any)
	if task, is := members["task"].(map[string]any); is {
		o.task(seen, at+"/task", task)
	}
	if message, is := members["message"].(map[string]any); is {
		o.message(seen, at+"/message", "direct", message)
	}
	if readers.IsTask(members) {
		o.task(seen, at, members)
	}
}

func (o *objects) task(seen map[string]any, at string, v any) {
	task, is := v.(map[string]any)
	if !is {
		return
	}
	o.add("tasks", seen, at, task)
	o.status(seen, at+"/status", task["status"])
	history, _ := task["history"].([]any)
	for i, message := range history {
		place := fmt.Sprintf("%s/history/%d", at, i)
		if _, is := message.(map[string]any); !is {
			o.add("messages", withMembers(seen, map[string]any{"place": "history"}), place, message)
		}
		about := seen
		if _, known := o.sent[readers.MemberText(message, "messageId")]; !known && (o.open || o.begun[readers.MemberText(task, "id")]) {
			about = withMembers(seen, map[string]any{"sent_wrong": true})
		}
		o.message(about, place, "history", message)
	}
	artifacts, _ := task["artifacts"].([]any)
	for i, artifact := range artifacts {
		o.artifact(seen, fmt.Sprintf("%s/artifacts/%d", at, i), artifact)
	}
}

func (o *objects) status(seen map[string]any, at string, v any) {
	status, is := v.(map[string]any)
	if !is {
		return
	}
	o.add("statuses", seen, at, status)
	if message, is := status["message"]; is && message != nil {
		if _, is := message.(map[string]any); !is {
			o.add("messages", withMembers(seen, map[string]any{"place": "status"}), at+"/message", message)
		}
		o.message(seen, at+"/message", "status", message)
	}
}

func (o *objects) message(seen map[string]any, at, place string, v any) {
	if _, is := v.(map[string]any); !is {
		return
	}
	about := withMembers(seen, map[string]any{"place": place})
	switch id := readers.MemberText(v, "messageId"); {
	case place != "history":
	case o.wrong[id]:
		about["sent_wrong"] = true
	case o.sent[id] != nil:
		about["sent_texts"], about["texts"] = o.sent[id], textsOf(v)
	}
	o.add("messages", about, at, v)
	if id, is := readers.Member(v, "messageId").(string); is {
		seen = withMembers(seen, map[string]any{"message": id})
	}
	o.parts(seen, at, v)
}

func (o *objects) artifact(seen map[string]any, at string, v any) {
	if _, is := v.(map[string]any); !is {
		return
	}
	o.add("artifacts", seen, at, v)
	o.parts(seen, at, v)
}

func (o *objects) parts(seen map[string]any, at string, of any) {
	list, _ := readers.Member(of, "parts").([]any)
	for i, part := range list {
		o.add("parts", seen, fmt.Sprintf("%s/parts/%d", at, i), part)
	}
}
