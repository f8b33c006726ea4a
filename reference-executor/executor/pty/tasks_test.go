// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func textMessage(text string) map[string]any {
	return map[string]any{"message": map[string]any{
		"messageId": newUUIDv7(), "role": "user", "parts": []any{map[string]any{"kind": "text", "text": text}},
	}}
}

func frameState(t *testing.T, rendered any) string {
	t.Helper()
	object, _ := rendered.(map[string]any)
	status, _ := object["status"].(map[string]any)
	state, _ := status["state"].(string)
	if state == "" {
		t.Fatalf("no state in %v", rendered)
	}
	return state
}

func TestTasksOverTheBinding(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a, b := d.open(id, testToken), d.open(id, testObserve)
	sent := payloadOf(a.answer(a.send("SendMessage", textMessage("hello"))))
	task := sent["task"].(map[string]any)["id"].(string)
	got := payloadOf(b.answer(b.send("GetTask", map[string]any{"task_id": task, "history_length": 50})))["task"].(map[string]any)
	if got["id"] != task || len(got["history"].([]any)) != 1 {
		t.Errorf("task is %v", got)
	}
	got = payloadOf(b.answer(b.send("GetTask", map[string]any{"task_id": task, "history_length": 0})))["task"].(map[string]any)
	if got["history"] != nil {
		t.Errorf("history is %v, want none", got["history"])
	}
	if p := payloadOf(b.answer(b.send("CancelTask", map[string]any{"task_id": task}))); p["code"] != codePermissionDenied {
		t.Errorf("an observer canceled: %v", p)
	}
	accepted := b.answer(b.send("SubscribeToTask", map[string]any{"task_id": task}))
	if accepted["op"] != "SubscribeToTask.Accepted" || payloadOf(accepted)["current_sequence"] == nil {
		t.Errorf("subscription is %v", accepted)
	}
	canceled := payloadOf(a.answer(a.send("CancelTask", map[string]any{"task_id": task})))
	if state := frameState(t, canceled["task"]); state != "canceled" {
		t.Errorf("state is %s", state)
	}
	update := b.await("the last update", func(r received) bool {
		return r.env["op"] == opUpdate && frameState(t, payloadOf(r.env)["task"]) == "canceled"
	}).env
	delta := payloadOf(update)["delta"].(map[string]any)
	if delta["taskId"] != task || frameState(t, delta) != "canceled" || update["sequence"] == nil {
		t.Errorf("update is %v", update)
	}
	if p := payloadOf(a.answer(a.send("CancelTask", map[string]any{"task_id": task}))); p["code"] != codeTaskNotCancelable {
		t.Errorf("canceled twice: %v", p)
	}
}

func TestStreamedTask(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	a := d.open(d.session(nil), testToken)
	a.answer(a.send("ListTasks", map[string]any{}, "service_parameters", map[string]any{"trace_id": "first"}))
	for _, trace := range []string{"first", "second"} {
		if trace == "second" {
			a.answer(a.send("UpdateServiceParameters", map[string]any{"service_parameters": map[string]any{"trace_id": trace}}))
		}
		accepted := a.answer(a.send("SendStreamingMessage", textMessage("work")))
		task := payloadOf(accepted)["task_id"].(string)
		a.send("CancelTask", map[string]any{"task_id": task})
		a.await("the end", func(r received) bool {
			if r.env["op"] != opUpdate {
				return false
			}
			if trace := r.env["service_parameters"].(map[string]any)["trace_id"]; trace != r.env["service_parameters"].(map[string]any)["trace_id"] {
				t.Errorf("trace is %v", trace)
			}
			return frameState(t, payloadOf(r.env)["task"]) == "canceled"
		})
		last := a.seen[a.next-1].env
		if got := last["service_parameters"].(map[string]any)["trace_id"]; got != trace {
			t.Errorf("trace is %v, want %s", got, trace)
		}
		before := slices.IndexFunc(a.seen, func(r received) bool {
			return r.env["op"] == opUpdate && payloadOf(r.env)["task"].(map[string]any)["id"] == task
		})
		if at := slices.IndexFunc(a.seen, func(r received) bool { return r.env["id"] == accepted["id"] }); at > before {
			t.Error("an update came before the acknowledgement")
		}
	}
}

func TestSubscriptionReplay(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a, b := d.open(id, testToken), d.open(id, testToken)
	task := payloadOf(a.answer(a.send("SendMessage", textMessage("hello"))))["task"].(map[string]any)["id"].(string)
	var n any
	for _, x := range []*client{a, b} {
		n = payloadOf(x.answer(x.send("SubscribeToTask", map[string]any{"task_id": task})))["current_sequence"]
	}
	b.conn.CloseNow()
	a.send("CancelTask", map[string]any{"task_id": task})
	isEnd := func(r received) bool {
		return r.env["op"] == opUpdate && frameState(t, payloadOf(r.env)["task"]) == "canceled"
	}
	u := a.await("the end", isEnd).env["sequence"]
	c := d.open(id, testToken)
	c.answer(c.send("SubscribeToTask", map[string]any{"task_id": task}, "replay_from", n))
	if got := c.await("the replayed end", isEnd).env["sequence"]; got != u {
		t.Errorf("sequence is %v, want %v", got, u)
	}
	c.answer(c.send("Unsubscribe", map[string]any{"task_id": task}))
	if p := payloadOf(c.answer(c.send("Unsubscribe", map[string]any{"task_id": newUUIDv7()}))); p["code"] != codeTaskNotFound {
		t.Errorf("unknown: %v", p)
	}
}

func TestUnsubscribed(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a, b := d.open(id, testToken), d.open(id, testToken)
	task := payloadOf(a.answer(a.send("SendMessage", textMessage("hello"))))["task"].(map[string]any)["id"].(string)
	for _, x := range []*client{a, b} {
		x.answer(x.send("SubscribeToTask", map[string]any{"task_id": task}))
	}
	a.answer(a.send("Unsubscribe", map[string]any{"task_id": task}))
	after := len(a.seen)
	a.answer(a.send("CancelTask", map[string]any{"task_id": task}))
	b.op(opUpdate)
	a.settle()
	for _, r := range a.seen[after:] {
		if r.env["op"] == opUpdate {
			t.Errorf("after unsubscribing: %v", r.env)
		}
	}
}

func TestListTasksWalksPages(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	a := d.open(d.session(nil), testToken)
	want := map[string]bool{}
	for range 5 {
		want[payloadOf(a.answer(a.send("SendMessage", textMessage("hello"))))["task"].(map[string]any)["id"].(string)] = true
	}
	got := map[string]bool{}
	var token any
	for range 10 {
		p := payloadOf(a.answer(a.send("ListTasks", map[string]any{"page_size": 2, "page_token": token, "filter": nil})))
		tasks := p["tasks"].([]any)
		if len(tasks) > 2 {
			t.Errorf("%d tasks on a page of 2", len(tasks))
		}
		for _, item := range tasks {
			got[item.(map[string]any)["id"].(string)] = true
		}
		if token = p["next_page_token"]; token == nil {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
}
