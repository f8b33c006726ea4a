// SPDX-License-Identifier: Apache-2.0

// Package readers reads what a target answers tolerantly: every form that one of a contract's sources documents is understood, so
// that a deviation in spelling costs the one requirement that is about the spelling, and none of those that build on it (wire.md
// 1.5). Values in the form of package jsontext come in, and such values go out; assertions.Missing stands for what is not there.
package readers

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// All read a parsed body tolerantly: every form that one of the contract's sources documents is understood, so that
// a deviation in spelling costs the one requirement that is about the spelling, and none of those that build on it.
// Each returns Missing when the body holds nothing of the kind.
var All = map[string]func(any) any{
	"task":        Task,
	"tasks":       Tasks,
	"errcode":     errcode,
	"page_cursor": pageCursor,
	"configs":     Configs,
	"fail_kind":   failKind,
	"tenant_echo": tenantEcho,
	"declared":    declared,
	"interfaces":  interfaces,
	"pty_params":  ptyParams,
	"signing":     SigningHeaders,
	"normal":      Normal,
	"hyphened":    Hyphened,
	"inner":       Inner,
}

// Task finds a task: an object with a text id and an object status, else the member task, else the member result.
func Task(v any) any {
	raw := findTask(v)
	if raw == nil {
		return assertions.Missing
	}
	return taskOf(raw)
}

func findTask(v any) map[string]any {
	members, _ := v.(map[string]any)
	if members == nil {
		return nil
	}
	if IsTask(members) {
		return members
	}
	for _, name := range []string{"task", "result"} {
		if inner, is := members[name].(map[string]any); is {
			if IsTask(inner) {
				return inner
			}
			if name == "result" { // a JSON-RPC result may wrap the task once more
				return findTask(inner)
			}
		}
	}
	return nil
}

// IsTask says whether an object is a task: it has a text id and an object status.
func IsTask(members map[string]any) bool {
	_, hasID := members["id"].(string)
	_, hasStatus := members["status"].(map[string]any)
	return hasID && hasStatus
}

// taskOf is a task as suites see it.
func taskOf(raw map[string]any) map[string]any {
	task := map[string]any{"raw": raw}
	CopyMembers(task, raw, "id", "contextId", "metadata", "status")
	if state := stateOf(raw["status"]); state != "" {
		task["state"] = state
	}
	if status, is := raw["status"].(map[string]any); is {
		CopyMembers(task, status, "timestamp")
	}
	addPrompt(task)
	return task
}

// addPrompt finds the envelope of hitl-prompt/v1: in the metadata of the status message, else in that of the status or
// of the task.
func addPrompt(task map[string]any) {
	for _, metadata := range []any{Member(Member(task["status"], "message"), "metadata"), Member(task["status"], "metadata"), task["metadata"]} {
		members, _ := metadata.(map[string]any)
		for uri, envelope := range members {
			if strings.HasSuffix(uri, "/extensions/hitl-prompt/v1") {
				task["prompt"] = envelope
				return
			}
		}
	}
}

// CopyMembers copies those members of from that are there.
func CopyMembers(to, from map[string]any, names ...string) {
	for _, name := range names {
		if v, found := from[name]; found {
			to[name] = v
		}
	}
}

// Tasks finds a list of tasks.
func Tasks(v any) any {
	for _, name := range []string{"tasks", "items"} {
		if list, is := Member(v, name).([]any); is {
			return tasksOf(list)
		}
	}
	if result, is := Member(v, "result").(map[string]any); is {
		return Tasks(result)
	}
	if list, is := v.([]any); is {
		return tasksOf(list)
	}
	return assertions.Missing
}

// tasksOf keeps elements that are no tasks as they are: whether they may be there is for the suite to say.
func tasksOf(list []any) []any {
	tasks := make([]any, len(list))
	for i, element := range list {
		tasks[i] = element
		if raw := findTask(element); raw != nil {
			tasks[i] = taskOf(raw)
		}
	}
	return tasks
}

// errcode finds the code of an error in a problem document, a JSON-RPC error or a google.rpc.Status.
func errcode(v any) any {
	if code, is := Member(v, "code").(string); is {
		return code
	}
	failure := Member(v, "error")
	if code, is := Member(Member(failure, "data"), "code").(string); is {
		return code
	}
	if code, is := Member(failure, "code").(string); is {
		return code
	}
	details, _ := Member(failure, "details").([]any)
	for _, detail := range details {
		if reason, is := Member(detail, "reason").(string); is {
			return reason
		}
	}
	if kind, is := Member(v, "type").(string); is {
		if u, err := url.Parse(kind); err == nil && u.Opaque == "" {
			if last := path.Base(u.Path); last != "." && last != "/" {
				return last
			}
		}
		if at := strings.LastIndexByte(kind, ':'); strings.HasPrefix(kind, "urn:") && at+1 < len(kind) {
			return kind[at+1:]
		}
	}
	return assertions.Missing
}

// pageCursor finds the cursor of the next page. Absent, null and empty mean that there is none.
func pageCursor(v any) any {
	for _, name := range []string{"next_cursor", "nextCursor", "nextPageToken", "next_page_id"} {
		switch cursor := Member(v, name).(type) {
		case string:
			if cursor != "" {
				return cursor
			}
		case json.Number:
			return cursor.String()
		}
	}
	return assertions.Missing
}

// Configs finds a list of push configurations.
func Configs(v any) any {
	for _, name := range []string{"configs", "pushNotificationConfigs"} {
		if list, is := Member(v, name).([]any); is {
			return list
		}
	}
	if list, is := v.([]any); is {
		return list
	}
	return assertions.Missing
}

// declared finds what a card declares of each extension, under its short name, "runtime/v1"; of an extension that is
// declared twice, the first entry.
func declared(v any) any {
	entries, is := Member(Member(v, "capabilities"), "extensions").([]any)
	if !is {
		return assertions.Missing
	}
	declared := map[string]any{}
	for _, entry := range entries {
		uri, _ := Member(entry, "uri").(string)
		_, name, found := strings.Cut(uri, "/extensions/")
		if _, known := declared[name]; found && !known {
			declared[name] = entry
		}
	}
	return declared
}

// failKind finds how a task failed, in any of the three places that are in use.
func failKind(v any) any {
	task := findTask(v)
	if task == nil {
		return assertions.Missing
	}
	status := task["status"]
	return firstText(
		Member(status, "fail_kind"),
		Member(Member(Member(status, "message"), "metadata"), "fail_kind"),
		Member(task["metadata"], "fail_kind"),
	)
}

// tenantEcho finds the tenant that a task, its status message or an update names.
func tenantEcho(v any) any {
	carrier := any(findTask(v))
	if findTask(v) == nil {
		carrier = updateOf(v)
	}
	return firstText(
		Member(Member(carrier, "metadata"), "tenant_id"),
		Member(Member(Member(Member(carrier, "status"), "message"), "metadata"), "tenant_id"),
	)
}

func firstText(values ...any) any {
	for _, v := range values {
		if s, is := v.(string); is {
			return s
		}
	}
	return assertions.Missing
}

// Member is v[name], and Missing when v is no object or has no such member.
func Member(v any, name string) any {
	members, _ := v.(map[string]any)
	if found, has := members[name]; has {
		return found
	}
	return assertions.Missing
}

// MemberText is the text v[name], and empty when it is no text or not there.
func MemberText(v any, name string) string {
	text, _ := Member(v, name).(string)
	return text
}
