// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// What the data of a stream event, or the body of a push delivery, can be.
const (
	kindTask     = "task"
	kindStatus   = "status"
	kindArtifact = "artifact"
	kindMessage  = "message"
	kindUnknown  = "unknown"
)

// readEvent says what the data of a stream event is, and which task it carries or is about, if any.
func readEvent(v any) (kind string, task any) {
	members, is := v.(map[string]any)
	if !is {
		return kindUnknown, assertions.Missing
	}
	if isTask(members) {
		return kindTask, taskOf(members)
	}
	if inner, is := members["task"].(map[string]any); is && isTask(inner) {
		return kindTask, taskOf(inner)
	}
	if update := updateIn(members, "status"); update != nil {
		return kindStatus, updatedTask(update)
	}
	if update := updateIn(members, "artifact"); update != nil {
		return kindArtifact, updatedTask(update)
	}
	if message, is := members["message"].(map[string]any); is {
		return kindMessage, updatedTask(message)
	}
	_, hasRole := members["role"].(string)
	_, hasParts := members["parts"].([]any)
	if hasRole && hasParts {
		return kindMessage, updatedTask(members)
	}
	if result, is := members["result"].(map[string]any); is {
		return readEvent(result)
	}
	return kindUnknown, assertions.Missing
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
	copyMembers(task, update, "contextId", "metadata", "status")
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
		copyMembers(task, status, "timestamp")
	}
	addPrompt(task)
	return task
}

// updateOf is the object that carries the metadata of an update.
func updateOf(v any) any {
	if inner, is := member(v, "result").(map[string]any); is {
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

// readPush says what a push delivery carries: the executor's own form, else any form of a stream event.
func readPush(v any) (kind string, task any) {
	if event, is := member(v, "status_event").(map[string]any); is {
		if _, has := event["status"].(map[string]any); has {
			if id, is := member(v, "task_id").(string); is && event["task_id"] == nil {
				copied := map[string]any{"task_id": id}
				copyMembers(copied, event, "status", "metadata", "contextId")
				event = copied
			}
			return kindStatus, updatedTask(event)
		}
	}
	return readEvent(v)
}
