// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
)

func speaksCompact(c *executor.Config) { c.PTYDialect = "compact" }

// say sends an envelope of the dialect, which has no id.
func (c *client) say(op string, payload any) {
	c.t.Helper()
	text, err := json.Marshal(map[string]any{"op": op, "seq": nil, "ts": now(), "payload": payload})
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(string(text))
}

func compactMembersOf(env map[string]any) string {
	keys := make([]string, 0, len(env))
	for name := range env {
		keys = append(keys, name)
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

func TestCompactConversation(t *testing.T) {
	t.Parallel()
	d := deploy(t, speaksCompact)
	c := d.open(d.session(nil), testToken)

	hello := c.op("binding_hello")
	if got := compactMembersOf(hello); got != "op payload seq ts" {
		t.Errorf("members of the greeting are %q, want op payload seq ts", got)
	}
	operations, _ := payloadOf(hello)["supported_operations"].([]any)
	if !slices.Contains(operations, any("message/send")) || slices.Contains(operations, any("SendMessage")) {
		t.Errorf("supported_operations are %v, want message/send and no SendMessage", operations)
	}

	c.say("pty.join_session", map[string]any{"role": "controller", "cols": 100, "rows": 40})
	assigned := c.op("role_assigned")
	if role := payloadOf(assigned)["role"]; role != "controller" {
		t.Errorf("role is %v, want controller", role)
	}
	members := c.op("membership_changed")
	want := []any{map[string]any{"client_id": payloadOf(assigned)["client_id"], "role": "controller"}}
	if diff := cmp.Diff(want, payloadOf(members)["members"]); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if fmt.Sprintf("%v %v", assigned["seq"], members["seq"]) != "0 1" {
		t.Errorf("seq of role_assigned and membership_changed are %v and %v, want 0 and 1: only what is said to all is counted", assigned["seq"], members["seq"])
	}
	keyframe := c.op("keyframe")
	frames, _ := payloadOf(keyframe)["frames"].([]any)
	if len(frames) != 2 || fmt.Sprint(payloadOf(keyframe)["cursor"]) != "1" {
		t.Errorf("the keyframe is %v, want cursor 1 and two frames", payloadOf(keyframe))
	}

	c.say("pty.session_resize", map[string]any{"cols": 90, "rows": 20})
	if size := payloadOf(c.op("resize")); fmt.Sprintf("%v %v", size["cols"], size["rows"]) != "90 20" {
		t.Errorf("resize is %v, want 90x20", size)
	}
	c.say("pty.session_input", map[string]any{"data": base64.StdEncoding.EncodeToString([]byte("echo ab\n"))})
	var out []byte
	for !strings.Contains(string(out), "ab") {
		data, err := base64.StdEncoding.DecodeString(payloadOf(c.op("output"))["data"].(string))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, data...)
	}
	c.say("pty.release_role", map[string]any{})
	if role := payloadOf(c.op("role_assigned"))["role"]; role != "observer" {
		t.Errorf("after the release role is %v, want observer", role)
	}
	c.say("pty.leave_session", map[string]any{})
	if code := c.closed(); code != closeNormal {
		t.Errorf("closed with %d, want %d", code, closeNormal)
	}
	for _, r := range c.seen {
		if op := r.env["op"]; op == opGoodbye || op == opTerminal || op == opError {
			t.Errorf("op %v is none of the dialect", op)
		}
	}
}

func TestCompactTasks(t *testing.T) {
	t.Parallel()
	d := deploy(t, speaksCompact)
	c := d.open(d.session(nil), testToken)
	message := map[string]any{"message": map[string]any{"messageId": newUUIDv7(), "role": "user",
		"parts": []any{map[string]any{"kind": "text", "text": "hello"}}}}
	for _, op := range []string{"message/send", "message/stream"} {
		c.say(op, message)
		task := c.op("task")
		if task["seq"] != nil {
			t.Errorf("%s: seq of the reply is %v, want null", op, task["seq"])
		}
		c.say("tasks/subscribe", map[string]any{"task_id": payloadOf(task)["id"]})
		if got, want := payloadOf(c.op("task"))["id"], payloadOf(task)["id"]; got != want {
			t.Errorf("%s: the task is %v, want %v", op, got, want)
		}
	}
	c.say("tasks/list", map[string]any{"page_size": 1})
	list := payloadOf(c.op("task_list"))
	if tasks, _ := list["tasks"].([]any); len(tasks) != 1 {
		t.Errorf("the list is %v, want one task", list)
	}
}

func TestCompactErrors(t *testing.T) {
	t.Parallel()
	d := deploy(t, speaksCompact)
	session := d.session(nil)
	first := d.open(session, testToken)
	first.say("pty.join_session", map[string]any{"role": "controller"})
	first.op("keyframe")
	c := d.open(session, testObserve)
	c.say("pty.join_session", map[string]any{"role": "observer"})
	c.op("keyframe")
	for _, tc := range []struct {
		op      string
		payload map[string]any
		code    string
	}{
		{"tasks/get", map[string]any{"task_id": newUUIDv7()}, "task.not_found"},
		{"pty.session_input", map[string]any{"data": "YQ=="}, "pty.permission_denied"},
		{"pty.request_role", map[string]any{"role": "king"}, "request.invalid_params"},
		{"SendMessage", map[string]any{}, "request.unsupported_operation"},
		{"ping", map[string]any{"client_ts": now()}, "request.unsupported_operation"},
		{"UpdateServiceParameters", map[string]any{"service_parameters": map[string]any{}}, "request.unsupported_operation"},
	} {
		c.say(tc.op, tc.payload)
		payload := payloadOf(c.op("error"))
		if payload["code"] != tc.code {
			t.Errorf("%s: code is %v, want %s", tc.op, payload["code"], tc.code)
		}
		if got := compactMembersOf(payload); got != "code message status" {
			t.Errorf("%s: the error has %s, want code message status", tc.op, got)
		}
	}
}

func TestCompactReplay(t *testing.T) {
	t.Parallel()
	d := deploy(t, speaksCompact)
	session := d.session(nil)
	first := d.open(session, testToken)
	first.say("pty.join_session", map[string]any{"role": "controller"})
	first.op("keyframe")
	first.say("pty.session_resize", map[string]any{"cols": 90, "rows": 20})
	resized := first.op("resize")

	again := d.open(session+"/attach?replay_from=1#", testToken)
	again.op("binding_hello")
	replayed := again.op("resize")
	if fmt.Sprint(replayed["seq"]) != fmt.Sprint(resized["seq"]) || replayed["ts"] != resized["ts"] {
		t.Errorf("the replayed frame is %v, want %v", replayed, resized)
	}

	if status, v := d.ask("POST", "/operator/evict-replay", map[string]any{"session_id": session, "sequence": 2}); status >= 300 {
		t.Fatalf("evict: status %d, %v", status, v)
	}
	late := d.open(session+"/attach?replay_from=0#", testToken)
	late.op("binding_hello")
	if payload := payloadOf(late.op("error")); payload["code"] != "replay.out_of_range" || fmt.Sprint(payload["oldest"]) != "3" {
		t.Errorf("the error is %v, want replay.out_of_range with oldest 3", payload)
	}
}

func TestCompactBinary(t *testing.T) {
	t.Parallel()
	d := deploy(t, speaksCompact)
	c := d.open(d.session(nil), testToken, subprotocolBinary)
	c.say("pty.join_session", map[string]any{"role": "controller"})
	c.op("keyframe")
	c.writeBinary([]byte("PW1Iecho ab\n"))
	c.sees("ab")
}

func TestUnknownDialect(t *testing.T) {
	t.Parallel()
	if _, err := executor.New(executor.Config{PTYDialect: "klingon"}); err == nil || !strings.Contains(err.Error(), `no PTY dialect "klingon", want compact`) {
		t.Errorf("err is %v, want one that names the dialect", err)
	}
}
