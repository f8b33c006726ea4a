// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"testing"
)

// every is a minimal valid request of each operation on a task.
func every(id any) map[string]object {
	return map[string]object{
		"SendMessage": send("x", object{"taskId": id}), "SendStreamingMessage": send("x", object{"taskId": id}), "GetTask": {"id": id}, "ListTasks": {},
		"CancelTask": {"id": id}, "SubscribeToTask": {"id": id},
		"CreateTaskPushNotificationConfig": {"taskId": id, "url": "https://a2a.example/h"}, "GetTaskPushNotificationConfig": {"taskId": id, "id": "k"},
		"ListTaskPushNotificationConfigs": {"taskId": id}, "DeleteTaskPushNotificationConfig": {"taskId": id, "id": "k"}, "GetExtendedAgentCard": {},
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	over(t, Config{Token: "one", SecondToken: "two", LimitedToken: "three"}, func(t *testing.T, cl *client) {
		id := cl.task(send("scenario: input-required", object{"contextId": "c"}))["id"]
		for _, token := range []string{"", "wrong"} {
			cl.token = token
			for operation, params := range every(id) {
				got := cl.call(operation, params)
				if got.status != 401 || got.header.Get("WWW-Authenticate") == "" || got.reason != "UNAUTHENTICATED" {
					t.Errorf("%s with token %q: %d\n%s", operation, token, got.status, got.body)
				}
			}
		}
		cl.token = "two"
		for operation, params := range every(id) {
			if operation == "ListTasks" || operation == "GetExtendedAgentCard" {
				continue
			}
			foreign, unknown := cl.call(operation, params), cl.call(operation, every("nosuch")[operation])
			if foreign.reason != "TASK_NOT_FOUND" || unknown.reason != foreign.reason || unknown.status != foreign.status || unknown.err["message"] != foreign.err["message"] {
				t.Errorf("%s tells a foreign task from none:\n%s\n%s", operation, foreign.body, unknown.body)
			}
		}
		if got := cl.must("ListTasks", object{"contextId": "c"}); got["totalSize"] != 0.0 {
			t.Errorf("another principal lists %v", got)
		}
		cl.token = "three"
		if got := cl.call("SendMessage", send("ping")); got.status != 403 || got.reason != "PERMISSION_DENIED" {
			t.Errorf("who may only read sends: %s", got.body)
		}
		cl.must("ListTasks", object{})
	})
}

func TestRequiredExtension(t *testing.T) {
	t.Parallel()
	over(t, Config{RequiredExtension: true}, func(t *testing.T, cl *client) {
		for asked, want := range map[string]string{
			"": "EXTENSION_SUPPORT_REQUIRED", "https://a2a.example/extensions/tracing/1.0": "EXTENSION_SUPPORT_REQUIRED",
			tracing: "", "urn:example:other:v1, " + tracing: "",
		} {
			cl.headers = map[string]string{"A2A-Extensions": asked}
			got := cl.call("SendMessage", send("ping"))
			if got.reason != want {
				t.Errorf("asked for %q: reason %q, want %q", asked, got.reason, want)
			}
			if echo := got.header.Get("A2A-Extensions"); want == "" && echo != tracing {
				t.Errorf("asked for %q: the answer names %q", asked, echo)
			}
		}
	})
}

func TestOptionalExtension(t *testing.T) {
	t.Parallel()
	over(t, Config{}, func(t *testing.T, cl *client) {
		if got := cl.task(send("ping")); got["metadata"] != nil {
			t.Errorf("nobody has asked for %v", got["metadata"])
		}
		cl.headers = map[string]string{"A2A-Extensions": wordCount}
		if got, _ := cl.task(send("one two"))["metadata"].(object); got[wordCount].(object)["words"] != 2.0 {
			t.Errorf("word-count gives %v", got)
		}
	})
}

func TestTenant(t *testing.T) {
	t.Parallel()
	over(t, Config{Tenant: "acme"}, func(t *testing.T, cl *client) {
		if got := cl.call("SendMessage", send("ping")); got.reason != "violation" {
			t.Errorf("without the tenant: %s", got.body)
		}
		params := send("ping")
		params["tenant"] = "acme"
		id := cl.task(params)["id"]
		cl.must("GetTask", object{"id": id, "tenant": "acme"})
	})
}

func TestLegacy(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{{Legacy: true}, {Only03: true}} {
		cl := &client{t: t, s: start(t, c), binding: BindingRPC}
		got := cl.must("message/send", object{"message": object{
			"kind": "message", "messageId": "m", "role": "user", "parts": []any{object{"kind": "text", "text": "ping"}},
		}})
		part := got["artifacts"].([]any)[0].(object)["parts"].([]any)[0].(object)
		if got["kind"] != "task" || got["status"].(object)["state"] != "completed" || part["kind"] != "text" {
			t.Errorf("%+v: message/send gives %v", c, got)
		}
		if again := cl.must("tasks/get", object{"id": got["id"]}); again["kind"] != "task" {
			t.Errorf("tasks/get gives %v", again)
		}
		last := object{}
		cl.stream("message/stream", object{"message": object{
			"kind": "message", "messageId": "m", "role": "user", "parts": []any{object{"kind": "text", "text": "scenario: rejected"}},
		}}, func(item object) bool { last = item; return true })
		if last["kind"] != "status-update" || last["final"] != true {
			t.Errorf("the last event is %v", last)
		}
		cl.version = "1.0"
		// A server of 0.3 alone knows nothing of the header; the other has no such method in 1.0.
		want := map[bool]any{true: -32601.0, false: -32602.0}[c.Legacy]
		if got := cl.call("message/send", object{}); got.err["code"] != want {
			t.Errorf("%+v: message/send under 1.0: %s, want code %v", c, got.body, want)
		}
	}
}
