// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A form is how what a test is about is written: what the tolerant readers of the harness find, an example shows as it is sent.
type form struct {
	operates bool // it has operations of A2A 1.0, whose states and errors are written otherwise
	rpc      bool // its operations go over JSON-RPC alone
	ofRun    bool // it is about what was seen in the whole run
	forbids  bool // it says what must not be, so that what is there beside it is an exception
}

func formOf(profile *suites.Profile, t *suites.Test) form {
	operates := slices.ContainsFunc(profile.Tests(), func(one *suites.Test) bool { return one.Operates })
	return form{operates: operates, rpc: slices.Equal(t.Over, []string{"JSONRPC"}),
		forbids: t.Level == suites.MustNot || t.Level == suites.ShouldNot}
}

const processed = "processed"

// A failing is how an operation fails: the status over HTTP+JSON, the code over JSON-RPC, and what names it.
type failing struct {
	name, status, grpc, reason, code string
}

// failings are the errors of A2A 1.0 (section 5.4), and the classes of other ones.
var failings = []failing{
	{"TaskNotFound", "404", "NOT_FOUND", "TASK_NOT_FOUND", "-32001"},
	{"TaskNotCancelable", "400", "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE", "-32002"},
	{"PushNotificationNotSupported", "400", "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED", "-32003"},
	{"UnsupportedOperation", "400", "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION", "-32004"},
	{"ContentTypeNotSupported", "400", "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED", "-32005"},
	{"InvalidAgentResponse", "500", "INTERNAL", "INVALID_AGENT_RESPONSE", "-32006"},
	{"ExtendedAgentCardNotConfigured", "400", "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED", "-32007"},
	{"ExtensionSupportRequired", "400", "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED", "-32008"},
	{"VersionNotSupported", "400", "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED", "-32009"},
	{"validation", "400", "INVALID_ARGUMENT", "", "-32602"},
	{"authentication", "401", "UNAUTHENTICATED", "", ""},
	{"authorization", "403", "PERMISSION_DENIED", "", ""},
}

// known is how an operation fails by the name of an error, or its class; nil where it is none.
func (f form) known(name string) *failing {
	if i := slices.IndexFunc(failings, func(one failing) bool { return one.name == name }); i >= 0 {
		return &failings[i]
	}
	return nil
}

// body is the answer of an operation that fails so.
func (one *failing) body(rpc bool) map[string]any {
	message := "..."
	var details []any
	if one.reason != "" {
		details = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": one.reason, "domain": "a2a-protocol.org"}}
	}
	if rpc {
		body := map[string]any{"code": json.Number(one.code), "message": message}
		if details != nil {
			body["data"] = details
		}
		return map[string]any{"jsonrpc": "2.0", "error": body}
	}
	body := map[string]any{"code": json.Number(one.status), "status": one.grpc, "message": message}
	if details != nil {
		body["details"] = details
	}
	return map[string]any{"error": body}
}

// completeTask gives a task what every task has, and a state the spelling of the contract.
func (f form) completeTask(v any) {
	task, is := v.(map[string]any)
	if !is {
		return
	}
	raw := objectIn(task, "raw")
	if raw == nil {
		raw = map[string]any{}
		task["raw"] = raw
	}
	for _, name := range []string{"id", "contextId", "metadata"} {
		if v, there := task[name]; there {
			raw[name] = v
		} else if v, there := raw[name]; there {
			task[name] = v
		}
	}
	if id, there := task["id"]; !there || id == whatever {
		task["id"], raw["id"] = "...", "..."
	}
	status := objectIn(task, "status")
	if status == nil {
		status = objectIn(raw, "status")
	}
	if status == nil {
		status = map[string]any{}
	}
	if state, is := task["state"].(string); is {
		status["state"] = f.state(state)
	} else if state, is := status["state"].(string); is {
		task["state"] = strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(state, "TASK_STATE_")), "_", "-")
	}
	if at, there := task["timestamp"]; there {
		status["timestamp"] = at
	} else if at, there := status["timestamp"]; there {
		task["timestamp"] = at
	}
	if prompt, there := task["prompt"]; there {
		status["message"] = map[string]any{"metadata": map[string]any{"${uri.hitl-prompt}": prompt}}
	}
	task["status"], raw["status"] = status, status
}

// state is a state as it is sent.
func (f form) state(state string) string {
	if !f.operates || strings.HasPrefix(state, "${") || state == whatever || state == "..." {
		return state
	}
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
}

// sent is an example as it is sent: what only the readers find in it has become the status, the headers and the body. False
// where both are there and would not be of one answer.
func (e example) sent(f form) (example, bool) {
	sent := example{}
	for name, v := range e {
		sent[name] = copied(v)
	}
	if f.ofRun {
		return sent, true
	}
	if !sent.failed(f) {
		return nil, false
	}
	for _, found := range []struct {
		name string
		body func(v any) any
	}{
		{"result", func(v any) any { return v }},
		{"task", rawTask},
		{"tasks", func(v any) any { return map[string]any{"tasks": rawTasks(v)} }},
		{"errcode", func(v any) any { return map[string]any{"code": v} }},
		{"page_cursor", func(v any) any {
			return map[string]any{map[bool]string{true: "nextPageToken", false: "next_cursor"}[f.operates]: v}
		}},
		{"configs", func(v any) any { return map[string]any{"configs": v} }},
	} {
		v, there := sent[found.name]
		if !there {
			continue
		}
		delete(sent, found.name)
		body := found.body(v)
		if f.rpc {
			body = map[string]any{"jsonrpc": "2.0", "result": body}
		}
		if _, told := sent["text"]; told || !sent.hold(body) { // the text would be another one
			return nil, false
		}
	}
	for _, lines := range objectIn(sent, "headers") {
		if _, is := lines.([]any); !is {
			return nil, false
		}
	}
	if list, is := sent["echoed"].([]any); is {
		names, all := joinedBy(list, ", ")
		if _, there := objectIn(sent, "header")["A2A-Extensions"]; there || !all {
			return nil, false
		}
		setIn(sent, "header", "A2A-Extensions", names)
		delete(sent, "echoed")
	}
	return sent, true
}

// failed puts how an operation failed into the body.
func (e example) failed(f form) bool {
	failure := objectIn(e, "failure")
	name, _ := e["outcome"].(string)
	for _, member := range []string{"class", "name"} {
		if text, is := failure[member].(string); is && text != "a2a" {
			name = text
		}
	}
	delete(e, "outcome")
	one := f.known(name)
	if one == nil {
		_, told := failure["told"]
		return !told && (failure == nil || name == "")
	}
	for member := range failure {
		if !slices.Contains([]string{"name", "class"}, member) {
			return false
		}
	}
	if f.rpc && one.code == "" {
		return false
	}
	delete(e, "failure")
	if status, there := e["status"]; !there && !f.rpc {
		e["status"] = json.Number(one.status)
	} else if there && !f.rpc && status != json.Number(one.status) {
		return false
	}
	return e.hold(one.body(f.rpc))
}

// hold puts something into the body; false where something else is in the way.
func (e example) hold(body any) bool {
	more, is := body.(map[string]any)
	have, there := e["json"]
	if !there {
		e["json"] = body
		return body != nil
	}
	object, also := have.(map[string]any)
	if !is || !also {
		return false
	}
	for name := range more {
		if _, twice := object[name]; twice {
			return false
		}
	}
	merge(object, more)
	return true
}

func rawTask(v any) any {
	if task, is := v.(map[string]any); is {
		return task["raw"]
	}
	return nil
}

func rawTasks(v any) any {
	list, is := v.([]any)
	if !is {
		return nil
	}
	all := make([]any, len(list))
	for i, one := range list {
		if all[i] = rawTask(one); all[i] == nil {
			all[i] = one
		}
	}
	return all
}
