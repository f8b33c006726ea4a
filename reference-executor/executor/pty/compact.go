// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"fmt"
	"net/http"
	"strconv"
)

// dialectCompact is the value of Config.Dialect for the shorter envelope that some executors in the field speak under
// the URL and the subprotocols of pty-ws/v1. It is not the contract.
const dialectCompact = "compact"

// compactOperations are the operations of the dialect by its names, each with the contract's that does it. Nothing is
// streamed in the dialect, so that a subscription shows the task as it is.
var compactOperations = map[string]string{
	"message/send":         "SendMessage",
	"message/stream":       "SendMessage",
	"tasks/get":            "GetTask",
	"tasks/list":           "ListTasks",
	"tasks/cancel":         "CancelTask",
	"tasks/subscribe":      "GetTask",
	"pty.join_session":     "pty.join_session",
	"pty.leave_session":    "pty.leave_session",
	"pty.session_input":    "pty.session_input",
	"pty.session_resize":   "pty.session_resize",
	"pty.request_role":     "pty.request_role",
	"pty.request_keyframe": "pty.request_keyframe",
}

// compactCodes are the codes of the dialect with the status that it shows beside them.
var compactCodes = map[string]struct {
	code   string
	status int
}{
	codeInvalidRequest:    {"request.invalid_params", http.StatusBadRequest},
	codeUnsupported:       {"request.unsupported_operation", http.StatusNotImplemented},
	codeTaskNotFound:      {"task.not_found", http.StatusNotFound},
	codeTaskNotCancelable: {"task.not_cancelable", http.StatusConflict},
	codePermissionDenied:  {"pty.permission_denied", http.StatusForbidden},
	codeReplayOutOfRange:  {"replay.out_of_range", http.StatusGone},
	codeBackend:           {"session_backend.not_implemented", http.StatusNotImplemented},
	codeClass:             {"session_class.not_implemented", http.StatusNotImplemented},
	codeOutputLagged:      {"broadcast.lagged", http.StatusServiceUnavailable},
}

// Speak has clients spoken to in a dialect; an empty name stands for pty-ws/v1. The error is that there is no such dialect.
func (b *Behaviour) Speak(dialect string) error {
	switch dialect {
	case "":
	case dialectCompact:
		speakCompact(b)
	default:
		return fmt.Errorf("no PTY dialect %q, want %s", dialect, dialectCompact)
	}
	return nil
}

// speakCompact puts the dialect in front of whatever the terminals do: names are exchanged when a frame is read and
// when one is written, and what the dialect cannot say is not said.
func speakCompact(b *Behaviour) {
	operations := map[string]operation{}
	for name, meant := range compactOperations {
		operations[name] = b.operations[meant]
	}
	release := b.operations["pty.request_role"]
	requestRole := release.run
	release.run = func(c *connection, r *request) *frameError {
		r.payload = map[string]any{"role": roleObserver}
		return requestRole(c, r)
	}
	operations["pty.release_role"] = release
	b.operations = operations

	coerce := b.reading.coerce
	b.reading.coerce = func(envelope map[string]any) {
		for _, ignored := range []string{"id", "ts", "seq", "extensions", "service_parameters", "replay_from"} {
			delete(envelope, ignored)
		}
		envelope["id"], envelope["ts"] = newUUIDv7(), now()
		coerce(envelope)
	}
	b.reading.activate = func(c *connection, _ *request) { c.activated = true }

	numbered := b.stream.numbered
	b.stream.numbered = func(f *frame) bool { return isBroadcast(f) && numbered(f) }

	line := b.outgoing.line
	b.outgoing.line = func(c *connection, d delivery) []delivery {
		if d.frame != nil {
			if !speakable(d.frame) {
				return nil
			}
			if d.frame.op == opTerminal && !d.frame.numbered { // the session is locked
				f := *d.frame
				f.sequence = c.session.head
				d.frame = &f
			}
		}
		return line(c, d)
	}
	envelope := b.outgoing.envelope
	b.outgoing.envelope = func(c *connection, d delivery, env map[string]any) {
		envelope(c, d, env)
		compactEnvelope(c, d.frame, env)
	}
}

// isBroadcast tells whether a frame takes a number: in the dialect, what is said to one client alone does not.
func isBroadcast(f *frame) bool {
	if f.op != opTerminal || f.only != nil {
		return false
	}
	switch f.kind {
	case kindOutput, kindResize, kindMembership, kindClosed:
		return true
	}
	return false
}

// speakable tells whether the dialect has a name for a frame.
func speakable(f *frame) bool {
	switch {
	case f.op == opUpdate, f.op == opGoodbye:
		return false
	case f.op == opTerminal && f.kind == kindError:
		return f.payload["code"] == codeOutputLagged
	}
	return true
}

// compactEnvelope writes an envelope of the contract as one of the dialect.
func compactEnvelope(c *connection, f *frame, env map[string]any) {
	payload, _ := env["payload"].(map[string]any)
	op, payload := compactPayload(c, f, payload)
	said := map[string]any{"op": op, "seq": nil, "ts": env["ts"], "payload": payload}
	switch {
	case f.op == opHello:
		said["seq"] = 0
	case f.op == opTerminal && f.kind != kindError:
		said["seq"] = f.sequence
	}
	clear(env)
	for name, v := range said {
		env[name] = v
	}
}

// compactPayload is the operation and the payload that say what a frame of the contract says.
func compactPayload(c *connection, f *frame, payload map[string]any) (op string, _ map[string]any) {
	switch f.op {
	case opHello:
		return f.op, payload
	case opError:
		return "error", compactError(c, payload)
	case "ListTasks.Response":
		return "task_list", map[string]any{"tasks": payload["tasks"], "next_cursor": payload["next_page_token"]}
	case opTerminal:
	default: // the other replies show a task
		task, _ := payload["task"].(map[string]any)
		return "task", task
	}
	switch f.kind {
	case kindOutput:
		return "output", map[string]any{"data": payload["data"]}
	case kindResize:
		return "resize", map[string]any{"cols": payload["cols"], "rows": payload["rows"]}
	case kindRole:
		return "role_assigned", map[string]any{"client_id": payload["client_id"], "role": payload["role"]}
	case kindMembership:
		return "membership_changed", map[string]any{"members": compactMembers(payload)}
	case kindClosed:
		return "closed", map[string]any{"exit_code": payload["exit_code"], "reason": payload["reason"]}
	case kindKeyframe:
		return "keyframe", map[string]any{"cursor": f.sequence, "frames": []any{
			map[string]any{"op": "resize", "seq": f.sequence, "ts": f.ts,
				"payload": map[string]any{"cols": payload["snapshot_cols"], "rows": payload["snapshot_rows"]}},
			map[string]any{"op": "output", "seq": f.sequence, "ts": f.ts, "payload": map[string]any{"data": payload["snapshot"]}},
		}}
	}
	return "error", compactError(c, payload)
}

func compactMembers(payload map[string]any) []any {
	all := []any{}
	for _, group := range []struct{ name, role string }{{"controllers", roleController}, {"observers", roleObserver}} {
		list, _ := payload[group.name].([]any)
		for _, entry := range list {
			if member, ok := entry.(map[string]any); ok {
				all = append(all, map[string]any{"client_id": member["client_id"], "role": group.role})
			}
		}
	}
	return all
}

func compactError(c *connection, payload map[string]any) map[string]any {
	code, _ := payload["code"].(string)
	known, ok := compactCodes[code]
	if !ok {
		known.code, known.status = "internal.error", http.StatusInternalServerError
	}
	said := map[string]any{"code": known.code, "message": payload["message"], "status": known.status}
	if code == codeReplayOutOfRange {
		said["oldest"] = c.oldest
	}
	return said
}

// runCompact serves a connection of the dialect: a replay is asked for in the URL, and comes right after the greeting.
func runCompact(u *upgrade) func(*connection) {
	from := u.r.URL.Query().Get("replay_from")
	return func(c *connection) {
		c.live(func() {
			c.session.attach(c)
			if from != "" {
				c.session.replayAttached(c, from)
			}
		})
	}
}

// replayAttached sends what was said after a number to a connection that has not joined yet.
func (s *session) replayAttached(c *connection, from string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := strconv.ParseUint(from, 10, 64)
	if err != nil {
		c.refuse("", badRequest("replay_from is not an integer from 0 on"))
		return
	}
	cursor := s.b.replay.cursor(c, &request{replayFrom: &n})
	if cursor == nil {
		return
	}
	if err := s.b.replay.allows(c); err != nil {
		c.refuse("", err)
		return
	}
	frames, lost := s.b.replay.since(s, c, *cursor)
	if lost {
		c.oldest = s.log.lost + 1
		c.refuse("", &frameError{code: codeReplayOutOfRange, message: "frames after replay_from are not kept any more"})
		return
	}
	for _, f := range frames {
		s.deliver(c, delivery{frame: s.b.replay.copied(f), replayed: true})
	}
}
