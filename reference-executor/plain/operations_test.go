// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestScenarios(t *testing.T) {
	t.Parallel()
	over(t, Config{}, func(t *testing.T, cl *client) {
		for text, want := range map[string]string{
			"ping": completed, "echo hello": completed, "scenario: completed": completed, "scenario: failed": failed,
			"scenario: rejected": rejected, "scenario: input-required": inputRequired, "scenario: auth-required": authRequired,
			"scenario: long-running": completed, "scenario: artifact-text": completed, "scenario: artifact-raw": completed,
			"scenario: artifact-url": completed, "scenario: artifact-data": completed, "scenario: artifact-chunked": completed,
		} {
			got := cl.task(send(text))
			if state := stateOf(got); state != want {
				t.Errorf("%s ended %s, want %s", text, state, want)
			}
			seen := cl.must("GetTask", object{"id": got["id"]})
			if diff := cmp.Diff(got, seen); diff != "" {
				t.Errorf("%s: GetTask shows something else (-sent +got):\n%s", text, diff)
			}
		}
		reply := cl.must("SendMessage", send("scenario: message-reply"))["message"].(object)
		if reply["role"] != "ROLE_AGENT" || reply["contextId"] == nil {
			t.Errorf("a direct answer is %v", reply)
		}
	})
}

func TestInputIsAnswered(t *testing.T) {
	t.Parallel()
	over(t, Config{}, func(t *testing.T, cl *client) {
		asked := cl.task(send("scenario: input-required"))
		id, context := asked["id"], asked["contextId"]
		if got := cl.call("SendMessage", send("no", object{"taskId": id, "contextId": "another"})); got.reason != "violation" {
			t.Errorf("another context: %s", got.body)
		}
		done := cl.task(configured(send("scenario: answer", object{"taskId": id}), object{"historyLength": 1}))
		if stateOf(done) != completed || done["id"] != id || done["contextId"] != context {
			t.Errorf("the answer led to %v", done)
		}
		if history := done["history"].([]any); len(history) != 1 {
			t.Errorf("historyLength 1 gives %d messages", len(history))
		}
		all := cl.must("GetTask", object{"id": id})["history"].([]any)
		var roles []any
		for _, m := range all {
			roles = append(roles, m.(object)["role"])
		}
		if diff := cmp.Diff([]any{"ROLE_USER", "ROLE_AGENT", "ROLE_USER"}, roles); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		waits := cl.task(send("scenario: auth-required"))
		still := cl.task(send("ok", object{"taskId": waits["id"]}))
		if stateOf(still) != authRequired || still["id"] != waits["id"] {
			t.Errorf("a plain message led to %v", still)
		}
	})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	over(t, Config{}, func(t *testing.T, cl *client) {
		done := cl.task(send("ping"))["id"]
		for _, row := range []struct {
			why       string
			operation string
			params    object
			reason    string
			http, rpc int
		}{
			{"unknown task", "GetTask", object{"id": "nosuch"}, "TASK_NOT_FOUND", 404, -32001},
			{"unknown task", "CancelTask", object{"id": "nosuch"}, "TASK_NOT_FOUND", 404, -32001},
			{"unknown task", "SubscribeToTask", object{"id": "nosuch"}, "TASK_NOT_FOUND", 404, -32001},
			{"unknown task", "SendMessage", send("x", object{"taskId": "nosuch"}), "TASK_NOT_FOUND", 404, -32001},
			{"unknown task", "SendStreamingMessage", send("x", object{"taskId": "nosuch"}), "TASK_NOT_FOUND", 404, -32001},
			{"unknown task", "CreateTaskPushNotificationConfig", object{"taskId": "nosuch", "url": "https://a2a.example/h"}, "TASK_NOT_FOUND", 404, -32001},
			{"unknown task", "ListTaskPushNotificationConfigs", object{"taskId": "nosuch"}, "TASK_NOT_FOUND", 404, -32001},
			{"unknown task", "DeleteTaskPushNotificationConfig", object{"taskId": "nosuch", "id": "k"}, "TASK_NOT_FOUND", 404, -32001},
			{"unknown configuration", "GetTaskPushNotificationConfig", object{"taskId": done, "id": "k"}, "TASK_NOT_FOUND", 404, -32001},
			{"ended", "CancelTask", object{"id": done}, "TASK_NOT_CANCELABLE", 400, -32002},
			{"ended", "SubscribeToTask", object{"id": done}, "UNSUPPORTED_OPERATION", 400, -32004},
			{"ended", "SendMessage", send("x", object{"taskId": done}), "UNSUPPORTED_OPERATION", 400, -32004},
			{"no extended card", "GetExtendedAgentCard", object{}, "UNSUPPORTED_OPERATION", 400, -32004},
			{"faulty agent", "SendMessage", send("faulty-agent"), "INVALID_AGENT_RESPONSE", 500, -32006},
			{"media type", "SendMessage", send("x", object{"parts": []any{object{"raw": "AA==", "mediaType": "application/x-zz-1"}}}), "CONTENT_TYPE_NOT_SUPPORTED", 400, -32005},
			{"no message", "SendMessage", object{}, "violation", 400, -32602},
			{"no messageId", "SendMessage", send("x", object{"messageId": nil}), "violation", 400, -32602},
			{"no role", "SendMessage", send("x", object{"role": nil}), "violation", 400, -32602},
			{"another role", "SendMessage", send("x", object{"role": "ROLE_ROBOT"}), "violation", 400, -32602},
			{"legacy role", "SendMessage", send("x", object{"role": "user"}), "violation", 400, -32602},
			{"no parts", "SendMessage", send("x", object{"parts": nil}), "violation", 400, -32602},
			{"empty parts", "SendMessage", send("x", object{"parts": []any{}}), "violation", 400, -32602},
			{"parts is an object", "SendMessage", send("x", object{"parts": object{"text": "a"}}), "violation", 400, -32602},
			{"messageId is an object", "SendMessage", send("x", object{"messageId": object{}}), "violation", 400, -32602},
			{"part without content", "SendMessage", send("x", object{"parts": []any{object{}}}), "violation", 400, -32602},
			{"part with two contents", "SendMessage", send("x", object{"parts": []any{object{"text": "a", "data": 1}}}), "violation", 400, -32602},
			{"negative history", "GetTask", object{"id": done, "historyLength": -1}, "violation", 400, -32602},
			{"history in words", "GetTask", object{"id": done, "historyLength": "abc"}, "violation", 400, -32602},
			{"page of none", "ListTasks", object{"pageSize": 0}, "violation", 400, -32602},
			{"page of too many", "ListTasks", object{"pageSize": 101}, "violation", 400, -32602},
			{"token of nobody", "ListTasks", object{"pageToken": "zz"}, "violation", 400, -32602},
			{"state of nothing", "ListTasks", object{"status": "TASK_STATE_RUNNING"}, "violation", 400, -32602},
			{"time of nothing", "ListTasks", object{"statusTimestampAfter": "yesterday"}, "violation", 400, -32602},
			{"no url", "CreateTaskPushNotificationConfig", object{"taskId": done}, "violation", 400, -32602},
			{"ftp", "CreateTaskPushNotificationConfig", object{"taskId": done, "url": "ftp://a2a.example/"}, "violation", 400, -32602},
			{"private", "CreateTaskPushNotificationConfig", object{"taskId": done, "url": "http://10.0.0.1/"}, "violation", 400, -32602},
			{"metadata address", "CreateTaskPushNotificationConfig", object{"taskId": done, "url": "http://169.254.169.254/"}, "violation", 400, -32602},
			{"loopback", "CreateTaskPushNotificationConfig", object{"taskId": done, "url": "http://localhost:1/"}, "violation", 400, -32602},
		} {
			got := cl.call(row.operation, row.params)
			if got.reason != row.reason {
				t.Errorf("%s: %s: reason %q, want %q\n%s", row.operation, row.why, got.reason, row.reason, got.body)
				continue
			}
			status, code := row.http, any(float64(row.http))
			if cl.binding == BindingRPC {
				status, code = 200, float64(row.rpc)
			}
			if got.status != status || got.err["code"] != code {
				t.Errorf("%s: %s: status %d and code %v, want %d and %v", row.operation, row.why, got.status, got.err["code"], status, code)
			}
		}
	})
}

func TestVersions(t *testing.T) {
	t.Parallel()
	over(t, Config{}, func(t *testing.T, cl *client) {
		for _, version := range []string{"", "0.3", "99.0", "1.9", "banana"} {
			cl.version = version
			for _, operation := range []string{"SendMessage", "SendStreamingMessage", "GetTask"} {
				if got := cl.call(operation, send("ping", object{"contextId": "c"})); got.reason != "VERSION_NOT_SUPPORTED" {
					t.Errorf("%s with version %q: %s", operation, version, got.body)
				}
			}
		}
		cl.version = "1.0"
		if got := cl.must("ListTasks", object{"contextId": "c"}); got["totalSize"] != 0.0 {
			t.Errorf("a refused version has made tasks: %v", got)
		}
	})
}

func TestListIsWalked(t *testing.T) {
	t.Parallel()
	over(t, Config{}, func(t *testing.T, cl *client) {
		want := map[any]bool{}
		for range 5 {
			want[cl.task(send("ping", object{"contextId": "c"}))["id"]] = true
		}
		cl.task(send("ping"))
		seen, token, last := map[any]bool{}, "", "9"
		for page := range 3 {
			got := cl.must("ListTasks", object{"contextId": "c", "pageSize": 2, "pageToken": token})
			if got["totalSize"] != 5.0 || got["pageSize"] != 2.0 {
				t.Errorf("page %d: %v", page, got)
			}
			for _, v := range got["tasks"].([]any) {
				listed := v.(object)
				seen[listed["id"]] = true
				if _, has := listed["artifacts"]; has {
					t.Error("a listed task has artifacts")
				}
				at := listed["status"].(object)["timestamp"].(string)
				if at > last {
					t.Errorf("%s stands behind %s", at, last)
				}
				last = at
			}
			token = got["nextPageToken"].(string)
		}
		if token != "" || !cmp.Equal(seen, want) {
			t.Errorf("the walk saw %v and ended with token %q, want %v", seen, token, want)
		}
		none := cl.must("ListTasks", object{"contextId": "nosuch"})
		if diff := cmp.Diff(object{"tasks": []any{}, "nextPageToken": "", "pageSize": 50.0, "totalSize": 0.0}, none); diff != "" {
			t.Errorf("an unknown context (-want +got):\n%s", diff)
		}
	})
}

func TestStreams(t *testing.T) {
	t.Parallel()
	over(t, Config{}, func(t *testing.T, cl *client) {
		for text, want := range map[string]string{
			"ping":                       "task artifactUpdate statusUpdate",
			"scenario: message-reply":    "message",
			"scenario: artifact-chunked": "task statusUpdate artifactUpdate artifactUpdate artifactUpdate artifactUpdate statusUpdate",
			"scenario: rejected":         "task statusUpdate",
		} {
			var kinds []string
			ended := cl.stream("SendStreamingMessage", configured(send(text), immediately()), func(item object) bool {
				for kind := range item {
					kinds = append(kinds, kind)
				}
				return true
			})
			if got := strings.Join(kinds, " "); got != want || !ended {
				t.Errorf("%s: %s, ended %v; want %s", text, got, ended, want)
			}
		}
	})
}

func TestSubscription(t *testing.T) {
	t.Parallel()
	over(t, Config{}, func(t *testing.T, cl *client) {
		running := cl.task(configured(send("scenario: long-running"), immediately()))
		if state := stateOf(running); state != submitted && state != working {
			t.Fatalf("the task is %s at once", state)
		}
		text, last := "", ""
		first := true
		cl.stream("SubscribeToTask", object{"id": running["id"]}, func(item object) bool {
			if _, is := item["task"]; is != first {
				t.Errorf("item %v", item)
			}
			first = false
			if update, is := item["artifactUpdate"].(object); is {
				text += update["artifact"].(object)["parts"].([]any)[0].(object)["text"].(string)
			}
			if update, is := item["statusUpdate"].(object); is {
				last = stateOf(update)
			}
			return true
		})
		if last != completed {
			t.Errorf("the last state is %s", last)
		}
		whole := cl.must("GetTask", object{"id": running["id"]})["artifacts"].([]any)[0].(object)["parts"].([]any)
		stored := ""
		for _, part := range whole {
			stored += part.(object)["text"].(string)
		}
		if !strings.HasSuffix(stored, text) || text == "" {
			t.Errorf("streamed %q, stored %q", text, stored)
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	over(t, Config{Work: time.Minute}, func(t *testing.T, cl *client) {
		running := cl.task(configured(send("scenario: long-running"), immediately()))["id"]
		var states []string
		ended := cl.stream("SubscribeToTask", object{"id": running}, func(item object) bool {
			if _, is := item["task"]; is {
				if got := stateOf(cl.must("CancelTask", object{"id": running})); got != canceled {
					t.Errorf("cancel answered %s", got)
				}
			}
			if update, is := item["statusUpdate"].(object); is {
				states = append(states, stateOf(update))
			}
			return true
		})
		if !ended || !slices.Equal(states, []string{canceled}) {
			t.Errorf("states %v, ended %v", states, ended)
		}
		if got := stateOf(cl.must("CancelTask", object{"id": running})); got != canceled {
			t.Errorf("the second cancel answered %s", got)
		}
	})
}

func TestNotDeclared(t *testing.T) {
	t.Parallel()
	over(t, Config{Undeclared: Declarable}, func(t *testing.T, cl *client) {
		id := cl.task(send("ping"))["id"]
		for operation, want := range map[string]string{
			"SendStreamingMessage": "UNSUPPORTED_OPERATION", "SubscribeToTask": "UNSUPPORTED_OPERATION", "GetExtendedAgentCard": "UNSUPPORTED_OPERATION",
			"CreateTaskPushNotificationConfig": "PUSH_NOTIFICATION_NOT_SUPPORTED", "GetTaskPushNotificationConfig": "PUSH_NOTIFICATION_NOT_SUPPORTED",
			"ListTaskPushNotificationConfigs": "PUSH_NOTIFICATION_NOT_SUPPORTED", "DeleteTaskPushNotificationConfig": "PUSH_NOTIFICATION_NOT_SUPPORTED",
		} {
			params := send("ping", nil)
			if operation != "SendStreamingMessage" {
				params = object{"id": id, "taskId": id}
			}
			if got := cl.call(operation, params); got.reason != want {
				t.Errorf("%s: reason %q, want %q\n%s", operation, got.reason, want, got.body)
			}
		}
	})
}
