// SPDX-License-Identifier: Apache-2.0

package ptyws

import (
	"encoding/base64"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// A Compact translates one connection from and to the compact dialect, so that suites see the frames of pty-ws/v1. What
// stands on the wire, and in the evidence, is the dialect.
//
// The dialect has no ids. A reply belongs to the oldest request that it can answer; requests before that one have been
// served without a reply. What the dialect does not say (who was downgraded, a label, an A2A error) is missing here too.
type Compact struct {
	unanswered []compactRequest
	silent     string // the id of the request that was taken to be served without a reply last
	head       any    // the newest number
	Replays    bool   // a replay was asked for in the URL: it comes before the join, and is held until then
	joinID     string
	joined     bool
	held       []*Message
}

type compactRequest struct{ op, id string }

// compactNames are the operations of clients that have another name in the dialect.
var compactNames = map[string]string{
	"SendMessage": "message/send", "SendStreamingMessage": "message/stream", "GetTask": "tasks/get", "ListTasks": "tasks/list",
	"CancelTask": "tasks/cancel", "SubscribeToTask": "tasks/subscribe",
}

// compactCodes are the codes of the binding by those of the dialect.
var compactCodes = map[string]string{
	"request.invalid_params": "INVALID_REQUEST", "request.unsupported_operation": "UNSUPPORTED_OPERATION",
	"task.not_found": "TASK_NOT_FOUND", "task.not_cancelable": "TASK_NOT_CANCELABLE", "internal.error": "INTERNAL",
	"pty.permission_denied": "PERMISSION_DENIED", "replay.out_of_range": "REPLAY_OUT_OF_RANGE",
}

// compactIgnores are the members of an envelope that executors of the dialect do not look at.
var compactIgnores = []string{"id", "ts", "extensions", "service_parameters", "replay_from"}

// Request is an envelope of the binding as it is sent, and notes what may answer it.
func (c *Compact) Request(envelope map[string]any) map[string]any {
	said := maps.Clone(envelope)
	for _, name := range compactIgnores {
		if name != "ts" {
			delete(said, name)
		}
	}
	op, _ := envelope["op"].(string)
	if name, has := compactNames[op]; has {
		said["op"] = name
	}
	id, _ := envelope["id"].(string)
	c.unanswered = append(c.unanswered, compactRequest{op, id})
	if op == "pty.join_session" && c.joinID == "" {
		c.joinID = id
	}
	return said
}

// answers finds the request that a reply belongs to, the oldest of the given operations; none are named where any may be
// meant. Older requests have been served without a reply.
func (c *Compact) answers(ops ...string) (compactRequest, bool) {
	i := slices.IndexFunc(c.unanswered, func(r compactRequest) bool { return len(ops) == 0 || slices.Contains(ops, r.op) })
	if i < 0 {
		return compactRequest{}, false
	}
	found := c.unanswered[i]
	c.unanswered = slices.Delete(c.unanswered, 0, i+1)
	return found, true
}

// served notes that requests of an operation were served without a reply.
func (c *Compact) served(op string) {
	c.unanswered = slices.DeleteFunc(c.unanswered, func(r compactRequest) bool {
		if r.op == op {
			c.silent = r.id
		}
		return r.op == op
	})
}

// Receive translates a message, and says which messages are to be seen now: none while a replay waits for the join.
func (c *Compact) Receive(m *Message) []*Message {
	op, _ := m.Members["op"].(string)
	if _, is := m.Members["payload"].(map[string]any); !is || op == "" {
		return []*Message{m} // none of the dialect either
	}
	if c.Replays && !c.joined && c.isReplay(op, m.Members["payload"]) {
		c.held = append(c.held, m)
		return nil
	}
	c.translate(op, m)
	switch {
	case op == "membership_changed" && c.joined:
		return append([]*Message{m}, c.Release()...)
	case op == "keyframe":
		return append(c.Release(), m)
	}
	return []*Message{m}
}

// isReplay says whether a message that came before the role is a part of what the URL asked for.
func (c *Compact) isReplay(op string, payload any) bool {
	switch op {
	case "output", "resize", "membership_changed", "closed":
		return true
	case "error":
		return readers.Member(payload, "code") == "replay.out_of_range"
	}
	return false
}

// Release shows the replay where the binding has it: behind the role and the roster, before the keyframe.
func (c *Compact) Release() []*Message {
	held := c.held
	c.held = nil
	for _, m := range held {
		op, _ := m.Members["op"].(string)
		c.translate(op, m)
	}
	return held
}

// translate puts a message into the words of the binding.
func (c *Compact) translate(op string, m *Message) {
	payload, _ := m.Members["payload"].(map[string]any)
	if seq := m.Members["seq"]; seq != nil && op != "binding_hello" {
		c.head = seq
	}
	said := map[string]any{"id": uuid.Must(uuid.NewV7()).String(), "ts": m.Members["ts"], "payload": m.Members["payload"], "op": op}
	// A number that is only repeated must not stand for the frame that has taken it, above all not for one that a replay
	// has left out.
	repeated := op == "keyframe" || op == "role_assigned" && c.Replays
	if seq := m.Members["seq"]; seq != nil && !repeated {
		said["sequence"] = seq
	}
	reply := func(name string, payload map[string]any, ops ...string) {
		said["op"], said["payload"] = name, payload
		if r, found := c.answers(ops...); found {
			said["id"] = r.id
		}
	}
	frame := func(kind string, payload map[string]any) {
		payload["kind"] = kind
		said["op"], said["payload"] = "pty.session_frame", payload
	}
	switch op {
	case "binding_hello":
		said["payload"] = compactGreeting(payload)
	case "task":
		c.task(said, payload)
	case "task_list":
		reply("ListTasks.Response", map[string]any{"tasks": payload["tasks"], "next_page_token": payload["next_cursor"]}, "ListTasks")
	case "error":
		c.failure(said, payload)
	case "output":
		c.served("pty.session_input")
		frame("Output", map[string]any{"stream": "stdout", "data": payload["data"]})
	case "resize":
		c.served("pty.session_resize")
		frame("Resize", maps.Clone(payload))
	case "role_assigned":
		c.joined = true
		c.answers("pty.join_session", "pty.request_role")
		frame("RoleAssigned", maps.Clone(payload))
	case "membership_changed":
		frame("MembershipChanged", compactRoster(payload))
	case "keyframe":
		c.answers("pty.request_keyframe")
		frame("Keyframe", compactSnapshot(payload))
	case "closed":
		frame("Closed", maps.Clone(payload))
	}
	m.Members = said
}

// task is a reply that shows a task; which reply it is depends on what was asked.
func (c *Compact) task(said, task map[string]any) {
	r, found := c.answers("SendMessage", "SendStreamingMessage", "GetTask", "CancelTask", "SubscribeToTask")
	if !found {
		return
	}
	said["op"], said["id"], said["payload"] = r.op+".Response", r.id, map[string]any{"task": task}
	switch r.op {
	case "SendStreamingMessage":
		said["op"], said["payload"] = r.op+".Accepted", map[string]any{"task_id": task["id"]}
	case "SubscribeToTask":
		said["op"], said["payload"] = r.op+".Accepted", map[string]any{"current_sequence": c.head}
	}
}

// failure is an error of the binding, or of the terminal.
func (c *Compact) failure(said, payload map[string]any) {
	code, _ := payload["code"].(string)
	if code == "broadcast.lagged" {
		said["op"] = "pty.session_frame"
		said["payload"] = map[string]any{"kind": "Error", "code": "PTY_OUTPUT_LAGGED", "message": payload["message"]}
		return
	}
	failed := maps.Clone(payload)
	if known, has := compactCodes[code]; has {
		failed["code"] = known
	}
	said["op"], said["payload"] = "Error", failed
	var about []string
	switch code {
	case "replay.out_of_range":
		said["id"] = c.joinID
		return
	case "task.not_found", "task.not_cancelable":
		about = []string{"GetTask", "CancelTask", "SubscribeToTask"}
	}
	if r, found := c.answers(about...); found {
		said["id"] = r.id
	} else if c.silent != "" {
		said["id"], c.silent = c.silent, ""
	}
}

func compactGreeting(payload map[string]any) map[string]any {
	said := maps.Clone(payload)
	operations, is := payload["supported_operations"].([]any)
	if !is {
		return said
	}
	names := make([]any, len(operations))
	for i, operation := range operations {
		names[i] = operation
		for name, other := range compactNames {
			if operation == other {
				names[i] = name
			}
		}
	}
	said["supported_operations"] = names
	return said
}

func compactRoster(payload map[string]any) map[string]any {
	controllers, observers := []any{}, []any{}
	members, _ := payload["members"].([]any)
	for _, entry := range members {
		one, _ := entry.(map[string]any)
		shown := maps.Clone(one)
		delete(shown, "role")
		if one["role"] == "controller" {
			controllers = append(controllers, shown)
		} else {
			observers = append(observers, shown)
		}
	}
	return map[string]any{"controllers": controllers, "observers": observers}
}

// compactSnapshot is the keyframe's frames as one picture: the bytes that paint it, and the size they are painted in.
func compactSnapshot(payload map[string]any) map[string]any {
	said := map[string]any{"anchor_sequence": payload["cursor"], "snapshot_format": "vt100-screen-state-v1"}
	var painted []byte
	frames, _ := payload["frames"].([]any)
	for _, entry := range frames {
		content := entry
		if inner, is := readers.Member(entry, "payload").(map[string]any); is {
			content = inner
		}
		if data, is := readers.Member(content, "data").(string); is {
			decoded, _ := base64.StdEncoding.DecodeString(data)
			painted = append(painted, decoded...)
		}
		if cols, rows := readers.Member(content, "cols"), readers.Member(content, "rows"); !assertions.IsMissing(cols) && !assertions.IsMissing(rows) {
			said["snapshot_cols"], said["snapshot_rows"] = cols, rows
		}
	}
	said["snapshot"] = base64.StdEncoding.EncodeToString(painted)
	return said
}
