// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// What the data of a stream event, or the body of a push delivery, can be.
const (
	KindTask     = "task"
	KindStatus   = "status"
	KindArtifact = "artifact"
	KindMessage  = "message"
	KindUnknown  = "unknown"
)

// Event says what the data of a stream event is, and which task it carries or is about, if any.
func Event(v any) (kind string, task any) {
	members, is := v.(map[string]any)
	if !is {
		return KindUnknown, assertions.Missing
	}
	if IsTask(members) {
		return KindTask, taskOf(members)
	}
	if inner, is := members["task"].(map[string]any); is && IsTask(inner) {
		return KindTask, taskOf(inner)
	}
	if update := updateIn(members, "status"); update != nil {
		return KindStatus, updatedTask(update)
	}
	if update := updateIn(members, "artifact"); update != nil {
		return KindArtifact, updatedTask(update)
	}
	if message, is := members["message"].(map[string]any); is {
		return KindMessage, updatedTask(message)
	}
	_, hasRole := members["role"].(string)
	_, hasParts := members["parts"].([]any)
	if hasRole && hasParts {
		return KindMessage, updatedTask(members)
	}
	if result, is := members["result"].(map[string]any); is {
		return Event(result)
	}
	return KindUnknown, assertions.Missing
}

// updateIn finds an update of the status or of an artifact: in its member of A2A 1.0, in that of older drafts, or bare, with
// the kind of A2A 0.3 or without.
func updateIn(members map[string]any, of string) map[string]any {
	title := strings.ToUpper(of[:1]) + of[1:]
	for _, name := range []string{of + "Update", "task" + title + "Update"} {
		if update, is := members[name].(map[string]any); is {
			return update
		}
	}
	_, about := members["taskId"].(string)
	if _, tells := members[of].(map[string]any); members["kind"] == of+"-update" || about && tells {
		return members
	}
	return nil
}

// updatedTask is what an update tells of its task, in the form of a task.
func updatedTask(update map[string]any) any {
	task := map[string]any{"raw": update}
	CopyMembers(task, update, "contextId", "metadata", "status")
	for _, name := range []string{"taskId", "task_id"} {
		if id, is := update[name].(string); is {
			task["id"] = id
			break
		}
	}
	if state := stateOf(update["status"]); state != "" {
		task["state"] = state
	}
	if status, is := update["status"].(map[string]any); is {
		CopyMembers(task, status, "timestamp")
	}
	addPrompt(task)
	return task
}

// updateOf is the object that carries the metadata of an update.
func updateOf(v any) any {
	if inner, is := Member(v, "result").(map[string]any); is {
		v = inner
	}
	members, _ := v.(map[string]any)
	for _, of := range []string{"status", "artifact"} {
		if update := updateIn(members, of); update != nil {
			return update
		}
	}
	if message, is := members["message"].(map[string]any); is {
		return message
	}
	return v
}

// Push says what a push delivery carries: the executor's own form, else any form of a stream event.
func Push(v any) (kind string, task any) {
	if event, is := Member(v, "status_event").(map[string]any); is {
		if _, has := event["status"].(map[string]any); has {
			if id, is := Member(v, "task_id").(string); is && event["task_id"] == nil {
				copied := map[string]any{"task_id": id}
				CopyMembers(copied, event, "status", "metadata", "contextId")
				event = copied
			}
			return KindStatus, updatedTask(event)
		}
	}
	return Event(v)
}
